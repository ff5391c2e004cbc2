using System.Diagnostics;

namespace IpcBench.Host.Tests;

public class MachineSnapshotTests
{
    private static MachineSnapshot? Captured(string stat, double seconds) =>
        MachineSnapshot.TakeLinux(new CapturedFiles(("/proc/stat", stat)), (long)(seconds * Stopwatch.Frequency));

    [Fact]
    public void Busy_time_is_capacity_minus_idle_iowait_and_stolen_time()
    {
        //                              user nice sys idle iowait irq softirq steal
        const string rest = "\ncpu0 1 0 0 0 0 0 0 0 0 0\ncpu1 1 0 0 0 0 0 0 0 0 0\nintr 5 5\nctxt 9\n";
        var before = Captured("cpu  100 0 50 1000 10 0 5 2 0 0" + rest, 10);
        var after = Captured("cpu  160 0 90 1080 20 0 25 12 0 0" + rest, 12);

        var usage = MachineSnapshot.Between(before, after);

        Assert.NotNull(usage);
        Assert.Equal(4_000_000_000, usage.CapacityNs);
        Assert.Equal(4_000_000_000 - 900_000_000 - 100_000_000, usage.BusyNs);
        Assert.Equal((200_000_000, 100_000_000), (usage.SoftIrqNs, usage.StealNs));
    }

    [Theory]
    [InlineData("")]
    [InlineData("cpu 1 2")]
    [InlineData("intr 1 2 3 4 5 6 7 8 9")]
    public void No_snapshot_is_made_from_a_stat_file_of_an_unknown_format(string stat)
    {
        Assert.Null(Captured(stat, 1));
        Assert.Null(MachineSnapshot.Between(Captured(stat, 1), Captured(stat, 2)));
    }

    [Fact]
    public void The_busy_time_of_the_machine_includes_this_process()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() || OperatingSystem.IsWindows(), "no machine clock here");
        var machine = MachineSnapshot.Take();
        var before = ProcessSnapshot.Take();
        var start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start).TotalMilliseconds < 400)
        {
        }
        var after = ProcessSnapshot.Take();
        var usage = MachineSnapshot.Between(machine, MachineSnapshot.Take());

        Assert.NotNull(usage);
        // Both clocks have steps of 10 ms (Windows: 16 ms), and each is read twice.
        var mine = (after.User + after.Kernel - before.User - before.Kernel).TotalNanoseconds;
        Assert.InRange(usage.BusyNs, mine - 70_000_000, usage.CapacityNs);
    }
}
