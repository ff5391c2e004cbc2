using System.Runtime.InteropServices;

namespace IpcBench.Host;

/// <summary>What the system tells about the machine. Unknown texts are empty, unknown numbers 0.</summary>
public sealed partial record HostFacts
{
    public string Os { get; init; } = "";
    public string Kernel { get; init; } = "";

    /// <summary>Hypervisor and container, e.g. <c>kvm, docker</c>; empty on bare metal.</summary>
    public string Virtualization { get; init; } = "";

    /// <summary>CPUs' worth of time that this process may use; 0 when not limited.</summary>
    public double CpuQuota { get; init; }

    public string CpuModel { get; init; } = "";
    public int LogicalCpus { get; init; }
    public int PhysicalCores { get; init; }
    public int Sockets { get; init; }
    public string Governor { get; init; } = "";
    public string ClockSource { get; init; } = "";
    public long MemoryBytes { get; init; }

    /// <summary>Open files: soft limit.</summary>
    public long OpenFiles { get; init; }

    /// <summary>Longest accept queue (net.core.somaxconn).</summary>
    public int SoMaxConn { get; init; }

    /// <summary>Settings of the kernel that move the results of local transports, by name, e.g. <c>net.ipv4.tcp_rmem</c>.</summary>
    public IReadOnlyDictionary<string, string> Settings { get; init; } = new Dictionary<string, string>();

    /// <summary>Never throws: what cannot be told stays empty.</summary>
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
            // A benchmark must not fail for want of a description: an odd kernel or a sandbox leaves the rest empty.
            return host;
        }
    }
}
