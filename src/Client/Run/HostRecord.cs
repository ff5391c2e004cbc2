using System.Runtime.InteropServices;
using IpcBench.Analysis.Results;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>Makes the part of a results file about the machine and this client's runtime.</summary>
internal static class HostRecord
{
    /// <summary>Reads the facts. Never throws. A fact that cannot be read stays empty.</summary>
    public static HostInfo Read() => From(HostFacts.Read());

    internal static HostInfo From(HostFacts facts) => new()
    {
        Os = facts.Os,
        Kernel = facts.Kernel,
        Architecture = RuntimeInformation.OSArchitecture.ToString().ToLowerInvariant(),
        Virtualization = facts.Virtualization,
        CpuQuota = facts.CpuQuota,
        CpuModel = facts.CpuModel,
        LogicalCpus = facts.LogicalCpus,
        PhysicalCores = facts.PhysicalCores,
        Sockets = facts.Sockets,
        Governor = facts.Governor,
        ClockSource = facts.ClockSource,
        MemoryBytes = facts.MemoryBytes,
        ClientCpus = Affinity.Describe(),
        Runtime = RuntimeInformation.FrameworkDescription,
        GcMode = RuntimeFacts.GcMode(),
        Tiering = RuntimeFacts.Tiering(),
        RuntimeVariables = RuntimeFacts.Variables(Environment.GetEnvironmentVariables()),
        OpenFileLimit = facts.OpenFiles,
        SoMaxConn = facts.SoMaxConn,
        Settings = facts.Settings,
    };
}
