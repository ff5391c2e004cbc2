using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>Signs that the machine was busy with other work.</summary>
internal static class MachineDoubts
{
    private const double MostForeign = 0.05;
    private const double MostStolen = 0.01;
    private const double MostUnclaimed = 0.2;

    /// <summary>Reports disturbed rounds that count because they could not be repeated.</summary>
    public static Observation? SpoiledRounds(MeasuredRun run, MeasuredCell cell)
    {
        var spoiled = cell.Rounds.Where(r => r.Record.Spoiled.Length > 0).Select(r => r.Record).ToList();
        return spoiled.Count == 0 ? null : new Observation(spoiled.Count,
            Invariant($"{spoiled.Count} of {cell.Rounds.Count} rounds {(spoiled.Count == 1 ? "was" : "were")} disturbed ")
            + Invariant($"and could not be repeated, e.g. round {spoiled[0].Number}: {spoiled[0].Spoiled}"),
            spoiled.TrueForAll(IsStolenAlone)
                ? "Measure on a machine of your own, or at another time, and with more rounds." : null);
    }

    // If only the hypervisor disturbed a round, the advice to stop other programs on this machine would be wrong.
    private static bool IsStolenAlone(Measurement round) => round.Machine is { } machine
        && machine.StealNs > MostStolen * machine.CapacityNs && machine.OthersNs <= MostForeign * machine.CapacityNs;

    /// <summary>
    /// Reports that other processes used the machine. In a file without the CPU time of other processes, all CPU time
    /// that is not of the client, the server or soft interrupts counts as CPU time of other processes.
    /// </summary>
    public static Observation? ForeignLoad(MeasuredRun run, MeasuredCell cell)
    {
        var charged = cell.Rounds.All(r => r.Record.Machine?.OthersNs is not null) || AreCharged(run);
        if (Worst(cell, MostForeign, r => ForeignNs(r, charged) / r.Record.Machine!.CapacityNs) is not { } worst)
            return null;
        var machine = cell.Rounds.First(r => r.Record.Number == worst.Number).Record.Machine!;
        return new Observation(worst.Share,
            Invariant($"in round {worst.Number} other processes used {Quantity.Percent(worst.Share)} of the machine")
                + OtherProcessNames.List(machine));
    }

    /// <summary>
    /// The least CPU time of other processes in ns that is reported. A shorter time may be noise of clocks with steps
    /// of 10 to 16 ms, and is no reason to repeat a round.
    /// </summary>
    private const double LeastForeignNs = 100e6;

    private static double? ForeignNs(RoundMetrics r, bool charged) =>
        (r.Record.Machine!.OthersNs ?? SoftInterrupts.UnseenNs(r, charged)) is { } ns && ns > LeastForeignNs ? ns : null;

    private static bool AreCharged(MeasuredRun run) => SoftInterrupts.AreCharged(run.Cells.SelectMany(cell => cell.Rounds)) == true;

    /// <summary>Reports that the hypervisor gave CPU time to other guests.</summary>
    public static Observation? Steal(MeasuredRun run, MeasuredCell cell) =>
        Worst(cell, MostStolen, r => (double)r.Record.Machine!.StealNs / r.Record.Machine.CapacityNs) is { } worst
            ? new Observation(worst.Share,
                Invariant($"in round {worst.Number} the hypervisor took {Quantity.Percent(worst.Share)} of the machine's CPU time"))
            : null;

    /// <summary>
    /// Reports that a large part of the machine's busy time is charged to neither client nor server, so that their CPU
    /// per call is not the whole cost.
    /// </summary>
    public static Observation? UnclaimedCpu(MeasuredRun run, MeasuredCell cell)
    {
        if (cell.Median!.UnattributedNs is not { } unclaimed || cell.Median.Record.Machine!.BusyNs <= 0)
            return null;
        var share = unclaimed / cell.Median.Record.Machine.BusyNs;
        var ofCall = cell.Median.ClientCalls > 0 ? $" ({Quantity.Micros(unclaimed / cell.Median.ClientCalls)} a call)" : "";
        return share > MostUnclaimed
            ? new Observation(share, $"{Quantity.Percent(share)} of the machine's busy time belongs to neither client nor server"
                + ofCall + Whose(cell.Median, AreCharged(run)))
            : null;
    }

    /// <summary>Lists who used the unattributed time, and the share of each. Empty when other processes were not counted.</summary>
    private static string Whose(RoundMetrics round, bool charged)
    {
        if (round.Record.Machine is not { OthersNs: { } others } machine || SoftInterrupts.UnseenNs(round, charged) is not { } unseen)
            return "";
        var parts = new (string Name, double? Ns)[]
        {
            ("other processes", others),
            ("kernel threads", machine.KernelThreadsNs),
            // If the kernel charges soft interrupts to processes, their time is already part of the processes' time.
            ("soft interrupts", charged || machine.SoftIrqNs == 0 ? null : machine.SoftIrqNs),
            ("processes that cannot be seen", unseen),
        };
        return ": " + string.Join(", ", parts.Where(part => part.Ns is not null)
            .Select(part => $"{part.Name} {Quantity.Percent(part.Ns!.Value / machine.BusyNs)}"));
    }

    /// <summary>Finds the round with the largest <paramref name="share"/>. Null when no share is above the limit.</summary>
    private static (int Number, double Share)? Worst(MeasuredCell cell, double limit, Func<RoundMetrics, double?> share)
    {
        var shares = cell.Rounds.Where(r => r.Record.Machine is { CapacityNs: > 0 }).Select(r => (r.Record.Number, Share: share(r)))
            .Where(entry => entry.Share > limit).ToList();
        return shares.Count == 0 ? null : shares.MaxBy(entry => entry.Share) is var worst ? (worst.Number, worst.Share!.Value) : null;
    }
}
