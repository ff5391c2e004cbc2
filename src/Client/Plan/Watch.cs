using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>A listening endpoint whose connections are counted by state during a window.</summary>
/// <param name="Name">The name in reports.</param>
/// <param name="Address">The address at which the endpoint listens. For a TCP address only the port counts.</param>
internal sealed record Watch(string Name, Address Address);
