namespace IpcBench.Host;

/// <summary>Processes with all their descendants, watched from outside: nobody of them has to answer.</summary>
/// <param name="roots">Numbers of the processes.</param>
public sealed partial class ProcessTree(IReadOnlyList<int> roots)
{
    private readonly HashSet<int> members = [.. roots];

    /// <summary>Numbers of the processes it was made for.</summary>
    public IReadOnlyList<int> Roots => roots;

    /// <summary>Numbers of the processes found so far, ended ones included.</summary>
    public IReadOnlyCollection<int> Members => members;

    /// <summary>Looks for descendants that have come since. Some 20 µs a process of the machine: take it outside the window.</summary>
    public void Find()
    {
        var parents = Parents();
        members.RemoveWhere(one => !parents.ContainsKey(one) && !roots.Contains(one));
        var childrenOf = parents.ToLookup(one => one.Value, one => one.Key);
        var left = new Stack<int>(members);
        while (left.TryPop(out var one))
        {
            foreach (var child in childrenOf[one].Where(members.Add))
                left.Push(child);
        }
    }

    /// <summary>Clocks of the processes found so far, now. Some 30 µs a process, of which the clock itself takes one.</summary>
    public TreeReading Read() => new(roots, ProcessClock.Read(members));

    /// <summary>
    /// Looks for descendants that came since the last look and adds them to a reading that was taken a moment ago.
    /// </summary>
    public TreeReading Complete(TreeReading reading)
    {
        Find();
        var clocks = new Dictionary<int, ProcessClock>(ProcessClock.Read([.. members.Where(one => !reading.Clocks.ContainsKey(one))]));
        foreach (var (process, clock) in reading.Clocks)
            clocks[process] = clock;
        return new TreeReading(roots, clocks);
    }

    /// <summary>What a process is called, without its path; empty when it is gone or may not be asked.</summary>
    public static string NameOf(int process) => OperatingSystem.IsLinux() ? NameOfLinux(process)
        : OperatingSystem.IsWindows() ? NameOfWindows(process)
        : "";

    /// <summary>Tells who started a process; null for one that is gone or where the system does not tell.</summary>
    internal static Func<int, int?> ParentFinder()
    {
        if (OperatingSystem.IsLinux())
            return id => StatOf(new SystemFiles(), id) is { } stat ? (int)stat[Parent] : null;
        var parents = Parents();
        return id => parents.TryGetValue(id, out var parent) ? parent : null;
    }

    /// <summary>Who started whom; empty where the system does not tell.</summary>
    internal static Dictionary<int, int> Parents() => OperatingSystem.IsLinux() ? ParentsLinux()
        : OperatingSystem.IsWindows() ? ParentsWindows()
        : [];
}

/// <summary>What the clocks of a <see cref="ProcessTree"/> said at one moment.</summary>
/// <param name="Roots">The processes it was made for.</param>
/// <param name="Clocks">Of each process that could be read, by its number.</param>
public sealed record TreeReading(IReadOnlyList<int> Roots, IReadOnlyDictionary<int, ProcessClock> Clocks)
{
    /// <summary>Pages shared among processes count for each.</summary>
    public long WorkingSetBytes => Clocks.Values.Sum(clock => clock.WorkingSetBytes);

    /// <summary>
    /// User and kernel time in ns that all of them used between two readings, those that came or (Linux) ended meanwhile included; null
    /// when one of the roots cannot be read, or is another process by now.
    /// </summary>
    public static (long UserNs, long KernelNs)? Between(TreeReading earlier, TreeReading later)
    {
        if (!later.Roots.All(root => earlier.Clocks.ContainsKey(root) && later.Clocks.ContainsKey(root)))
            return null;
        var (user, kernel, endedUser, endedKernel) = (0L, 0L, 0L, 0L);
        foreach (var (process, now) in later.Clocks)
        {
            // A number may be another's by now, which came meanwhile; of a root that is the end.
            var known = earlier.Clocks.GetValueOrDefault(process);
            var then = known is not null && (known.StartTicks == now.StartTicks || later.Roots.Contains(process)) ? known : Born(now);
            if (ProcessClock.Between(then, now) is not var (userNs, kernelNs))
                return null;
            var (childUser, childKernel) = (now.EndedUserNs - then.EndedUserNs, now.EndedKernelNs - then.EndedKernelNs);
            (user, kernel) = (user + userNs - childUser, kernel + kernelNs - childKernel);
            (endedUser, endedKernel) = (endedUser + childUser, endedKernel + childKernel);
        }
        // A child that ended brings its whole life to the parent that waits for it: what it had used before is not of this time.
        foreach (var (process, then) in earlier.Clocks)
        {
            if (later.Clocks.TryGetValue(process, out var now) && now.StartTicks == then.StartTicks)
                continue;
            endedUser -= then.UserNs + then.EndedUserNs;
            endedKernel -= then.KernelNs + then.EndedKernelNs;
        }
        // Below 0 where nobody waited for it.
        return (user + Math.Max(0, endedUser), kernel + Math.Max(0, endedKernel));
    }

    private static ProcessClock Born(ProcessClock now) => new(now.StartTicks, 0, 0, 0, 0, 0);
}
