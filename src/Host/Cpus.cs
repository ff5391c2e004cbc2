using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace IpcBench.Host;

/// <summary>CPUs by number, written as the kernel writes them: <c>0-1,3</c>.</summary>
public sealed class CpuSet
{
    /// <summary>
    /// The largest CPU number. A larger number must be a typing error, because Linux can be
    /// built for at most 8192 CPUs (CONFIG_NR_CPUS).
    /// </summary>
    private const int Largest = 8191;

    private CpuSet(IEnumerable<int> cpus) => Cpus = [.. cpus.Distinct().Order()];

    /// <summary>The CPUs, ascending, without repetition, never empty.</summary>
    public IReadOnlyList<int> Cpus { get; }

    public static CpuSet From(params IEnumerable<int> cpus) => new(cpus);

    /// <summary>Reads <c>0-1,3</c>. On failure, <paramref name="error"/> is one sentence.</summary>
    public static bool TryParse(string text, [NotNullWhen(true)] out CpuSet? set, [NotNullWhen(false)] out string? error)
    {
        (set, error) = (null, $"'{text}' is not a CPU set: write numbers and ranges, as in 0-1,3");
        var cpus = new List<int>();
        foreach (var part in text.Split(',', StringSplitOptions.TrimEntries))
        {
            if (Range(part) is not { } range)
                return false;
            cpus.AddRange(Enumerable.Range(range.First, range.Last - range.First + 1));
        }
        (set, error) = (new CpuSet(cpus), null);
        return true;
    }

    /// <summary>Returns the shortest text that <see cref="TryParse"/> reads back.</summary>
    public override string ToString()
    {
        var parts = new List<string>();
        for (var i = 0; i < Cpus.Count;)
        {
            var first = i;
            while (++i < Cpus.Count && Cpus[i] == Cpus[i - 1] + 1)
            {
            }
            var last = i - first == 1 ? "" : "-" + Text(Cpus[i - 1]);
            parts.Add(Text(Cpus[first]) + last);
        }
        return string.Join(',', parts);
    }

    private static (int First, int Last)? Range(string part)
    {
        var ends = part.Split('-');
        if (ends.Length > 2 || !Number(ends[0], out var first) || !Number(ends[^1], out var last) || last < first)
            return null;
        return (first, last);
    }

    private static string Text(int cpu) => cpu.ToString(CultureInfo.InvariantCulture);

    private static bool Number(string text, out int value) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out value) && value <= Largest;
}

/// <summary>The CPUs, cores and sockets that Linux reports, and the model name. Unknown numbers are 0.</summary>
internal sealed record CpuTopology(string Model, int Logical, int Cores, int Sockets)
{
    public static CpuTopology Read(ISystemFiles files)
    {
        var cpuinfo = files.Read("/proc/cpuinfo");
        var online = CpuSet.TryParse(files.Read("/sys/devices/system/cpu/online"), out var set, out _) ? set.Cpus : [];
        var places = online.Select(cpu => Place(files, cpu)).OfType<(string Package, string Core)>().ToList();
        return new CpuTopology(
            ModelName(cpuinfo),
            online.Count,
            places.Distinct().Count(),
            places.Select(place => place.Package).Distinct().Count());
    }

    private static (string Package, string Core)? Place(ISystemFiles files, int cpu)
    {
        var folder = string.Create(CultureInfo.InvariantCulture, $"/sys/devices/system/cpu/cpu{cpu}/topology/");
        var core = files.Read(folder + "core_id");
        return core.Length == 0 ? null : (files.Read(folder + "physical_package_id"), core);
    }

    // x86 calls the field "model name". Other processors use "Model", "cpu model" or "cpu".
    private static string ModelName(string cpuinfo)
    {
        string[] names = ["model name", "Model", "cpu model", "cpu"];
        var fields = cpuinfo.Split('\n')
            .Select(line => line.Split(':', 2))
            .Where(parts => parts.Length == 2)
            .Select(parts => (Name: parts[0].Trim(), Value: parts[1].Trim()))
            .ToList();
        var values = names.Select(name => fields.FirstOrDefault(field => field.Name == name).Value);
        return values.FirstOrDefault(value => !string.IsNullOrEmpty(value)) ?? "";
    }
}

/// <summary>The quota of CPU time that the cgroups of this process set, in CPUs.</summary>
internal static class CpuQuota
{
    private static readonly string[] V2Mounts = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
    private static readonly string[] V1Mounts = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpuacct,cpu"];

    /// <summary>Reads the lowest quota of this process's cgroup and of its parents up to the root. 0 without a quota.</summary>
    public static double Read(ISystemFiles files)
    {
        var quotas = files.Read("/proc/self/cgroup").Split('\n').SelectMany(line => Quotas(files, line)).Where(quota => quota > 0).ToList();
        return quotas.Count == 0 ? 0 : quotas.Min();
    }

    // A line is "hierarchy:controllers:path" (cgroups(7)). Version 2 has hierarchy 0 and no controllers.
    private static IEnumerable<double> Quotas(ISystemFiles files, string line) => line.Split(':', 3) switch
    {
        ["0", "", var path] => Folders(V2Mounts, path).Select(folder => V2(files.Read(folder + "/cpu.max"))),
        [_, var controllers, var path] when controllers.Split(',').Contains("cpu") =>
            Folders(V1Mounts, path)
                .Select(folder => V1(files.Read(folder + "/cpu.cfs_quota_us"), files.Read(folder + "/cpu.cfs_period_us"))),
        _ => [],
    };

    // In a container the path may be that of the host, although the mount begins at the container's own group. So the
    // path and each of its parents are tried.
    private static IEnumerable<string> Folders(string[] mounts, string path)
    {
        for (var current = path.Trim().TrimEnd('/'); ; current = current[..current.LastIndexOf('/')])
        {
            foreach (var mount in mounts)
                yield return mount + current;
            if (!current.Contains('/', StringComparison.Ordinal))
                yield break;
        }
    }

    /// <summary>Reads the quota of version 2: <c>200000 100000</c> is 2 CPUs, and <c>max 100000</c> is no limit.</summary>
    internal static double V2(string cpuMax) => cpuMax.Split(' ') is [var quota, var period] ? V1(quota, period) : 0;

    /// <summary>Reads the quota of version 1. Quota and period are in µs, and a quota of -1 is no limit.</summary>
    internal static double V1(string quota, string period) =>
        long.TryParse(quota, CultureInfo.InvariantCulture, out var time)
        && long.TryParse(period, CultureInfo.InvariantCulture, out var every)
        && time > 0 && every > 0 ? (double)time / every : 0;
}
