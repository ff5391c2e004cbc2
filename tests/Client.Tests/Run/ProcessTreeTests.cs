using System.Diagnostics;
using IpcBench.Client.Run;
using IpcBench.Host;

namespace IpcBench.Client.Tests.Run;

public class ProcessTreeTests
{
    [Fact]
    public async Task The_time_of_a_spinning_process_is_its_own()
    {
        using var spinner = Shell("while :; do :; done");
        await AssertSpunAsync(spinner, TimeSpan.FromSeconds(1));
    }

    [Fact]
    public async Task Children_count_also_those_that_came_or_ended_meanwhile()
    {
        using var parent = Shell("read go; for i in 1 2 3; do sh -c 'i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done'; done; read end");
        var before = ProcessTree.Take([parent.Id])!;
        parent.StandardInput.WriteLine();
        var spun = await UntilAsync(() => Used(before, parent) > 300_000_000);
        Kill(parent);
        Assert.True(spun);
    }

    [Fact]
    public void A_process_that_ended_makes_the_usage_unknown()
    {
        using var process = Shell("read end");
        var before = ProcessTree.Take([process.Id]);
        Assert.NotNull(Usage.Between(before, ProcessTree.Take([process.Id]), 1));
        Kill(process);
        Assert.Null(Usage.Between(before, ProcessTree.Take([process.Id]), 1));
    }

    [Fact]
    public void Nobody_asked_for_is_nothing_known() => Assert.Null(ProcessTree.Take([]));

    // No speed is asserted: the process's own clock is compared with ours of the same process.
    private static async Task AssertSpunAsync(Process spinner, TimeSpan time)
    {
        var before = ProcessTree.Take([spinner.Id])!;
        var own = spinner.TotalProcessorTime;
        await Task.Delay(time, TestContext.Current.CancellationToken);
        var usage = Usage.Between(before, ProcessTree.Take([spinner.Id]), 5);
        spinner.Refresh();
        var used = (spinner.TotalProcessorTime - own).TotalNanoseconds;
        Kill(spinner);
        Assert.NotNull(usage);
        // The readings are a little apart, and on a busy machine that is a while.
        Assert.InRange(usage.CpuUserNs + usage.CpuKernelNs, Math.Max(10_000_000, used - 200_000_000), used + 200_000_000);
        Assert.True(usage.WorkingSetBytes > 100_000);
        Assert.Equal(5, usage.Calls);
    }

    private static long Used(ProcessTree before, Process process) =>
        Usage.Between(before, ProcessTree.Take([process.Id]), 1) is { } usage ? usage.CpuUserNs + usage.CpuKernelNs : 0;

    private static Process Shell(string script)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "starts a shell");
        return Process.Start(new ProcessStartInfo("/bin/sh", ["-c", script]) { RedirectStandardInput = true })!;
    }

    private static void Kill(Process process)
    {
        process.Kill(entireProcessTree: true);
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
