using System.Diagnostics;
using IpcBench.Client.Run;
using IpcBench.Host;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Tests.Run;

public class OwnUsageTests
{
    [Fact]
    public void The_usage_of_a_busy_period_has_CPU_time_and_allocations_and_collections()
    {
        var before = ProcessSnapshot.Take();
        var start = Stopwatch.GetTimestamp();
        var kept = 0L;
        while (Stopwatch.GetElapsedTime(start).TotalMilliseconds < 300)
        {
            var block = new byte[1000];
            kept += block.Length;
            GC.KeepAlive(block); // otherwise the JIT would keep the block on the stack
        }
        GC.Collect();
        var usage = Usage.Between(before, ProcessSnapshot.Take(), calls: 7);

        Assert.True(usage.CpuUserNs + usage.CpuKernelNs > 0);
        Assert.True(usage.AllocatedBytes >= kept, $"{usage.AllocatedBytes} of {kept}");
        Assert.Equal(3, usage.GcCollections.Count);
        Assert.True(usage.GcCollections[2] >= 1 && usage.GcPauseNs > 0);
        Assert.True(usage.WorkingSetBytes > 1_000_000);
        Assert.Equal(7, usage.Calls);
    }

    [Fact]
    public void Context_switches_of_ended_threads_are_counted()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Windows does not tell a process's context switches");
        var before = ProcessSnapshot.Take();
        var thread = new Thread(() =>
        {
            using var never = new ManualResetEventSlim();
            for (var i = 0; i < 20; i++)
                never.Wait(1);
        });
        thread.Start();
        Assert.True(thread.Join(TimeSpan.FromSeconds(20)));

        Assert.True(Usage.Between(before, ProcessSnapshot.Take(), 1).ContextSwitches >= 20);
    }

    [Theory]
    [InlineData("the same process", false)]
    [InlineData("another process, whose counters are all higher", true)]
    [InlineData("fewer context switches", true)]
    [InlineData("fewer collections", true)]
    public void Counters_of_a_restarted_server_are_not_subtracted(string what, bool isAnother)
    {
        var before = new UsageReply { Process = 1, CpuUserNs = 5, ContextSwitches = 9, VoluntarySwitches = 4, GcCollections = { 3, 2, 1 } };
        var after = new UsageReply(before) { CpuUserNs = 7, ContextSwitches = 11 };
        if (what.StartsWith("another", StringComparison.Ordinal))
            after.Process = 2;
        else if (what == "fewer context switches")
            after.ContextSwitches = 8;
        else if (what == "fewer collections")
            after.GcCollections[0] = 2;

        Assert.Equal(isAnother, ServerUsage.Between(before, after) is null);
    }

    [Fact]
    public void A_method_compiled_between_two_snapshots_is_counted()
    {
        var before = ProcessSnapshot.Take();
        var made = System.Linq.Expressions.Expression.Lambda<Func<int>>(System.Linq.Expressions.Expression.Constant(5)).Compile()();

        Assert.Equal(5, made);
        Assert.True(ProcessSnapshot.Take().MethodsCompiled > before.MethodsCompiled);
    }
}
