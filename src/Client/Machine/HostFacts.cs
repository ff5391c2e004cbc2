using System.Runtime.InteropServices;
using IpcBench.Analysis.Results;

namespace IpcBench.Client.Machine;

/// <summary>Reads what a results file keeps about the machine and the runtime. Never throws: what cannot be told stays empty.</summary>
internal static partial class HostFacts
{
    public static HostInfo Read()
    {
        var host = WithRuntime(new HostInfo
        {
            Os = RuntimeInformation.OSDescription,
            Architecture = RuntimeInformation.OSArchitecture.ToString().ToLowerInvariant(),
            LogicalCpus = Environment.ProcessorCount,
            CpuModel = Cpuid.Brand(),
            Virtualization = Cpuid.Hypervisor(),
            MemoryBytes = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes,
            ClientCpus = Affinity.Describe(),
        });
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

    private static HostInfo WithRuntime(HostInfo host) => host with
    {
        Runtime = RuntimeInformation.FrameworkDescription,
        GcMode = RuntimeFacts.GcMode(),
        Tiering = RuntimeFacts.Tiering(),
        RuntimeVariables = RuntimeFacts.Variables(Environment.GetEnvironmentVariables()),
    };
}
