using System.Globalization;

namespace IpcBench.Host;

public sealed partial record HostFacts
{
    // The speed of local transports depends on system calls and socket buffers, so these settings change the results.
    private static readonly string[] Sysctls =
    [
        "net.core.rmem_max", "net.core.wmem_max", "net.core.rmem_default", "net.core.wmem_default",
        "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem", "net.ipv4.tcp_congestion_control", "net.ipv4.tcp_max_syn_backlog",
        "net.ipv4.ip_local_port_range", "fs.file-max", "fs.nr_open",
    ];

    private static readonly string[] SysFiles =
    [
        "/sys/devices/system/cpu/smt/active", "/sys/devices/system/cpu/cpufreq/boost", "/sys/devices/system/cpu/intel_pstate/no_turbo",
        "/sys/devices/system/cpu/vulnerabilities/meltdown", "/sys/devices/system/cpu/vulnerabilities/spectre_v2",
        "/sys/devices/system/cpu/vulnerabilities/retbleed", "/sys/devices/system/cpu/cpu0/cache/index3/size",
        "/sys/kernel/mm/transparent_hugepage/enabled",
    ];

    /// <summary>Adds the facts about the machine that <paramref name="files"/> contain.</summary>
    internal static HostFacts ReadLinux(HostFacts host, ISystemFiles files)
    {
        var cpus = CpuTopology.Read(files);
        var limit = OpenFileLimit.Read();
        return host with
        {
            Os = OsName(files) is { Length: > 0 } name ? name : host.Os,
            Kernel = files.Read("/proc/sys/kernel/osrelease"),
            Virtualization = Host.Virtualization.Describe(files, host.Virtualization),
            CpuQuota = Host.CpuQuota.Read(files),
            CpuModel = cpus.Model.Length > 0 ? cpus.Model : host.CpuModel,
            LogicalCpus = cpus.Logical > 0 ? cpus.Logical : host.LogicalCpus,
            PhysicalCores = cpus.Cores,
            Sockets = cpus.Sockets,
            Governor = files.Read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            ClockSource = files.Read("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
            MemoryBytes = Memory(files.Read("/proc/meminfo")) is > 0 and var bytes ? bytes : host.MemoryBytes,
            OpenFiles = limit.Soft,
            SoMaxConn = int.TryParse(files.Read("/proc/sys/net/core/somaxconn"), CultureInfo.InvariantCulture, out var most) ? most : 0,
            Settings = SettingsOf(files, limit),
        };
    }

    private static SortedDictionary<string, string> SettingsOf(ISystemFiles files, OpenFileLimit limit)
    {
        var settings = new SortedDictionary<string, string>(StringComparer.Ordinal)
        {
            ["open-files-hard"] = limit.Hard.ToString(CultureInfo.InvariantCulture),
        };
        foreach (var name in Sysctls)
            Add(name, files.Read("/proc/sys/" + name.Replace('.', '/')));
        foreach (var path in SysFiles)
            Add(path["/sys/".Length..].Replace("devices/system/", "", StringComparison.Ordinal), files.Read(path));
        return settings;

        void Add(string name, string text)
        {
            if (text.Length > 0)
                settings[name] = text.Replace('\t', ' ');
        }
    }

    // os-release(5) has lines NAME="value". The file in /usr/lib is read only when /etc has no such file.
    private static string OsName(ISystemFiles files)
    {
        var text = files.Read("/etc/os-release") is { Length: > 0 } etc ? etc : files.Read("/usr/lib/os-release");
        return text.Split('\n').FirstOrDefault(line => line.StartsWith("PRETTY_NAME=", StringComparison.Ordinal))
            ?["PRETTY_NAME=".Length..].Trim().Trim('"', '\'') ?? "";
    }

    private static long Memory(string meminfo)
    {
        var words = meminfo.Split('\n')[0].Split(' ', StringSplitOptions.RemoveEmptyEntries);
        return words is ["MemTotal:", var kib, "kB"] && long.TryParse(kib, CultureInfo.InvariantCulture, out var value) ? value * 1024 : 0;
    }
}
