using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>
/// Measures the CPU time of other processes during the slices of a round. All processes are read only before the first
/// slice and after the last slice, because to read all of them takes milliseconds.
/// </summary>
/// <param name="owners">The processes of all measured servers.</param>
internal sealed class OthersMeter(IReadOnlyList<ServerOwner> owners)
{
    // The meter reads nothing if a server's processes are unknown, since their CPU time would count as that of other programs.
    private readonly OtherProcesses? before = owners.All(owner => owner.Pids.Count > 0) ? OtherProcesses.Read() : null;

    /// <summary>Computes the CPU time of other processes since this object was made.</summary>
    /// <returns>Null when the system does not report CPU times, or when the processes of a server are unknown.</returns>
    public OtherUsage? Read() => before is null || OtherProcesses.Read() is not { } after ? null
        : OtherProcesses.Between(before, after, [Environment.ProcessId, .. owners.SelectMany(owner => owner.Pids).Distinct()]);
}
