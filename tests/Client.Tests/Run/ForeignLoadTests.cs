using IpcBench.Analysis.Results;
using IpcBench.Client.Run;

namespace IpcBench.Client.Tests.Run;

public class ForeignLoadTests
{
    private static readonly long[] Steady = [5000, 5010, 4990, 5005, 5100, 4950, 5000, 5020, 4980, 5000];

    private static ProcessUsage Used(double seconds) =>
        new() { CpuUserNs = (long)(seconds * 0.6e9), CpuKernelNs = (long)(seconds * 0.4e9) };

    private static MachineUsage Machine(double busy, double steal = 0, double soft = 0, double capacity = 4) => new()
    {
        BusyNs = (long)(busy * 1e9),
        StealNs = (long)(steal * 1e9),
        SoftIrqNs = (long)(soft * 1e9),
        CapacityNs = (long)(capacity * 1e9),
    };

    [Theory]
    [InlineData(3.00, 0.00, 0.0, "")]                                   // all of it is ours
    [InlineData(3.15, 0.00, 0.0, "")]                                   // 3.75 % of 4 s: kernel threads, clock steps
    [InlineData(3.60, 0.00, 0.0, "other programs used 15.0 % of the machine")]
    [InlineData(3.60, 0.00, 0.6, "")]                                   // loopback's receive work
    [InlineData(3.00, 0.04, 0.0, "")]
    [InlineData(3.00, 0.12, 0.0, "the hypervisor gave 3.0 % of the CPU time to others")]
    [InlineData(2.00, 0.00, 0.0, "")]                                   // clocks of different steps: negative is nothing
    public void Time_that_neither_side_claims_spoils_a_cell(double busy, double steal, double soft, string expected) =>
        Assert.Equal(expected, ForeignLoad.Reason(Machine(busy, steal, soft), Used(1.5), Used(1.5), 5000, Steady));

    [Fact]
    public void In_a_very_short_round_clock_steps_are_no_foreign_load() =>
        Assert.Equal("", ForeignLoad.Reason(Machine(0.25, steal: 0.02, capacity: 0.4), Used(0.09), Used(0.09), 5000, Steady));

    [Fact]
    public void A_server_that_tells_nothing_leaves_steal_and_the_loop()
    {
        Assert.Equal("", ForeignLoad.Reason(Machine(4), Used(1), null, 5000, Steady));
        Assert.Contains("hypervisor", ForeignLoad.Reason(Machine(3, steal: 0.5), Used(1), null, 5000, Steady));
        Assert.Contains("loop", ForeignLoad.Reason(null, Used(1), null, 7000, Steady));
    }

    [Theory]
    [InlineData(5150, "")]                                              // 3 %: they wander by that all the time
    [InlineData(5450, "")]                                              // far out for this steady machine, but under 10 %
    [InlineData(6000, "the machine ran a fixed loop 20 % slower than usual")]
    [InlineData(4000, "the machine ran a fixed loop 20 % faster than usual")]
    [InlineData(0, "")]                                                 // not timed
    public void A_loop_far_from_its_usual_time_spoils_a_cell(long reading, string expected) =>
        Assert.Equal(expected, ForeignLoad.Reason(Machine(3), Used(1.5), Used(1.5), reading, Steady));

    [Fact]
    public void On_a_machine_that_always_wanders_the_same_reading_is_usual() =>
        Assert.Equal(
            "", ForeignLoad.Reason(Machine(3), Used(1.5), Used(1.5), 6000, [4200, 5000, 5800, 4500, 5500, 6100, 4100, 5200, 4800, 5900]));

    [Fact]
    public void Few_readings_make_no_outlier() =>
        Assert.Equal("", ForeignLoad.Reason(Machine(3), Used(1.5), Used(1.5), 9000, [5000, 5000, 5000]));

    [Fact]
    public void Several_reasons_are_all_told()
    {
        var reason = ForeignLoad.Reason(Machine(3.9, steal: 0.1), Used(1), Used(1), 9000, Steady);

        Assert.Equal(3, reason.Split("; ").Length);
    }
}
