using System.Diagnostics;
using System.Globalization;
using IpcBench.Client.Run;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Host;

namespace IpcBench.Client.Tests.Run;

public class ProcessTreeTests
{
    [Fact]
    public Task The_CPU_time_of_a_spinning_process_agrees_with_its_own_clock() => TestLoad.InTheEndAsync(async () =>
    {
        using var spinner = Shell("while :; do :; done");
        await AssertSpunAsync(spinner, TimeSpan.FromSeconds(1));
    });

    [Fact]
    public async Task Children_that_start_or_end_between_two_readings_count()
    {
        using var parent = Shell("read go; for i in 1 2 3; do sh -c 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done'; done; read end");
        var tree = Found(parent);
        var before = tree.Read();
        parent.StandardInput.WriteLine();
        var spun = await UntilAsync(() => Used(before, tree) > 300_000_000);
        Kill(parent);
        Assert.True(spun);
    }

    [Fact]
    public void A_process_that_ended_makes_the_usage_unknown()
    {
        using var process = Shell("read end");
        var tree = Found(process);
        var before = tree.Read();
        Assert.NotNull(Usage.Between(before, tree.Complete(tree.Read()), 1));
        Kill(process);
        Assert.Null(Usage.Between(before, tree.Complete(tree.Read()), 1));
    }

    [Fact]
    public async Task Only_CPU_time_after_the_first_reading_counts_for_a_child_that_ran_before()
    {
        // The child used CPU time before the first reading. At its end, the parent's counters include that time.
        using var parent = Shell($"sh -c '{Loop(400_000)}; echo used; read go; {Loop(100_000)}'; echo ended; read end");
        Assert.Equal("used", await parent.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken));
        var tree = Found(parent);
        var before = tree.Read();
        var child = Assert.Single(before.Clocks, clock => clock.Key != parent.Id).Value;
        parent.StandardInput.WriteLine();
        Assert.Equal("ended", await parent.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken));
        var used = Used(before, tree);
        Kill(parent);
        // A quarter of the time that the child had used before. Five quarters would be the sum of both.
        Assert.InRange(used, child.CpuNs / 50, child.CpuNs * 4 / 5);

        static string Loop(int count) => $"i=0; while [ $i -lt {count} ]; do i=$((i+1)); done";
    }

    [Fact]
    public void CPU_time_of_an_ended_child_is_not_subtracted_if_the_parent_did_not_wait_for_the_child()
    {
        var root = new ProcessClock(1, 1_000_000_000, 500_000_000, 500_000_000, 0, 0);
        var child = new ProcessClock(2, 9_000_000_000, 9_000_000_000, 0, 0, 0);
        var earlier = new TreeReading([7], new Dictionary<int, ProcessClock> { [7] = root, [8] = child });
        var later = new TreeReading([7], new Dictionary<int, ProcessClock>
        {
            [7] = root with { CpuNs = 1_200_000_000, UserNs = 600_000_000, KernelNs = 600_000_000 },
            [8] = new(3, 50_000_000, 0, 50_000_000, 0, 0), // another child has its id now
        });

        Assert.Equal((100_000_000, 150_000_000), TreeReading.Between(earlier, later));
        Assert.Null(TreeReading.Between(earlier, earlier with { Clocks = new Dictionary<int, ProcessClock> { [8] = child } }));
    }

    [Fact]
    public async Task An_ended_process_is_no_descendant_any_more()
    {
        using var parent = Shell("read go; sleep 1000 & echo $!; wait; read end");
        parent.StandardInput.WriteLine();
        var told = await parent.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken);
        var child = int.Parse(told!, CultureInfo.InvariantCulture);
        var tree = Found(parent);
        Assert.Equal([child], tree.Descendants);
        using (var process = Process.GetProcessById(child))
            Kill(process);
        var isGone = await UntilAsync(() => tree.Descendants.Count == 0);
        Kill(parent);
        Assert.True(isGone);
    }

    // No speed is asserted: the usage is compared with .NET's clock of the same process.
    private static async Task AssertSpunAsync(Process spinner, TimeSpan time)
    {
        var tree = Found(spinner);
        var before = tree.Read();
        var own = spinner.TotalProcessorTime;
        await Task.Delay(time, TestContext.Current.CancellationToken);
        var usage = Usage.Between(before, tree.Complete(tree.Read()), 5);
        spinner.Refresh();
        var used = (spinner.TotalProcessorTime - own).TotalNanoseconds;
        Kill(spinner);
        Assert.NotNull(usage);
        // The two clocks are read a moment apart, which is long on a busy machine.
        Assert.InRange(usage.CpuUserNs + usage.CpuKernelNs, Math.Max(10_000_000, used - 200_000_000), used + 200_000_000);
        Assert.True(usage.WorkingSetBytes > 100_000);
        Assert.Equal(5, usage.Calls);
    }

    private static ProcessTree Found(Process process)
    {
        var tree = new ProcessTree([process.Id]);
        tree.Find();
        return tree;
    }

    private static long Used(TreeReading before, ProcessTree tree) =>
        Usage.Between(before, tree.Complete(tree.Read()), 1) is { } usage ? usage.CpuUserNs + usage.CpuKernelNs : 0;

    private static Process Shell(string script)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "starts a shell");
        return Process.Start(
            new ProcessStartInfo("/bin/sh", ["-c", script]) { RedirectStandardInput = true, RedirectStandardOutput = true })!;
    }

    private static void Kill(Process process)
    {
        ProcessTree.Kill(process.Id);
        Assert.True(process.WaitForExit(10_000));
    }

    private static async Task<bool> UntilAsync(Func<bool> isSo)
    {
        for (var i = 0; i < 300; i++)
        {
            if (isSo())
                return true;
            await Task.Delay(100, TestContext.Current.CancellationToken);
        }
        return false;
    }
}
