using System.Globalization;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace IpcBench.Host;

/// <summary>How often the system took a processor from a process, or was given one back.</summary>
/// <param name="Voluntary">A thread waited for something.</param>
/// <param name="Involuntary">A thread's time slice was over, or something more urgent came.</param>
public readonly partial record struct ContextSwitches(long Voluntary, long Involuntary)
{
    private const int RusageSelf = 0;
    private const int VoluntaryField = 16, InvoluntaryField = 17;

    public long Sum => Voluntary + Involuntary;

    /// <summary>Of all threads of this process since it started, ended ones included; zeros where the system does not tell.</summary>
    public static ContextSwitches Own() => OperatingSystem.IsLinux() && Environment.Is64BitProcess ? OwnLinux() : default;

    /// <summary>
    /// Of each living thread of another process, by its number; null where it does not exist, may not be read, or the system does not
    /// tell (Windows counts them in performance counters alone). Some 20 µs a thread: take it outside the window.
    /// </summary>
    public static IReadOnlyDictionary<int, ContextSwitches>? OfThreads(int process) =>
        OperatingSystem.IsLinux() ? OfThreadsLinux(process, new SystemFiles()) : null;

    /// <summary>Of all threads of several processes, as <see cref="OfThreads(int)"/>; null where none can be read.</summary>
    public static IReadOnlyDictionary<int, ContextSwitches>? OfThreads(IEnumerable<int> processes)
    {
        var all = new Dictionary<int, ContextSwitches>();
        foreach (var (thread, switches) in processes.SelectMany(process => OfThreads(process) ?? new Dictionary<int, ContextSwitches>()))
            all[thread] = switches;
        return all.Count == 0 ? null : all;
    }

    /// <summary>What came between two readings of <see cref="OfThreads(int)"/>; threads that ended meanwhile are missing.</summary>
    public static ContextSwitches Between(
        IReadOnlyDictionary<int, ContextSwitches> earlier, IReadOnlyDictionary<int, ContextSwitches> later)
    {
        var sum = default(ContextSwitches);
        foreach (var (thread, now) in later)
        {
            // A count below the earlier one is another thread's, which got the number of a thread that ended.
            var then = earlier.TryGetValue(thread, out var found)
                && found.Voluntary <= now.Voluntary && found.Involuntary <= now.Involuntary ? found : default;
            sum = new(sum.Voluntary + now.Voluntary - then.Voluntary, sum.Involuntary + now.Involuntary - then.Involuntary);
        }
        return sum;
    }

    // /proc/self/status has the counts of the main thread alone; getrusage(2) adds up every thread.
    private static ContextSwitches OwnLinux() =>
        getrusage(RusageSelf, out var usage) == 0 ? new(usage[VoluntaryField], usage[InvoluntaryField]) : default;

    private static Dictionary<int, ContextSwitches>? OfThreadsLinux(int process, SystemFiles files)
    {
        var threads = new Dictionary<int, ContextSwitches>();
        try
        {
            foreach (var folder in Directory.EnumerateDirectories(string.Create(CultureInfo.InvariantCulture, $"/proc/{process}/task")))
            {
                // One that ends just now has an empty text.
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

    // struct rusage: two timevals and 14 longs, all of 8 bytes on 64-bit Linux; the two counts are the last.
    [InlineArray(18)]
    private struct ResourceUsage
    {
        private long first;
    }
}
