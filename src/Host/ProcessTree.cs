namespace IpcBench.Host;

/// <summary>
/// Some processes with all their descendants. The system reports their times, so a busy process does not have to answer.
/// </summary>
public sealed partial class ProcessTree(IReadOnlyList<int> roots)
{
    // Each id is kept with the start of its process, which distinguishes two processes that had the same id.
    private readonly Dictionary<int, long?> members = roots.ToDictionary(root => root, _ => (long?)null);

    /// <summary>The ids of the processes that the tree was made for.</summary>
    public IReadOnlyList<int> Roots => roots;

    /// <summary>The ids of all processes found so far. <see cref="Find"/> removes ended descendants.</summary>
    public IReadOnlyCollection<int> Members => members.Keys;

    /// <summary>
    /// The descendants found so far that still run. A new process that got the id of an ended descendant does not count.
    /// </summary>
    public IReadOnlyList<int> Descendants =>
        [.. members.Where(one => !roots.Contains(one.Key) && ProcessClock.Read(one.Key)?.StartTicks == one.Value).Select(one => one.Key)];

    /// <summary>
    /// Adds new descendants and removes ended ones. This takes some 20 µs for each process of
    /// the machine, so call it outside measured time.
    /// </summary>
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

    /// <summary>
    /// Reads the clocks of the processes found so far. This takes some 30 µs a process, of which the CPU time takes 1 µs.
    /// </summary>
    public TreeReading Read() => new(roots, ProcessClock.Read(members.Keys));

    /// <summary>
    /// Adds the descendants that started since the last <see cref="Find"/> to a reading that was taken a moment ago.
    /// </summary>
    public TreeReading Complete(TreeReading reading)
    {
        Find();
        var clocks = new Dictionary<int, ProcessClock>(ProcessClock.Read([.. members.Keys.Where(one => !reading.Clocks.ContainsKey(one))]));
        foreach (var (process, clock) in reading.Clocks)
            clocks[process] = clock;
        return new TreeReading(roots, clocks);
    }

    /// <summary>Returns the name of a process without its path. Empty when the process has ended or may not be read.</summary>
    public static string NameOf(int process) => OperatingSystem.IsLinux() ? NameOfLinux(process)
        : OperatingSystem.IsWindows() ? NameOfWindows(process)
        : "";

    /// <summary>
    /// Finds processes with all their descendants. On Windows a new process may have the id of a parent that has ended.
    /// So a process that started before its supposed parent is not its child.
    /// </summary>
    /// <param name="startOf">
    /// Returns when a process started. Null when this is unknown. In this case the supposed parent counts as the parent.
    /// </param>
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

    /// <summary>
    /// Makes a function that finds the parent of a process. The function returns null for an ended process, or when the
    /// system does not report parents.
    /// </summary>
    internal static Func<int, int?> ParentFinder()
    {
        if (OperatingSystem.IsLinux())
            return id => StatOf(new SystemFiles(), id) is { } stat ? (int)stat[Parent] : null;
        var parents = Parents();
        return id => parents.TryGetValue(id, out var parent)
            && !(ProcessClock.Read(id)?.StartTicks < ProcessClock.Read(parent)?.StartTicks) ? parent : null;
    }

    /// <summary>Lists the parent of each process. Empty when the system does not report parents.</summary>
    internal static Dictionary<int, int> Parents() => OperatingSystem.IsLinux() ? ParentsLinux()
        : OperatingSystem.IsWindows() ? ParentsWindows()
        : [];
}

/// <summary>The clocks of a <see cref="ProcessTree"/> at one moment.</summary>
/// <param name="Roots">The processes that the tree was made for.</param>
/// <param name="Clocks">The clock of each process that could be read, by process id.</param>
public sealed record TreeReading(IReadOnlyList<int> Roots, IReadOnlyDictionary<int, ProcessClock> Clocks)
{
    /// <summary>Resident memory in bytes. A page that several processes share counts for each of them.</summary>
    public long WorkingSetBytes => Clocks.Values.Sum(clock => clock.WorkingSetBytes);

    /// <summary>
    /// Computes the user and kernel time in ns of all processes of the tree between two readings. Processes that started in between
    /// are included, and on Linux processes that ended in between too. Null when a root cannot be read or a new process has its id.
    /// </summary>
    public static (long UserNs, long KernelNs)? Between(TreeReading earlier, TreeReading later)
    {
        if (!later.Roots.All(root => earlier.Clocks.ContainsKey(root) && later.Clocks.ContainsKey(root)))
            return null;
        var (user, kernel) = (0L, 0L);
        var waited = new Dictionary<int, (long User, long Kernel)>();
        foreach (var (process, now) in later.Clocks)
        {
            // By now the id may belong to a new process, whose time counts from its start. For a root this means that the
            // server has ended, and the result is null.
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
    /// Computes the CPU time of processes that ended between two readings. When a process waits for an ended child, the
    /// kernel adds the time of the child's whole life to it. So the child's time before the first reading is subtracted:
    /// from the time that was added to its parent, or from the total if the parent ended too. The time of a child that
    /// nobody waited for is lost.
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
            else // the parent ended too, and the process that adopted the child is unknown
                (orphanUser, orphanKernel) = (orphanUser + user, orphanKernel + kernel);
        }
        // If nobody waited for a child, the difference can be below 0. It then counts as 0.
        return (Math.Max(0, waited.Values.Sum(one => Math.Max(0, one.User)) - orphanUser),
            Math.Max(0, waited.Values.Sum(one => Math.Max(0, one.Kernel)) - orphanKernel));
    }

    private static ProcessClock Born(ProcessClock now) => new(now.StartTicks, 0, 0, 0, 0, 0);
}
