using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>
/// Measures the CPU time of other processes during sliced measurements. It is read once around all slices of a round,
/// since reading all processes takes milliseconds.
/// </summary>
/// <param name="owners">The processes of all measured servers.</param>
internal sealed class OthersMeter(IReadOnlyList<ServerOwner> owners)
{
    // The meter reads nothing if a server's processes are unknown, since their CPU time would count as that of other programs.
    private readonly OtherProcesses? before = owners.All(owner => owner.Pids.Count > 0) ? OtherProcesses.Read() : null;

    /// <summary>Reads all processes again.</summary>
    /// <returns>Null where the system does not tell.</returns>
    public OtherUsage? Read() => before is null || OtherProcesses.Read() is not { } after ? null
        : OtherProcesses.Between(before, after, [Environment.ProcessId, .. owners.SelectMany(owner => owner.Pids).Distinct()]);
}
