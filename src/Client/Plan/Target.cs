using IpcBench.Client.Load;
using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>One endpoint to measure: where it is and what sets it apart from the others of its kind.</summary>
/// <param name="Address">Where it listens.</param>
/// <param name="Variant">The knobs in force there.</param>
/// <param name="Mark">Apart from the knobs: <c>a/a</c>, or <c>#2</c> for the second address of a kind; empty otherwise.</param>
/// <param name="Note">What a reader must know about it.</param>
/// <param name="Protocol">What is spoken there: see <see cref="IpcBench.Analysis.Results.CellKey.Protocol"/>.</param>
/// <param name="Request">What an HTTP/1.1 call asks for; null for other protocols.</param>
internal sealed record Target(Address Address, Variant Variant, string Mark = "", string Note = "", string Protocol = "grpc", HttpRequest? Request = null);
