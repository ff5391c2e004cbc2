using System.Diagnostics;
using System.Globalization;

namespace IpcBench.Host.Tests;

public class ProcessClockTests
{
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(60);

    [Fact]
    public void The_clock_of_this_process_agrees_with_its_own_CPU_time()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || OperatingSystem.IsWindows(), "no clock of other processes here");
        var before = Environment.CpuUsage.TotalTime;
        var read = ProcessClock.Read(Environment.ProcessId);
        var after = Environment.CpuUsage.TotalTime;

        Assert.NotNull(read);
        // The tolerance is one step of Windows' clock. Linux rounds Environment.CpuUsage to microseconds.
        Assert.InRange(read.CpuNs, before.TotalNanoseconds - 20_000_000, after.TotalNanoseconds + 20_000_000);
    }

    [Fact]
    public async Task The_CPU_time_of_another_process_is_read_in_nanoseconds()
    {
        using var child = Child.Shell("echo ready; while :; do :; done");
        await child.LineAsync();
        var first = ProcessClock.Read(child.Id)!;
        var readings = new List<long>();
        await UntilAsync(() =>
        {
            var now = ProcessClock.Read(child.Id)!;
            readings.Add(now.CpuNs);
            return now.CpuNs - first.CpuNs > 50_000_000;
        });

        Assert.Equal(readings.Order(), readings);
        Assert.Contains(readings, ns => ns % 10_000_000 != 0); // not a clock with steps of 10 ms
        var used = ProcessClock.Between(first, ProcessClock.Read(child.Id)!);
        Assert.NotNull(used);
        Assert.True(used.Value is { UserNs: > 0, KernelNs: >= 0 }, $"{used}");
        Assert.True(used.Value.UserNs + used.Value.KernelNs >= 50_000_000);
    }

    [Fact]
    public async Task The_measured_CPU_time_of_another_process_is_within_1_percent_of_its_own_measurement()
    {
        // The program uses half a second of CPU time between two input lines, partly in the kernel, and prints how much it used.
        using var child = Child.Python("""
            import sys, time, os
            print("ready"); sys.stdin.readline()
            begin = time.process_time_ns()
            while time.process_time_ns() - begin < 500_000_000: os.stat("/")
            print(time.process_time_ns() - begin); sys.stdin.readline()
            """);
        Assert.Equal("ready", await child.LineAsync());
        await UntilAsync(() => ContextSwitches.OfThreads(child.Id) is { } threads && IsWaiting(child.Id) && threads.Count == 1);
        var before = ProcessClock.Read(child.Id)!;
        child.Write("go");
        var own = long.Parse(await child.LineAsync(), CultureInfo.InvariantCulture);
        await UntilAsync(() => IsWaiting(child.Id));
        var (user, kernel) = ProcessClock.Between(before, ProcessClock.Read(child.Id)!)!.Value;

        Assert.InRange(user + kernel, own, own * 1.01 + 2_000_000);
        Assert.True(user > 0 && kernel > 0, $"user {user}, kernel {kernel}");
    }

    [Fact]
    public async Task CPU_time_of_ended_children_is_counted()
    {
        using var child = Child.Shell(
            "read go; sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'; echo done; read end");
        var before = ProcessClock.Read(child.Id)!;
        child.Write("go");
        await child.LineAsync();
        var after = ProcessClock.Read(child.Id)!;

        var used = ProcessClock.Between(before, after)!.Value;
        Assert.True(after.EndedUserNs > 0, "a loop of 300,000 steps takes more than 10 ms");
        Assert.Equal(after.CpuNs - before.CpuNs + after.EndedUserNs + after.EndedKernelNs, used.UserNs + used.KernelNs);
    }

    [Theory]
    [InlineData(30_000_000, 10_000_000, 30_000_000, 10_000_000)]    // split as by the coarse clock
    [InlineData(0, 0, 20_000_000, 20_000_000)]                      // below a step: split as since the start
    public void CPU_time_of_the_exact_clock_is_split_into_user_and_kernel_as_the_coarse_clock_says(
        long user, long kernel, long expectedUser, long expectedKernel)
    {
        var earlier = new ProcessClock(7, 1_000, 500_000_000, 500_000_000, 0, 0);
        var later = earlier with { CpuNs = 40_001_000, UserNs = 500_000_000 + user, KernelNs = 500_000_000 + kernel };

        Assert.Equal((expectedUser, expectedKernel), ProcessClock.Between(earlier, later));
    }

    [Fact]
    public void Readings_of_two_processes_with_one_id_are_not_subtracted() =>
        Assert.Null(ProcessClock.Between(new(7, 0, 0, 0, 0, 0), new(8, 1000, 0, 0, 0, 0)));

    [Fact]
    public void An_ended_process_has_no_clock()
    {
        int id;
        using (var child = Child.Shell("read end"))
            id = child.Id;

        Assert.Null(ProcessClock.Read(id));
        Assert.Null(ProcessClock.Read(0));
        Assert.Null(ProcessClock.Read(-1));
    }

    [Fact]
    public void The_clock_of_a_thread_counts_its_own_work()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Linux tells it");
        var before = ProcessClock.OfThisThread();
        var start = Stopwatch.GetTimestamp();
        while (ProcessClock.OfThisThread() == before && Stopwatch.GetElapsedTime(start) < Deadline)
        {
        }

        Assert.InRange(ProcessClock.OfThisThread() - before, TimeSpan.FromTicks(1), Deadline);
    }

    [Fact]
    public async Task Context_switches_of_every_thread_of_another_process_are_counted()
    {
        using var child = Child.Python("""
            import sys, threading, time
            def waits():
                for i in range(30): time.sleep(0.001)
                print("waited"); time.sleep(60)
            sys.stdin.readline()
            threading.Thread(target=waits, daemon=True).start()
            sys.stdin.readline()
            """);
        var before = ContextSwitches.OfThreads(child.Id)!;
        child.Write("go");
        Assert.Equal("waited", await child.LineAsync());
        var after = ContextSwitches.OfThreads(child.Id)!;

        Assert.Equal(before.Count + 1, after.Count);
        Assert.True(ContextSwitches.Between(before, after).Voluntary >= 30, $"{ContextSwitches.Between(before, after)}");
    }

    [Fact]
    public void Context_switches_are_never_negative_when_threads_start_or_end()
    {
        var before = new Dictionary<int, ContextSwitches> { [1] = new(10, 1), [2] = new(1000, 5), [3] = new(70, 0) };
        var after = new Dictionary<int, ContextSwitches> { [1] = new(15, 2), [3] = new(4, 1), [4] = new(2, 0) };

        Assert.Equal(new ContextSwitches(5 + 4 + 2, 1 + 1 + 0), ContextSwitches.Between(before, after));
    }

    [Fact]
    public void Context_switches_are_read_from_a_status_file() => Assert.Equal(
        new ContextSwitches(150, 545),
        ContextSwitches.Parse("Name:\tx\nMems_allowed_list:\t0\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545"));

    [Fact]
    public void A_process_that_does_not_exist_has_no_threads() => Assert.Null(ContextSwitches.OfThreads(int.MaxValue));

    /// <summary>Whether the process sleeps, which means that its work is done.</summary>
    private static bool IsWaiting(int process) =>
        File.ReadAllText($"/proc/{process}/stat").Split(") ")[^1].StartsWith('S');

    private static async Task UntilAsync(Func<bool> isSo)
    {
        var start = Stopwatch.GetTimestamp();
        while (!isSo())
        {
            Assert.True(Stopwatch.GetElapsedTime(start) < Deadline, "too late");
            await Task.Delay(5, TestContext.Current.CancellationToken);
        }
    }
}
