using System.Globalization;

namespace IpcBench.Host;

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

    // In a container, the path may be the path on the host, although the mount begins at the container's own group. So
    // the path and each of its parents are tried.
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

    /// <summary>Reads cpu.max of cgroup version 2: <c>200000 100000</c> is 2 CPUs, and <c>max 100000</c> is no limit.</summary>
    internal static double V2(string cpuMax) => cpuMax.Split(' ') is [var quota, var period] ? V1(quota, period) : 0;

    /// <summary>Reads the quota of cgroup version 1. Quota and period are in µs, and a quota of -1 is no limit.</summary>
    internal static double V1(string quota, string period) =>
        long.TryParse(quota, CultureInfo.InvariantCulture, out var time)
        && long.TryParse(period, CultureInfo.InvariantCulture, out var every)
        && time > 0 && every > 0 ? (double)time / every : 0;
}
