using System.Runtime.InteropServices;

namespace IpcBench.Host;

/// <summary>What the system reports about the machine. Unknown texts are empty, unknown numbers 0.</summary>
public sealed partial record HostFacts
{
    public string Os { get; init; } = "";
    public string Kernel { get; init; } = "";

    /// <summary>Hypervisor and container, e.g. <c>kvm, docker</c>. Empty on bare metal.</summary>
    public string Virtualization { get; init; } = "";

    /// <summary>The quota of CPU time in CPUs. 0 without a quota.</summary>
    public double CpuQuota { get; init; }

    public string CpuModel { get; init; } = "";
    public int LogicalCpus { get; init; }
    public int PhysicalCores { get; init; }
    public int Sockets { get; init; }
    public string Governor { get; init; } = "";
    public string ClockSource { get; init; } = "";
    public long MemoryBytes { get; init; }

    /// <summary>How many files this process may have open (the soft limit).</summary>
    public long OpenFiles { get; init; }

    /// <summary>The longest possible accept queue (net.core.somaxconn).</summary>
    public int SoMaxConn { get; init; }

    /// <summary>Kernel settings that change the results of local transports, by name, e.g. <c>net.ipv4.tcp_rmem</c>.</summary>
    public IReadOnlyDictionary<string, string> Settings { get; init; } = new Dictionary<string, string>();

    /// <summary>Reads all facts. Never throws. A fact that cannot be read stays empty.</summary>
    public static HostFacts Read()
    {
        var host = new HostFacts
        {
            Os = RuntimeInformation.OSDescription,
            LogicalCpus = Environment.ProcessorCount,
            CpuModel = Cpuid.Brand(),
            Virtualization = Cpuid.Hypervisor(),
            MemoryBytes = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes,
        };
        try
        {
            return OperatingSystem.IsLinux() ? ReadLinux(host, new SystemFiles())
                : OperatingSystem.IsWindows() ? ReadWindows(host)
                : host;
        }
        catch (Exception e) when (e is not OutOfMemoryException)
        {
            // A sandbox or an unusual kernel may hide a fact. A benchmark must not fail because of that.
            return host;
        }
    }
}
