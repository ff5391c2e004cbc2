using System.Diagnostics;
using IpcBench.Client.Machine;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;

namespace IpcBench.Client.Tests.Machine;

public class AffinityTests
{
    [Fact]
    public async Task A_child_starts_on_its_set_and_this_process_keeps_its_own()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "asks grep and /proc");
        var before = Affinity.Current()?.ToString();
        var last = Affinity.Available()!.Cpus[^1];
        var info = new ProcessStartInfo("grep", ["Cpus_allowed_list", "/proc/self/status"]) { RedirectStandardOutput = true };

        using var child = Affinity.Start(info, CpuSet.Of(last));
        var said = await child.StandardOutput.ReadToEndAsync().WaitAsync(TimeSpan.FromSeconds(20));
        await child.WaitForExitAsync().WaitAsync(TimeSpan.FromSeconds(20));

        Assert.Equal($"{last}", said.Split(':')[1].Trim());
        Assert.Equal(before, Affinity.Current()?.ToString());
    }

    [Fact]
    public void Asking_what_is_available_moves_nothing()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || OperatingSystem.IsWindows(), "no affinity here");
        var before = Affinity.Current();

        var available = Affinity.Available();

        Assert.NotNull(before);
        Assert.NotNull(available);
        Assert.Subset(available.Cpus.ToHashSet(), before.Cpus.ToHashSet());
        Assert.Equal(before.ToString(), Affinity.Current()?.ToString());
    }

    [Theory]
    [InlineData("0,2", "0,2")]
    [InlineData("1-3", "1-3")]
    public void A_set_of_CPUs_that_are_there_is_taken(string text, string expected) =>
        Assert.Equal(expected, Affinity.Parse(text, "--client-cpus", CpuSet.Of(0, 1, 2, 3)).ToString());

    [Theory]
    [InlineData("2-5", "there is no CPU 4-5 for this process, only 0-3")]
    [InlineData("one", "'one' is no CPU set")]
    public void Another_is_a_usage_error_that_names_what_is_there(string text, string expected)
    {
        var error = Assert.Throws<UsageException>(() => Affinity.Parse(text, "--client-cpus", CpuSet.Of(0, 1, 2, 3)));

        Assert.Contains("--client-cpus", error.Message);
        Assert.Contains(expected, error.Message);
    }

    [Fact]
    public void Without_affinity_the_option_is_a_usage_error() =>
        Assert.Throws<UsageException>(() => Affinity.Parse("0", "--server-cpus", null));

    [Fact]
    public void A_process_that_has_its_set_is_not_started_again()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || OperatingSystem.IsWindows(), "no affinity here");

        Assert.Null(Relaunch.Under(Affinity.Current()!, []));
    }
}
