using System.Collections;

namespace IpcBench.Host.Tests;

public class HostFactsTests
{
    [Fact]
    public void The_facts_of_this_machine_name_the_system_and_the_CPUs_and_the_memory()
    {
        var host = HostFacts.Read();

        Assert.NotEmpty(host.Os);
        Assert.NotEmpty(host.Kernel);
        Assert.True(host.LogicalCpus >= Environment.ProcessorCount || host.CpuQuota > 0, $"{host.LogicalCpus} CPUs");
        Assert.InRange(host.PhysicalCores, 0, host.LogicalCpus);
        Assert.True(host.MemoryBytes > 100_000_000);
    }

    [Fact]
    public void On_Linux_limits_and_kernel_settings_are_read()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "reads /proc");
        var host = HostFacts.Read();

        Assert.True(host.OpenFiles >= 64);
        Assert.True(host.SoMaxConn > 0);
        Assert.Equal(3, host.Settings["net.ipv4.tcp_rmem"].Split(' ').Length);
        Assert.NotEmpty(host.ClockSource);
    }

    [Fact]
    public void The_facts_of_a_Linux_machine_are_read_from_its_system_files()
    {
        var host = HostFacts.ReadLinux(new HostFacts { Os = "Linux 6.8" }, new CapturedFiles(
            ("/etc/os-release", "NAME=\"Ubuntu\"\nPRETTY_NAME=\"Ubuntu 24.04.1 LTS\"\nID=ubuntu\n"),
            ("/proc/sys/kernel/osrelease", "6.8.0-45-generic\n"),
            ("/proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC 7763 64-Core Processor\n"),
            ("/sys/devices/system/cpu/online", "0-3\n"),
            ("/sys/devices/system/cpu/cpu0/topology/core_id", "0\n"),
            ("/sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n"),
            ("/sys/devices/system/cpu/cpu1/topology/core_id", "0\n"),
            ("/sys/devices/system/cpu/cpu1/topology/physical_package_id", "0\n"),
            ("/sys/devices/system/cpu/cpu2/topology/core_id", "0\n"),
            ("/sys/devices/system/cpu/cpu2/topology/physical_package_id", "1\n"),
            ("/sys/devices/system/cpu/cpu3/topology/core_id", "0\n"),
            ("/sys/devices/system/cpu/cpu3/topology/physical_package_id", "1\n"),
            ("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
            ("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
            ("/proc/meminfo", "MemTotal:       16384 kB\nMemFree:  1 kB\n"),
            ("/proc/sys/net/core/somaxconn", "4096\n"),
            ("/proc/sys/net/ipv4/tcp_wmem", "4096\t16384\t4194304\n")));

        Assert.Equal("Ubuntu 24.04.1 LTS", host.Os);
        Assert.Equal("6.8.0-45-generic", host.Kernel);
        Assert.Equal("AMD EPYC 7763 64-Core Processor", host.CpuModel);
        Assert.Equal((4, 2, 2), (host.LogicalCpus, host.PhysicalCores, host.Sockets));
        Assert.Equal(("powersave", "tsc", 4096), (host.Governor, host.ClockSource, host.SoMaxConn));
        Assert.Equal(16384 * 1024L, host.MemoryBytes);
        Assert.Equal("4096 16384 4194304", host.Settings["net.ipv4.tcp_wmem"]);
    }

    [Fact]
    public void Known_facts_are_kept_when_system_files_are_missing()
    {
        var host = HostFacts.ReadLinux(new HostFacts { Os = "Linux", LogicalCpus = 8, MemoryBytes = 5 }, new CapturedFiles());

        Assert.Equal(("Linux", ""), (host.Os, host.Kernel));
        Assert.Equal((8, 0, 5L, 0.0), (host.LogicalCpus, host.PhysicalCores, host.MemoryBytes, host.CpuQuota));
    }

    [Theory]
    [InlineData("381b4222-f694-41f0-9685-ff5bb260df2e", "Balanced")]
    [InlineData("8C5E7FDA-E8BF-4A96-9A85-A6E23A8C635C", "High performance")]
    [InlineData("a1841308-3541-4fab-bc81-f71556f20b4a", "Power saver")]
    [InlineData("e9a42b02-d5df-448d-aa00-03f14749eb61", null)] // a plan that the user made has a name of its own
    public void The_power_plans_of_Windows_have_English_names_on_every_system(string number, string? name) =>
        Assert.Equal(name, HostFacts.PlanOf(Guid.Parse(number)));

    [Fact]
    public void Only_known_runtime_variables_are_kept()
    {
        var variables = RuntimeFacts.Variables(new Hashtable
        {
            ["DOTNET_TieredPGO"] = "0",
            ["COMPlus_gcServer"] = "1",
            ["PATH"] = "/bin",
            ["MYDOTNET_X"] = "1",
            ["DOTNET_ApiKey"] = "s3cret",
        });

        Assert.Equal(["COMPlus_gcServer", "DOTNET_TieredPGO"], variables.Keys);
    }
}
