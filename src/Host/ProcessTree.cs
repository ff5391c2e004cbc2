using System.ComponentModel;
using System.Diagnostics;

namespace IpcBench.Host;

/// <summary>
/// Some processes with all their descendants. The operating system reports their CPU times, so a busy process need not answer.
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

    /// <summary>
    /// Kills a process with its descendants. Returns false when the system refuses to kill one of them. Windows also
    /// refuses this for a process that is about to end. Kills nothing and returns false when one of the processes is this
    /// process. A process that has ended already is no error.
    /// </summary>
    public static bool Kill(int process)
    {
        // On Linux, .NET's own Kill is not used. It reads every process of the machine, and has failed because it could
        // not read one of them.
        if (OperatingSystem.IsLinux())
            return KillLinux(process);
        try
        {
            using var root = Process.GetProcessById(process);
            root.Kill(entireProcessTree: true);
            return true;
        }
        catch (ArgumentException)
        {
            return true;
        }
        catch (Exception e) when (e is InvalidOperationException or Win32Exception or AggregateException)
        {
            return false;
        }
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
