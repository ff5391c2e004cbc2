using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Doubts;

/// <summary>
/// Finds out whether the kernel charges soft interrupts (the work of receiving over loopback TCP) to the process that
/// they interrupt. Kernels differ in this (CONFIG_IRQ_TIME_ACCOUNTING), so the answer is inferred from rounds in which
/// other processes did little.
/// </summary>
public static class SoftInterrupts
{
    private const double Quiet = 0.1, Enough = 0.03;

    /// <summary>
    /// Judges the rounds with many soft interrupts and little other load, by the CPU time that no process used. True if
    /// the median round has less of this time than half of the time of its soft interrupts. Null without such rounds.
    /// </summary>
    public static bool? AreCharged(IEnumerable<RoundMetrics> rounds)
    {
        var shares = rounds
            .Where(r => r.Record.Machine is { CapacityNs: > 0 } machine && machine.SoftIrqNs > Enough * machine.CapacityNs)
            .Select(r => (Machine: r.Record.Machine!, Left: r.UnattributedNs - SeenNs(r.Record.Machine!)))
            .Where(r => r.Left - r.Machine.SoftIrqNs < Quiet * r.Machine.CapacityNs)
            .Select(r => r.Left!.Value / r.Machine.SoftIrqNs).ToList();
        return shares.Count == 0 ? null : RatioEstimate.Median(shares) < 0.5;
    }

    /// <summary>
    /// Computes the CPU time in ns that no visible process used. This time belongs to other containers, or to processes
    /// that started and ended within the window. Null when the system or the server does not report its CPU usage.
    /// </summary>
    /// <param name="charged">
    /// The result of <see cref="AreCharged"/>. If this result is null, soft interrupts do not count as load of other processes.
    /// </param>
    public static double? UnseenNs(RoundMetrics round, bool? charged) => round.UnattributedNs is not { } left ? null
        : Math.Max(0, left - SeenNs(round.Record.Machine!) - (charged == true ? 0 : round.Record.Machine!.SoftIrqNs));

    private static double SeenNs(MachineUsage machine) => (machine.OthersNs ?? 0) + (double)(machine.KernelThreadsNs ?? 0);
}
