using System.Globalization;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace IpcBench.Host;

/// <summary>How often threads of a process gave up or lost their CPU.</summary>
/// <param name="Voluntary">How often a thread waited for something.</param>
/// <param name="Involuntary">How often a thread's time slice ended, or a thread of higher priority was ready.</param>
public readonly partial record struct ContextSwitches(long Voluntary, long Involuntary)
{
    private const int RusageSelf = 0;
    private const int VoluntaryField = 16, InvoluntaryField = 17;

    public long Sum => Voluntary + Involuntary;

    /// <summary>
    /// Counts the switches of all threads of this process since its start, ended threads included. Zeros when the system
    /// does not report them.
    /// </summary>
    public static ContextSwitches Own() => OperatingSystem.IsLinux() && Environment.Is64BitProcess ? OwnLinux() : default;

    /// <summary>
    /// Counts the switches of each living thread of other processes, by thread id. This takes some 20 µs a thread, so call it outside
    /// measured time. Null when none of the processes can be read, and on Windows, which has these counts in performance counters only.
    /// </summary>
    public static IReadOnlyDictionary<int, ContextSwitches>? OfThreads(params IEnumerable<int> processes)
    {
        var (threads, files) = (new Dictionary<int, ContextSwitches>(), new SystemFiles());
        foreach (var process in OperatingSystem.IsLinux() ? processes : [])
        {
            try
            {
                foreach (var folder in Directory.EnumerateDirectories(string.Create(CultureInfo.InvariantCulture, $"/proc/{process}/task")))
                {
                    // The status of a thread that ends at this moment is empty.
                    if (files.Read(folder + "/status") is { Length: > 0 } status)
                        threads[int.Parse(Path.GetFileName(folder), CultureInfo.InvariantCulture)] = Parse(status);
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // The process has ended, or may not be read.
            }
        }
        return threads.Count == 0 ? null : threads;
    }

    /// <summary>
    /// Adds up the switches of all threads between two readings of <see cref="OfThreads"/>. Threads that ended in between are left out.
    /// </summary>
    public static ContextSwitches Between(
        IReadOnlyDictionary<int, ContextSwitches> earlier, IReadOnlyDictionary<int, ContextSwitches> later)
    {
        var sum = default(ContextSwitches);
        foreach (var (thread, now) in later)
        {
            // A count below the earlier count belongs to a new thread that got the id of an ended thread.
            var then = earlier.TryGetValue(thread, out var found)
                && found.Voluntary <= now.Voluntary && found.Involuntary <= now.Involuntary ? found : default;
            sum = new(sum.Voluntary + now.Voluntary - then.Voluntary, sum.Involuntary + now.Involuntary - then.Involuntary);
        }
        return sum;
    }

    // getrusage(2) is used, because it adds up all threads. /proc/self/status counts the main thread alone.
    private static ContextSwitches OwnLinux() =>
        getrusage(RusageSelf, out var usage) == 0 ? new(usage[VoluntaryField], usage[InvoluntaryField]) : default;

    /// <summary>
    /// Reads the lines <c>voluntary_ctxt_switches: 150</c> and <c>nonvoluntary_ctxt_switches: 545</c> (proc_pid_status(5)).
    /// </summary>
    internal static ContextSwitches Parse(string status) =>
        new(Field(status, "\nvoluntary_ctxt_switches:"), Field(status, "\nnonvoluntary_ctxt_switches:"));

    private static long Field(string status, string name)
    {
        var at = status.IndexOf(name, StringComparison.Ordinal);
        if (at < 0)
            return 0;
        var line = status.AsSpan(at + name.Length);
        var end = line.IndexOf('\n');
        return long.TryParse(end < 0 ? line : line[..end], CultureInfo.InvariantCulture, out var value) ? value : 0;
    }

    [LibraryImport("libc")]
    private static partial int getrusage(int who, out ResourceUsage usage);

    // struct rusage has two timevals of 2 values each and 14 longs: 18 values of 8 bytes on 64-bit Linux. The two
    // counts of switches are the last values.
    [InlineArray(18)]
    private struct ResourceUsage
    {
        private long first;
    }
}
