using System.Runtime.InteropServices;
using IpcBench.Client.Run;
using IpcBench.Host;

namespace IpcBench.Client.Tests.Run;

public class HostRecordTests
{
    [Fact]
    public void The_record_has_the_machine_the_runtime_and_the_CPUs()
    {
        var host = HostRecord.Read();

        Assert.NotEmpty(host.Os);
        Assert.NotEmpty(host.Architecture);
        Assert.Equal(RuntimeInformation.FrameworkDescription, host.Runtime);
        Assert.Contains("tiered compilation on", host.Tiering);
        Assert.StartsWith("workstation", host.GcMode);
        Assert.Equal(Affinity.Describe(), host.ClientCpus);
    }

    [Fact]
    public void Every_fact_of_the_system_reaches_the_record()
    {
        var settings = new Dictionary<string, string> { ["fs.nr_open"] = "9" };
        var facts = new HostFacts
        {
            Os = "os",
            Kernel = "kernel",
            Virtualization = "kvm",
            CpuQuota = 1.5,
            CpuModel = "model",
            LogicalCpus = 8,
            PhysicalCores = 4,
            Sockets = 2,
            Governor = "governor",
            ClockSource = "tsc",
            MemoryBytes = 5,
            OpenFiles = 6,
            SoMaxConn = 7,
            Settings = settings,
        };

        var host = HostRecord.From(facts);

        Assert.Equal(("os", "kernel", "kvm", 1.5, "model"), (host.Os, host.Kernel, host.Virtualization, host.CpuQuota, host.CpuModel));
        Assert.Equal((8, 4, 2, "governor", "tsc"), (host.LogicalCpus, host.PhysicalCores, host.Sockets, host.Governor, host.ClockSource));
        Assert.Equal((5, 6, 7), (host.MemoryBytes, host.OpenFileLimit, host.SoMaxConn));
        Assert.Same(settings, host.Settings);
    }
}
