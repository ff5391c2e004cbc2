namespace IpcBench.Host;

/// <summary>
/// What all processes but some families have used, read from outside: the same question whatever those families did meanwhile.
/// </summary>
public sealed class OtherProcesses
{
    private const long KernelThread = 0x0020_0000; // PF_KTHREAD of /proc/<pid>/stat's flags (include/linux/sched.h)

    private readonly IReadOnlyDictionary<int, ProcessClock> clocks;
    private readonly IReadOnlyDictionary<int, int> parents;

    private OtherProcesses(IReadOnlyDictionary<int, ProcessClock> clocks, IReadOnlyDictionary<int, int> parents) =>
        (this.clocks, this.parents) = (clocks, parents);

    /// <summary>
    /// Reads all processes that this one sees; null where the system does not tell. Some 30 µs each, so outside the window. On Windows the
    /// clocks have steps of about 15.6 ms, and those of other users' processes may not be read without privilege: they are missing.
    /// </summary>
    public static OtherProcesses? Read()
    {
        if (!OperatingSystem.IsLinux() && !OperatingSystem.IsWindows())
            return null;
        var parents = ProcessTree.Parents();
        return new OtherProcesses(ProcessClock.Read([.. parents.Keys]), parents);
    }

    /// <summary>
    /// What others used between two readings, those that came or were waited for meanwhile included once; the busiest first. Threads of
    /// the kernel are nobody's: they work for whoever made them busy.
    /// </summary>
    /// <param name="earlier">The first reading.</param>
    /// <param name="later">The second one.</param>
    /// <param name="families">Processes that are left out with their descendants.</param>
    public static OtherUsage Between(OtherProcesses earlier, OtherProcesses later, IReadOnlyCollection<int> families)
    {
        var (then, now) = (earlier.Without(families), later.Without(families));
        var total = TreeReading.Between(new TreeReading([], then), new TreeReading([], now)) is var (user, kernel) ? user + kernel : 0;
        var busiest =
            from one in now
            let before = then.GetValueOrDefault(one.Key)
            let own = one.Value.CpuNs - (before?.StartTicks == one.Value.StartTicks ? before.CpuNs : 0)
            where own > 0
            orderby own descending
            select new ProcessShare(one.Key, ProcessTree.NameOf(one.Key), own);
        return new OtherUsage(total, [.. busiest.Take(OtherUsage.Named)]);
    }

    private Dictionary<int, ProcessClock> Without(IReadOnlyCollection<int> families)
    {
        var left = families.ToHashSet();
        var childrenOf = parents.ToLookup(one => one.Value, one => one.Key);
        var next = new Stack<int>(left);
        while (next.TryPop(out var one))
        {
            foreach (var child in childrenOf[one].Where(left.Add))
                next.Push(child);
        }
        return clocks.Where(one => !left.Contains(one.Key) && (one.Value.Flags & KernelThread) == 0)
            .ToDictionary(one => one.Key, one => one.Value);
    }
}

/// <summary>What other processes used.</summary>
/// <param name="TotalNs">User and kernel time of all of them.</param>
/// <param name="Busiest">The busiest of those still there, at most <see cref="Named"/>.</param>
public sealed record OtherUsage(long TotalNs, IReadOnlyList<ProcessShare> Busiest)
{
    public const int Named = 3;
}

/// <summary>One process and the CPU time that it used.</summary>
public sealed record ProcessShare(int Process, string Name, long CpuNs);
