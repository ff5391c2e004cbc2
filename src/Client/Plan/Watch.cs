using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>A listening endpoint whose connections are counted by state while a window is measured.</summary>
/// <param name="Name">As reports call it.</param>
/// <param name="Address">Where it listens; of a TCP address the port alone counts.</param>
internal sealed record Watch(string Name, Address Address);
