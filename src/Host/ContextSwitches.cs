using System.Globalization;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace IpcBench.Host;

/// <summary>How often threads of a process lost their CPU.</summary>
/// <param name="Voluntary">The thread waited for something.</param>
/// <param name="Involuntary">The time slice of the thread ended, or a thread of higher priority was ready.</param>
public readonly partial record struct ContextSwitches(long Voluntary, long Involuntary)
{
    private const int RusageSelf = 0;
    private const int VoluntaryField = 16, InvoluntaryField = 17;

    public long Sum => Voluntary + Involuntary;

    /// <summary>Of all threads of this process since its start, ended threads included; zeros where the system does not tell.</summary>
    public static ContextSwitches Own() => OperatingSystem.IsLinux() && Environment.Is64BitProcess ? OwnLinux() : default;

    /// <summary>
    /// Of each living thread of another process, by thread id. Null where the process does not exist or may not be read, and on Windows,
    /// which has these counts in performance counters only. Takes some 20 µs a thread: call it outside the window.
    /// </summary>
    public static IReadOnlyDictionary<int, ContextSwitches>? OfThreads(int process) =>
        OperatingSystem.IsLinux() ? OfThreadsLinux(process, new SystemFiles()) : null;

    /// <summary>Of all threads of several processes, as <see cref="OfThreads(int)"/>; null when none of them can be read.</summary>
    public static IReadOnlyDictionary<int, ContextSwitches>? OfThreads(IEnumerable<int> processes)
    {
        var all = new Dictionary<int, ContextSwitches>();
        foreach (var (thread, switches) in processes.SelectMany(process => OfThreads(process) ?? new Dictionary<int, ContextSwitches>()))
            all[thread] = switches;
        return all.Count == 0 ? null : all;
    }

    /// <summary>The switches between two readings of <see cref="OfThreads(int)"/>, without threads that ended meanwhile.</summary>
    public static ContextSwitches Between(
        IReadOnlyDictionary<int, ContextSwitches> earlier, IReadOnlyDictionary<int, ContextSwitches> later)
    {
        var sum = default(ContextSwitches);
        foreach (var (thread, now) in later)
        {
            // A count below the earlier count belongs to a new thread that got the id of an ended one.
            var then = earlier.TryGetValue(thread, out var found)
                && found.Voluntary <= now.Voluntary && found.Involuntary <= now.Involuntary ? found : default;
            sum = new(sum.Voluntary + now.Voluntary - then.Voluntary, sum.Involuntary + now.Involuntary - then.Involuntary);
        }
        return sum;
    }

    // /proc/self/status counts the main thread alone; getrusage(2) adds up all threads.
    private static ContextSwitches OwnLinux() =>
        getrusage(RusageSelf, out var usage) == 0 ? new(usage[VoluntaryField], usage[InvoluntaryField]) : default;

    private static Dictionary<int, ContextSwitches>? OfThreadsLinux(int process, SystemFiles files)
    {
        var threads = new Dictionary<int, ContextSwitches>();
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
            return null;
        }
        return threads.Count == 0 ? null : threads;
    }

    /// <summary>proc_pid_status(5): <c>voluntary_ctxt_switches: 150</c> and <c>nonvoluntary_ctxt_switches: 545</c>.</summary>
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

    // struct rusage: two timevals and 14 longs, all of 8 bytes on 64-bit Linux; the last two longs are the counts.
    [InlineArray(18)]
    private struct ResourceUsage
    {
        private long first;
    }
}
