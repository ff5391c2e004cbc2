using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Client.Run;

namespace IpcBench.Client.Tests.Run;

public class ForeignLoadTests
{
    private static ProcessUsage Used(double seconds) =>
        new() { CpuUserNs = (long)(seconds * 0.6e9), CpuKernelNs = (long)(seconds * 0.4e9) };

    private static MachineUsage Machine(double busy, double steal = 0, double soft = 0, double capacity = 4, double others = 0,
        double kernel = 0) => new()
        {
            OthersNs = (long)(others * 1e9),
            KernelThreadsNs = (long)(kernel * 1e9),
            Busiest = others == 0 ? [] : [new OtherProcess { Name = "burner", Pid = 7, CpuNs = (long)(others * 0.8e9) }],
            BusyNs = (long)(busy * 1e9),
            StealNs = (long)(steal * 1e9),
            SoftIrqNs = (long)(soft * 1e9),
            CapacityNs = (long)(capacity * 1e9),
        };

    private static RoundMetrics Round(MachineUsage? machine, ProcessUsage client, ProcessUsage? server) =>
        new(MadeUp.Round(1) with { Client = client, Server = server, Machine = machine });

    private static string Reason(MachineUsage? machine, ProcessUsage client, ProcessUsage? server, bool? charged = null) =>
        ForeignLoad.Reason(Round(machine, client, server), charged);

    [Theory]
    [InlineData(3.00, 0.00, 0.0, "")]                                   // only client and server are busy
    [InlineData(3.15, 0.00, 0.0, "")]                                   // 3.75 % of 4 s: kernel threads, clock steps
    [InlineData(3.60, 0.00, 0.0, "invisible processes (in other containers, or short-lived) used 15.0 % of the machine")]
    [InlineData(3.60, 0.00, 0.6, "")]                                   // loopback's receive work
    [InlineData(3.00, 0.04, 0.0, "")]
    [InlineData(3.00, 0.12, 0.0, "the hypervisor gave 3.0 % of the CPU time to other machines")]
    [InlineData(2.00, 0.00, 0.0, "")]                                   // the clocks differ: a negative rest counts as 0
    public void A_cell_is_spoiled_if_other_CPU_time_than_of_client_and_server_exceeds_a_limit(
        double busy, double steal, double soft, string expected) =>
        Assert.Equal(expected, Reason(Machine(busy, steal, soft), Used(1.5), Used(1.5)));

    [Theory]
    [InlineData(0.0)]
    [InlineData(0.9)]                                                   // soft interrupts of TCP change nothing
    public void Other_programs_spoil_a_cell_on_every_transport(double soft)
    {
        Assert.Equal(
            "other programs used 7.5 % of the machine (burner 6.0 %)",
            Reason(Machine(3.3, soft: soft, others: 0.3), Used(1.5), Used(1.5)));
        Assert.Equal("", Reason(Machine(3.1, soft: soft, others: 0.1), Used(1.5), Used(1.5)));
    }

    [Fact]
    public void Coarse_clock_steps_in_a_short_round_are_not_reported_as_foreign_load() =>
        Assert.Equal("", Reason(Machine(0.25, steal: 0.02, capacity: 0.4), Used(0.09), Used(0.09)));

    [Fact]
    public void Only_stolen_CPU_time_spoils_a_cell_if_the_process_of_the_server_is_unknown()
    {
        Assert.Equal("", Reason(Machine(4), Used(1), null));
        Assert.Equal("the hypervisor gave 12.5 % of the CPU time to other machines", Reason(Machine(3, steal: 0.5), Used(1), null));
        Assert.Equal("", Reason(null, Used(1), null));
    }

    [Fact]
    public void All_reasons_why_a_cell_is_spoiled_are_reported_together()
    {
        var reason = Reason(Machine(3.9, steal: 0.1, others: 1.9), Used(1), Used(1));

        Assert.Equal(
            "the hypervisor gave 2.5 % of the CPU time to other machines; other programs used 47.5 % of the machine (burner 38 "
                + "%)", reason);
    }

    [Fact]
    public void Interrupts_charged_to_processes_do_not_hide_foreign_load()
    {
        // Quiet rounds with many interrupts: the machine's busy time equals the processes' time, or exceeds it by the interrupts.
        RoundMetrics Quiet(double busy) => Round(Machine(busy, soft: 0.6), Used(1.5), Used(1.5));
        Assert.True(SoftInterrupts.AreCharged([Quiet(3), Quiet(3.05), Quiet(3)]));
        Assert.False(SoftInterrupts.AreCharged([Quiet(3.6), Quiet(3.55), Quiet(3.6)]));
        Assert.Null(SoftInterrupts.AreCharged([Round(Machine(3, soft: 0.01), Used(1.5), Used(1.5))]));

        var hidden = Machine(3.6, soft: 0.6);
        Assert.Equal("invisible processes (in other containers, or short-lived) used 15.0 % of the machine",
            Reason(hidden, Used(1.5), Used(1.5), charged: true));
        Assert.Equal("", Reason(hidden, Used(1.5), Used(1.5), charged: false));
        Assert.Equal("", Reason(hidden, Used(1.5), Used(1.5), charged: null));
    }

    [Fact]
    public void Kernel_threads_are_counted_but_are_no_foreign_load() =>
        Assert.Equal("", Reason(Machine(3.6, kernel: 0.5), Used(1.5), Used(1.5)));
}
