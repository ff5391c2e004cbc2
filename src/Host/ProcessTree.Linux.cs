using System.Globalization;

namespace IpcBench.Host;

public sealed partial record ProcessTree
{
    private const long TickNs = 10_000_000;     // USER_HZ, the unit of /proc/<pid>/stat, is 100 on every architecture .NET runs on

    // proc_pid_stat(5), counted from behind the program's name: state, ppid, …, utime, stime, cutime, cstime, …, rss.
    private const int Parent = 1, User = 11, Kernel = 12, EndedUser = 13, EndedKernel = 14, Pages = 21;

    private static ProcessTree TakeLinux(IReadOnlyList<int> roots)
    {
        var all = new Dictionary<int, long[]>();
        foreach (var id in Numbers())
        {
            if (StatOf(new SystemFiles(), id) is { } stat)
                all[id] = stat;
        }
        var family = Family(roots, all.ToLookup(one => (int)one.Value[Parent], one => one.Key));
        var stats = family.Where(all.ContainsKey).Select(id => all[id]).ToList();
        // A child that was waited for has its time in its parent's cutime: the sum neither loses nor doubles it.
        return new ProcessTree(
            roots.Count(all.ContainsKey),
            stats.Sum(stat => stat[User] + stat[EndedUser]) * TickNs,
            stats.Sum(stat => stat[Kernel] + stat[EndedKernel]) * TickNs,
            stats.Sum(stat => stat[Pages]) * Environment.SystemPageSize);
    }

    /// <summary>CPU times in ns of one line of <see cref="StatOf"/>, the process's own and those of its ended children.</summary>
    internal static (long User, long Kernel, long EndedUser, long EndedKernel) TimesOf(long[] stat) =>
        (stat[User] * TickNs, stat[Kernel] * TickNs, stat[EndedUser] * TickNs, stat[EndedKernel] * TickNs);

    /// <summary>The numbers behind the name, which may itself hold blanks and brackets; null when the process is gone.</summary>
    internal static long[]? StatOf(ISystemFiles files, int id)
    {
        var text = files.Read(string.Create(CultureInfo.InvariantCulture, $"/proc/{id}/stat"));
        var words = text[(text.LastIndexOf(')') + 1)..].Split(' ', StringSplitOptions.RemoveEmptyEntries);
        return words.Length <= Pages ? null : [.. words.Take(Pages + 1).Select(Number)];
    }

    /// <summary>All processes that this one sees.</summary>
    internal static IEnumerable<int> Numbers()
    {
        foreach (var folder in Directory.EnumerateDirectories("/proc"))
        {
            if (int.TryParse(Path.GetFileName(folder), NumberStyles.None, CultureInfo.InvariantCulture, out var id))
                yield return id;
        }
    }

    private static long Number(string word) => long.TryParse(word, CultureInfo.InvariantCulture, out var value) ? value : 0;
}
