using IpcBench.Client.Protocols.Http1;
using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>An HTTP/1.1 server and its request.</summary>
/// <param name="Name">
/// Distinguishes the server from other servers on its transport: the given name, or <c>#2</c> for the second server
/// without a name. Empty for the first server without a name.
/// </param>
/// <param name="Address">The address at which the server listens.</param>
/// <param name="Request">The request of every call. The size of its reply is not known yet.</param>
internal sealed record HttpArm(string Name, Address Address, HttpRequest Request);
