namespace IpcBench.Host;

/// <summary>Processes with all their descendants, watched from outside: nobody of them has to answer.</summary>
/// <param name="roots">Numbers of the processes.</param>
public sealed partial class ProcessTree(IReadOnlyList<int> roots)
{
    // With when each started: another process of the same number has another.
    private readonly Dictionary<int, long?> members = roots.ToDictionary(root => root, _ => (long?)null);

    /// <summary>Numbers of the processes it was made for.</summary>
    public IReadOnlyList<int> Roots => roots;

    /// <summary>Numbers of the processes found so far, ended ones included.</summary>
    public IReadOnlyCollection<int> Members => members.Keys;

    /// <summary>Those of the descendants found so far that go on: not who has the number of one by now.</summary>
    public IReadOnlyList<int> Descendants =>
        [.. members.Where(one => !roots.Contains(one.Key) && ProcessClock.Read(one.Key)?.StartTicks == one.Value).Select(one => one.Key)];

    /// <summary>Looks for descendants that have come since. Some 20 µs a process of the machine: take it outside the window.</summary>
    public void Find()
    {
        var parents = Parents();
        var started = new Dictionary<int, long?>();
        foreach (var (one, then) in members.Where(one => !roots.Contains(one.Key)).ToList())
        {
            if (!parents.ContainsKey(one) || StartOf(one) != then)
                members.Remove(one);
        }
        foreach (var one in Family(members.Keys, parents, StartOf))
            members.TryAdd(one, StartOf(one));

        long? StartOf(int one) => started.TryGetValue(one, out var known) ? known : started[one] = ProcessClock.Read(one)?.StartTicks;
    }

    /// <summary>Clocks of the processes found so far, now. Some 30 µs a process, of which the clock itself takes one.</summary>
    public TreeReading Read() => new(roots, ProcessClock.Read(members.Keys));

    /// <summary>
    /// Looks for descendants that came since the last look and adds them to a reading that was taken a moment ago.
    /// </summary>
    public TreeReading Complete(TreeReading reading)
    {
        Find();
        var clocks = new Dictionary<int, ProcessClock>(ProcessClock.Read([.. members.Keys.Where(one => !reading.Clocks.ContainsKey(one))]));
        foreach (var (process, clock) in reading.Clocks)
            clocks[process] = clock;
        return new TreeReading(roots, clocks);
    }

    /// <summary>What a process is called, without its path; empty when it is gone or may not be asked.</summary>
    public static string NameOf(int process) => OperatingSystem.IsLinux() ? NameOfLinux(process)
        : OperatingSystem.IsWindows() ? NameOfWindows(process)
        : "";

    /// <summary>
    /// Processes with all their descendants. On Windows another process may have the number of a parent that ended: a process that
    /// started before its supposed parent is not its child.
    /// </summary>
    /// <param name="roots">Those to begin with.</param>
    /// <param name="parents">Who started whom.</param>
    /// <param name="startOf">When a process started; null where that is not known, and then the numbers are believed.</param>
    internal static HashSet<int> Family(IEnumerable<int> roots, IReadOnlyDictionary<int, int> parents, Func<int, long?> startOf)
    {
        var family = roots.ToHashSet();
        var childrenOf = parents.ToLookup(one => one.Value, one => one.Key);
        var left = new Stack<int>(family);
        while (left.TryPop(out var one))
        {
            foreach (var child in childrenOf[one].Where(child => !(startOf(child) < startOf(one)) && family.Add(child)))
                left.Push(child);
        }
        return family;
    }

    /// <summary>Tells who started a process; null for one that is gone or where the system does not tell.</summary>
    internal static Func<int, int?> ParentFinder()
    {
        if (OperatingSystem.IsLinux())
            return id => StatOf(new SystemFiles(), id) is { } stat ? (int)stat[Parent] : null;
        var parents = Parents();
        return id => parents.TryGetValue(id, out var parent)
            && !(ProcessClock.Read(id)?.StartTicks < ProcessClock.Read(parent)?.StartTicks) ? parent : null;
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
        var (user, kernel) = (0L, 0L);
        var waited = new Dictionary<int, (long User, long Kernel)>();
        foreach (var (process, now) in later.Clocks)
        {
            // Another process may have the number by now; for a root that means that the server has ended.
            var known = earlier.Clocks.GetValueOrDefault(process);
            var then = known is not null && (known.StartTicks == now.StartTicks || later.Roots.Contains(process)) ? known : Born(now);
            if (ProcessClock.Between(then, now) is not var (userNs, kernelNs))
                return null;
            var (childUser, childKernel) = (now.EndedUserNs - then.EndedUserNs, now.EndedKernelNs - then.EndedKernelNs);
            (user, kernel) = (user + userNs - childUser, kernel + kernelNs - childKernel);
            waited[process] = (childUser, childKernel);
        }
        var (endedUser, endedKernel) = Ended(earlier, later, waited);
        return (user + endedUser, kernel + endedKernel);
    }

    /// <summary>
    /// What children that ended used between two readings. Each brings its whole life to whoever waits for it: what it had used before the
    /// first reading is not of this time, and is taken off what its own parent waited for, never off what others did. Nothing is left of
    /// one that nobody waited for.
    /// </summary>
    private static (long UserNs, long KernelNs) Ended(
        TreeReading earlier, TreeReading later, Dictionary<int, (long User, long Kernel)> waited)
    {
        var (orphanUser, orphanKernel) = (0L, 0L);
        foreach (var (process, then) in earlier.Clocks)
        {
            if (later.Clocks.TryGetValue(process, out var now) && now.StartTicks == then.StartTicks)
                continue;
            var (user, kernel) = (then.UserNs + then.EndedUserNs, then.KernelNs + then.EndedKernelNs);
            if (waited.TryGetValue(then.Parent, out var own))
                waited[then.Parent] = (own.User - user, own.Kernel - kernel);
            else // its parent ended too, and who took it over is not known
                (orphanUser, orphanKernel) = (orphanUser + user, orphanKernel + kernel);
        }
        // Below 0 where nobody waited for it.
        return (Math.Max(0, waited.Values.Sum(one => Math.Max(0, one.User)) - orphanUser),
            Math.Max(0, waited.Values.Sum(one => Math.Max(0, one.Kernel)) - orphanKernel));
    }

    private static ProcessClock Born(ProcessClock now) => new(now.StartTicks, 0, 0, 0, 0, 0);
}
