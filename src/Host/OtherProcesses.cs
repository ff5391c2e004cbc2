using System.Diagnostics;

namespace IpcBench.Host;

/// <summary>
/// The CPU time of all processes except some families (a process with its descendants). The operating system reports
/// the times, so a busy process does not have to answer.
/// </summary>
public sealed class OtherProcesses
{
    private const long KernelThread = 0x0020_0000; // PF_KTHREAD of /proc/<pid>/stat's flags (include/linux/sched.h)

    private readonly long timestamp;
    private readonly IReadOnlyDictionary<int, ProcessClock> clocks;
    private readonly IReadOnlyDictionary<int, int> parents;

    private OtherProcesses(long timestamp, IReadOnlyDictionary<int, ProcessClock> clocks, IReadOnlyDictionary<int, int> parents) =>
        (this.timestamp, this.clocks, this.parents) = (timestamp, clocks, parents);

    /// <summary>
    /// Reads all processes that this process can see. This takes some 30 µs a process, so call it outside measured time.
    /// On Windows the clocks have steps of about 15.6 ms, and processes of other users are missing without privilege.
    /// Null when the system does not report the times.
    /// </summary>
    public static OtherProcesses? Read()
    {
        if (OperatingSystem.IsLinux())
        {
            var numbers = ProcessTree.Numbers().ToList();
            // The timestamp is close to the readings, because ProcessClock.Read reads all fine clocks first.
            var timestamp = Stopwatch.GetTimestamp();
            var clocks = ProcessClock.Read(numbers);
            return new OtherProcesses(timestamp, clocks, clocks.ToDictionary(one => one.Key, one => one.Value.Parent));
        }
        if (!OperatingSystem.IsWindows())
            return null;
        var parents = ProcessTree.Parents();
        return new OtherProcesses(Stopwatch.GetTimestamp(), ProcessClock.Read([.. parents.Keys]), parents);
    }

    /// <summary>
    /// Computes the CPU time of other processes between two readings. Processes that started in between are included, and on
    /// Linux processes that ended too. Kernel threads are counted apart, because they work for the process that made them busy.
    /// </summary>
    /// <param name="families">Processes that are left out together with their descendants.</param>
    public static OtherUsage Between(OtherProcesses earlier, OtherProcesses later, IReadOnlyCollection<int> families)
    {
        var (then, now) = (earlier.Without(families), later.Without(families));
        var busiest =
            from one in now.Programs
            let before = then.Programs.GetValueOrDefault(one.Key)
            let own = one.Value.CpuNs - (before?.StartTicks == one.Value.StartTicks ? before.CpuNs : 0)
            where own > 0
            orderby own descending
            select new ProcessShare(one.Key, ProcessTree.NameOf(one.Key), own);
        return new OtherUsage(Total(then.Programs, now.Programs), [.. busiest.Where(one => one.Name.Length > 0).Take(OtherUsage.Named)])
        {
            KernelThreadsNs = Total(then.Kernel, now.Kernel),
            Span = Stopwatch.GetElapsedTime(earlier.timestamp, later.timestamp),
        };
    }

    private static long Total(IReadOnlyDictionary<int, ProcessClock> then, IReadOnlyDictionary<int, ProcessClock> now) =>
        TreeReading.Between(new TreeReading([], then), new TreeReading([], now)) is var (user, kernel) ? user + kernel : 0;

    private (Dictionary<int, ProcessClock> Programs, Dictionary<int, ProcessClock> Kernel) Without(IReadOnlyCollection<int> families)
    {
        var family = ProcessTree.Family(families, parents, one => clocks.GetValueOrDefault(one)?.StartTicks);
        var others = clocks.Where(one => !family.Contains(one.Key)).ToLookup(one => (one.Value.Flags & KernelThread) != 0);
        return (others[false].ToDictionary(), others[true].ToDictionary());
    }
}

public sealed record ProcessShare(int Process, string Name, long CpuNs);
