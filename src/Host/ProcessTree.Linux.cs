using System.Globalization;
using System.Runtime.InteropServices;

namespace IpcBench.Host;

public sealed partial class ProcessTree
{
    private const long TickNs = 10_000_000; // USER_HZ, the unit of /proc/<pid>/stat, is 100 on every architecture that .NET supports

    private const int NoSuchProcess = 3, KillNow = 9, Stop = 19; // ESRCH, and SIGKILL and SIGSTOP of signal(7)

    // Indexes of proc_pid_stat(5), counted from the field after the program's name: state, ppid, …, flags, …, utime,
    // stime, cutime, cstime, …, starttime, vsize, rss.
    private const int Parent = 1, Flags = 6, User = 11, Kernel = 12, EndedUser = 13, EndedKernel = 14, Start = 19, Pages = 21;

    /// <summary>
    /// Makes the clock of a process from the numbers of <see cref="StatOf"/> and the fine clock, which was read just before.
    /// </summary>
    internal static ProcessClock ClockOf(long[] stat, long cpuNs) =>
        new(stat[Start], cpuNs, stat[User] * TickNs, stat[Kernel] * TickNs, stat[EndedUser] * TickNs, stat[EndedKernel] * TickNs)
        {
            Flags = stat[Flags],
            Parent = (int)stat[Parent],
            WorkingSetBytes = stat[Pages] * Environment.SystemPageSize,
        };

    /// <summary>
    /// Reads the numbers of /proc/id/stat after the name, which may itself hold blanks and brackets. Null when the process has ended.
    /// </summary>
    internal static long[]? StatOf(ISystemFiles files, int id)
    {
        var text = files.Read(string.Create(CultureInfo.InvariantCulture, $"/proc/{id}/stat"));
        var words = text[(text.LastIndexOf(')') + 1)..].Split(' ', StringSplitOptions.RemoveEmptyEntries);
        return words.Length <= Pages ? null : [.. words.Take(Pages + 1).Select(Number)];
    }

    /// <summary>Lists the ids of all processes that this process can see.</summary>
    internal static IEnumerable<int> Numbers()
    {
        foreach (var folder in Directory.EnumerateDirectories("/proc"))
        {
            if (int.TryParse(Path.GetFileName(folder), NumberStyles.None, CultureInfo.InvariantCulture, out var id))
                yield return id;
        }
    }

    // A stopped process (SIGSTOP) starts no new processes. So the loop ends when each process of the family is stopped.
    private static bool KillLinux(int root)
    {
        var family = new HashSet<int>();
        if (Family([root], Parents(), StartOf).Contains(Environment.ProcessId))
            return false;
        while (Family([root], Parents(), StartOf).Where(family.Add).ToList() is { Count: > 0 } found)
            found.ForEach(one => _ = kill(one, Stop));
        return family.Count(one => kill(one, KillNow) != 0 && Marshal.GetLastPInvokeError() != NoSuchProcess) == 0;

        static long? StartOf(int one) => ProcessClock.Read(one)?.StartTicks;
    }

    private static Dictionary<int, int> ParentsLinux()
    {
        var (parents, files) = (new Dictionary<int, int>(), new SystemFiles());
        foreach (var id in Numbers())
        {
            if (StatOf(files, id) is { } stat)
                parents[id] = (int)stat[Parent];
        }
        return parents;
    }

    private static string NameOfLinux(int process) =>
        new SystemFiles().Read(string.Create(CultureInfo.InvariantCulture, $"/proc/{process}/comm")).Trim();

    [LibraryImport("libc", SetLastError = true)]
    private static partial int kill(int process, int signal);

    private static long Number(string word) => long.TryParse(word, CultureInfo.InvariantCulture, out var value) ? value : 0;
}
