namespace IpcBench.Host;

/// <summary>CPU time and memory of processes that are not ours, each with its descendants.</summary>
/// <param name="Roots">How many of the named processes are there.</param>
/// <param name="UserNs">
/// In steps of 10 ms (Linux) or 15.6 ms (Windows) for each process; children that have ended count where the system still has their time.
/// </param>
/// <param name="KernelNs">The same.</param>
/// <param name="WorkingSetBytes">Pages shared among them count for each.</param>
public sealed partial record ProcessTree(int Roots, long UserNs, long KernelNs, long WorkingSetBytes)
{
    /// <summary>
    /// Null when nothing is asked for or the system does not tell. Some tens of µs a process of the machine: take it outside the window.
    /// </summary>
    public static ProcessTree? Take(IReadOnlyList<int> roots) => roots.Count == 0 ? null
        : OperatingSystem.IsLinux() ? TakeLinux(roots)
        : OperatingSystem.IsWindows() ? TakeWindows(roots)
        : null;

    /// <summary>Tells who started a process; null for one that is gone or where the system does not tell.</summary>
    internal static Func<int, int?> ParentFinder()
    {
        if (OperatingSystem.IsLinux())
            return id => StatOf(new SystemFiles(), id) is { } stat ? (int)stat[Parent] : null;
        if (!OperatingSystem.IsWindows())
            return _ => null;
        var parents = Processes().ToDictionary(one => one.Id, one => one.Parent);
        return id => parents.TryGetValue(id, out var parent) ? parent : null;
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
