using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

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

    /// <summary>The machine was busy with something else than client, server and interrupts.</summary>
    public static Observation? ForeignLoad(MeasuredRun run, MeasuredCell cell) =>
        Worst(cell, MostForeign, r => (r.UnattributedNs - r.Record.Machine!.SoftIrqNs) / r.Record.Machine.CapacityNs) is { } worst
            ? new Observation(worst.Share,
                Invariant($"in round {worst.Number} other processes used {Quantity.Percent(worst.Share)} of the machine"))
            : null;

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
                + $"({Quantity.Micros(unclaimed / cell.Median.ClientCalls)} a call)")
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
