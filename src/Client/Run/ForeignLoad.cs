using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using static System.FormattableString;

namespace IpcBench.Client.Run;

/// <summary>Judges whether other programs used the machine while a cell was measured.</summary>
internal static class ForeignLoad
{
    /// <summary>
    /// The largest share of the machine's CPU time that other programs may use. Kernel threads and a quiet desktop use
    /// less than 3 %. With two CPUs, 5 % of the machine is a tenth of one CPU. Such a load can change a round by more
    /// than 3 %, which is the usual precision of a comparison.
    /// </summary>
    public const double ForeignShare = 0.05;

    /// <summary>
    /// The largest share of the CPU time that the hypervisor may give to other machines. This limit is lower than
    /// <see cref="ForeignShare"/>, since the hypervisor stops a whole CPU in the middle of calls.
    /// </summary>
    public const double StealShare = 0.02;

    /// <summary>
    /// Other programs spoil a round only if they use more CPU time than this. Clocks have steps of 10 to 16 ms, and other
    /// processes are read shortly before and after the window, so in a short round a smaller time may be noise.
    /// </summary>
    public const long ForeignNs = 100_000_000;

    /// <summary>Steal time spoils a round only if it is longer than this. The system counts it in steps of 10 ms.</summary>
    public const long StealNs = 40_000_000;

    /// <summary>Returns why the cell is spoiled, with the numbers. Empty when the cell is not spoiled.</summary>
    /// <param name="round">The measurement. If it has no CPU time of the server, only steal is judged.</param>
    /// <param name="charged">
    /// True when this kernel charges soft interrupts to processes (<see cref="SoftInterrupts.AreCharged"/>). Null when
    /// this is not known yet.
    /// </param>
    public static string Reason(RoundMetrics round, bool? charged)
    {
        string[] reasons = [Steal(round.Record.Machine), Foreign(round, charged)];
        return string.Join("; ", reasons.Where(reason => reason.Length > 0));
    }

    private static string Steal(MachineUsage? machine) => machine is not null && IsMore(machine.StealNs, StealNs, StealShare, machine)
        ? Invariant($"the hypervisor gave {Share(machine.StealNs, machine):0.0} % of the CPU time to other machines")
        : "";

    private static string Foreign(RoundMetrics round, bool? charged)
    {
        if (round.Record is not { Machine: { OthersNs: { } others } machine, Server: not null })
            return "";
        if (IsMore(others, ForeignNs, ForeignShare, machine))
            return Invariant($"other programs used {Share(others, machine):0.0} % of the machine{OtherProcessNames.List(machine)}");
        return SoftInterrupts.UnseenNs(round, charged) is { } unseen && IsMore(unseen, ForeignNs, ForeignShare, machine)
            ? Invariant($"invisible processes (in other containers, or short-lived) used {Share(unseen, machine):0.0} % of the machine")
            : "";
    }

    private static bool IsMore(double ns, long floor, double share, MachineUsage machine) =>
        ns > Math.Max(floor, share * machine.CapacityNs);

    private static double Share(double ns, MachineUsage machine) => 100.0 * ns / machine.CapacityNs;
}
