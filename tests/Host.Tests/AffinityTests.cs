using System.Diagnostics;

namespace IpcBench.Host.Tests;

public class AffinityTests
{
    [Fact]
    public async Task A_child_process_starts_on_the_given_CPUs_and_the_parent_keeps_its_own_CPUs()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "asks grep and /proc");
        var before = Affinity.Current()?.ToString();
        var last = Affinity.Available()!.Cpus[^1];
        var info = new ProcessStartInfo("grep", ["Cpus_allowed_list", "/proc/self/status"]) { RedirectStandardOutput = true };

        using var child = Affinity.Start(info, CpuSet.From(last));
        var said = await child.StandardOutput.ReadToEndAsync().WaitAsync(TimeSpan.FromSeconds(20));
        await child.WaitForExitAsync().WaitAsync(TimeSpan.FromSeconds(20));

        Assert.Equal($"{last}", said.Split(':')[1].Trim());
        Assert.Equal(before, Affinity.Current()?.ToString());
    }

    [Fact]
    public void Reading_the_available_CPUs_changes_no_affinity()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || OperatingSystem.IsWindows(), "no affinity here");
        var before = Affinity.Current();

        var available = Affinity.Available();

        Assert.NotNull(before);
        Assert.NotNull(available);
        Assert.Subset(available.Cpus.ToHashSet(), before.Cpus.ToHashSet());
        Assert.Equal(before.ToString(), Affinity.Current()?.ToString());
    }
}
