using IpcBench.Client.Protocols.Grpc;
using IpcBench.Client.Protocols.Http1;
using IpcBench.Client.Protocols.JsonRpc;
using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>An endpoint to measure, with marks that distinguish it from other endpoints of the same kind.</summary>
/// <param name="Address">The address at which the endpoint listens.</param>
/// <param name="Variant">The knobs of the endpoint.</param>
/// <param name="Mark">A mark besides the knobs: <c>a/a</c>, a given name, or <c>#2</c> for a second address. Otherwise empty.</param>
/// <param name="Note">A note about the endpoint for readers of reports.</param>
/// <param name="Protocol">The protocol, see <see cref="IpcBench.Analysis.Results.CellKey.Protocol"/>.</param>
/// <param name="Request">The request of an HTTP/1.1 call. Null for other protocols.</param>
/// <param name="Call">The method to call. Null means <c>Bench.Download</c>.</param>
/// <param name="ReplySize">
/// The size in bytes of the first reply of the method or tool, 0 if that call failed. Null without a method or tool.
/// </param>
/// <param name="Tool">The tool of a JSON-RPC call. Null for all runs but those of <c>mcp</c>.</param>
internal sealed record Target(
    Address Address, Variant Variant, string Mark = "", string Note = "", string Protocol = "grpc", HttpRequest? Request = null,
    GrpcCall? Call = null, long? ReplySize = null, ToolCall? Tool = null);
