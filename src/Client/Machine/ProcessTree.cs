using IpcBench.Analysis.Results;

namespace IpcBench.Client.Machine;

/// <summary>CPU time and memory of processes that are not ours, each with its descendants.</summary>
/// <param name="Roots">How many of the named processes are there.</param>
/// <param name="UserNs">In steps of 10 ms (Linux) or 15.6 ms (Windows) for each process; children that have ended count where the system still has their time.</param>
/// <param name="KernelNs">The same.</param>
/// <param name="WorkingSetBytes">Pages shared among them count for each.</param>
internal sealed partial record ProcessTree(int Roots, long UserNs, long KernelNs, long WorkingSetBytes)
{
    /// <summary>Null when nothing is asked for or the system does not tell. Some tens of µs a process of the machine: take it outside the window.</summary>
    public static ProcessTree? Take(IReadOnlyList<int> roots) => roots.Count == 0 ? null
        : OperatingSystem.IsLinux() ? TakeLinux(roots)
        : OperatingSystem.IsWindows() ? TakeWindows(roots)
        : null;

    /// <summary>What was used meanwhile; null when either is unknown or a named process ended.</summary>
    public static ProcessUsage? Between(ProcessTree? earlier, ProcessTree? later, long calls)
    {
        if (earlier is null || later is null || later.Roots < earlier.Roots || later.UserNs < earlier.UserNs || later.KernelNs < earlier.KernelNs)
            return null;
        return new ProcessUsage
        {
            CpuUserNs = later.UserNs - earlier.UserNs,
            CpuKernelNs = later.KernelNs - earlier.KernelNs,
            WorkingSetBytes = later.WorkingSetBytes,
            Calls = calls,
        };
    }

    /// <summary>The processes with all their descendants, by who started whom.</summary>
    private static HashSet<int> Family(IReadOnlyList<int> roots, ILookup<int, int> childrenOf)
    {
        var family = new HashSet<int>();
        var left = new Stack<int>(roots);
        while (left.TryPop(out var one))
        {
            if (!family.Add(one))
                continue;
            foreach (var child in childrenOf[one])
                left.Push(child);
        }
        return family;
    }
}
