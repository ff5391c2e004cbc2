using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>
/// Whether this kernel charges the time of soft interrupts (loopback TCP's receive work) to the process that they interrupt. Kernels differ
/// (CONFIG_IRQ_TIME_ACCOUNTING), so it is found out from rounds in which nobody else did much.
/// </summary>
internal static class SoftInterrupts
{
    private const double Quiet = 0.1, Enough = 0.03;

    /// <summary>
    /// True when, of rounds with many interrupts and little else, less remains unclaimed by client and server than half the interrupts;
    /// false when more does, or there is no such round.
    /// </summary>
    public static bool AreCharged(MeasuredRun run)
    {
        var shares = run.Cells.SelectMany(cell => cell.Rounds)
            .Where(r => r.Record.Machine is { CapacityNs: > 0 } machine && machine.SoftIrqNs > Enough * machine.CapacityNs)
            .Select(r => (Machine: r.Record.Machine!, Left: r.UnattributedNs - (r.Record.Machine!.OthersNs ?? 0)))
            .Where(r => r.Left - r.Machine.SoftIrqNs < Quiet * r.Machine.CapacityNs)
            .Select(r => r.Left!.Value / r.Machine.SoftIrqNs).ToList();
        return shares.Count > 0 && RatioEstimate.Median(shares) < 0.5;
    }
}

/// <summary>Signs that the machine had something else to do.</summary>
internal static class MachineDoubts
{
    private const double MostForeign = 0.05;
    private const double MostStolen = 0.01;
    private const double MostUnclaimed = 0.2;

    /// <summary>Measurements that were spoiled and could not be repeated any more: they count, and are doubtful.</summary>
    public static Observation? SpoiledRounds(MeasuredRun run, MeasuredCell cell)
    {
        var spoiled = cell.Rounds.Where(r => r.Record.Spoiled.Length > 0).Select(r => r.Record).ToList();
        return spoiled.Count == 0 ? null : new Observation(spoiled.Count,
            Invariant($"{spoiled.Count} of {cell.Rounds.Count} rounds are doubtful and no repeat was left, ")
            + Invariant($"e.g. round {spoiled[0].Number}: {spoiled[0].Spoiled}"));
    }

    /// <summary>
    /// Other processes used the machine; of files that did not count them, it was busy with something else than client, server and
    /// interrupts.
    /// </summary>
    public static Observation? ForeignLoad(MeasuredRun run, MeasuredCell cell)
    {
        if (Worst(cell, MostForeign, r => ForeignNs(run, r) / r.Record.Machine!.CapacityNs) is not { } worst)
            return null;
        var machine = cell.Rounds.First(r => r.Record.Number == worst.Number).Record.Machine!;
        var names = string.Join(", ", machine.Busiest
            .Select(one => $"{one.Name} {Quantity.Percent(one.CpuNs / (double)machine.CapacityNs)}"));
        return new Observation(worst.Share,
            Invariant($"in round {worst.Number} other processes used {Quantity.Percent(worst.Share)} of the machine")
                + (names.Length > 0 ? $" ({names})" : ""));
    }

    /// <summary>Less than this is noise of clocks with steps of 10 to 16 ms, as where rounds are repeated for it.</summary>
    private const double LeastForeignNs = 100e6;

    private static double? ForeignNs(MeasuredRun run, MeasurementView r) =>
        (r.Record.Machine!.OthersNs ?? r.UnattributedNs - (SoftInterrupts.AreCharged(run) ? 0 : r.Record.Machine.SoftIrqNs)) is { } ns
            && ns > LeastForeignNs ? ns : null;

    /// <summary>The hypervisor gave CPU time to other guests.</summary>
    public static Observation? Steal(MeasuredRun run, MeasuredCell cell) =>
        Worst(cell, MostStolen, r => (double)r.Record.Machine!.StealNs / r.Record.Machine.CapacityNs) is { } worst
            ? new Observation(worst.Share,
                Invariant($"in round {worst.Number} the hypervisor took {Quantity.Percent(worst.Share)} of the machine's CPU time"))
            : null;

    /// <summary>
    /// Much of the machine's busy time is charged to neither process: CPU per call of the two sides is not the whole price.
    /// </summary>
    public static Observation? UnclaimedCpu(MeasuredRun run, MeasuredCell cell)
    {
        if (cell.Median!.UnattributedNs is not { } unclaimed || cell.Median.Record.Machine!.BusyNs <= 0)
            return null;
        var share = unclaimed / cell.Median.Record.Machine.BusyNs;
        return share > MostUnclaimed
            ? new Observation(share, $"neither client nor server claims {Quantity.Percent(share)} of the machine's busy time "
                + $"({Quantity.Micros(unclaimed / cell.Median.ClientCalls)} a call)"
                + (cell.Median.Record.Machine.OthersNs is { } others
                    ? $": other processes {Quantity.Percent(others / (double)cell.Median.Record.Machine.BusyNs)}, the rest lies "
                        + "outside what is visible"
                    : ""))
            : null;
    }

    /// <summary>The round with the largest share of the machine's time, where that is beyond the limit.</summary>
    private static (int Number, double Share)? Worst(MeasuredCell cell, double limit, Func<MeasurementView, double?> share)
    {
        var shares = cell.Rounds.Where(r => r.Record.Machine is { CapacityNs: > 0 }).Select(r => (r.Record.Number, Share: share(r)))
            .Where(entry => entry.Share > limit).ToList();
        return shares.Count == 0 ? null : shares.MaxBy(entry => entry.Share) is var worst ? (worst.Number, worst.Share!.Value) : null;
    }
}
