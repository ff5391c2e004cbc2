using IpcBench.Client.Load;
using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>One HTTP/1.1 server and what to ask it for.</summary>
/// <param name="Name">What sets it apart from others of its transport: as typed, <c>#2</c> for the second without a name; empty for the first.</param>
/// <param name="Address">Where it listens.</param>
/// <param name="Request">What every call asks for; its size is not known yet.</param>
internal sealed record HttpArm(string Name, Address Address, HttpRequest Request);
