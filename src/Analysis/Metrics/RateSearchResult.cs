using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Metrics;

/// <summary>The highest rate at which a cell of <c>--find</c> meets its objective, computed by <see cref="RateSearch"/>.</summary>
public sealed class RateSearchResult
{
    private readonly IReadOnlyList<RoundMetrics> windows;

    private RateSearchResult(MeasuredRun run, MeasuredCell cell, LatencyObjective objective)
    {
        (Cell, Objective, windows) = (cell, objective, cell.Windows);
        Saturation = AtFullLoad(run, cell.Key)?.Median?.Rate ?? 0;
        (Outcome, Rate, Interval) = Find(run.Record.Options);
    }

    public MeasuredCell Cell { get; }

    public LatencyObjective Objective { get; }

    public SearchOutcome Outcome { get; }

    /// <summary>
    /// The highest rate that meets the objective, in calls per second. For <see cref="SearchOutcome.Everywhere"/> and
    /// <see cref="SearchOutcome.Nowhere"/>, the last rate that was tried. 0 if the rate is unknown.
    /// </summary>
    public double Rate { get; }

    /// <summary>The interval of the rate. Null when no rate was found.</summary>
    public Interval? Interval { get; }

    /// <summary>The rate of the arm at full load, in calls per second. 0 if nothing was completed.</summary>
    public double Saturation { get; }

    /// <summary>Every window in the order of the rounds, and whether this window met the objective.</summary>
    public IEnumerable<(RoundMetrics Window, bool IsKept)> Windows => windows.Select(window => (window, IsKept(Objective, window)));

    /// <summary>Computes the result of each cell of a search. Cells without windows are left out.</summary>
    public static IEnumerable<RateSearchResult> FindAll(MeasuredRun run) =>
        from cell in run.Cells
        where cell.Windows.Count > 0
        let objective = LatencyObjective.Parse(cell.Key.Load, out _)
        where objective is not null
        select new RateSearchResult(run, cell, objective);

    /// <summary>Chooses the rate of the next window.</summary>
    /// <param name="number">The round of the next window. Only windows of earlier rounds are used.</param>
    /// <returns>
    /// Calls per second. Null if the arm completed nothing at full load, or if the objective needs latencies that are unknown.
    /// </returns>
    public static double? Next(MeasuredRun run, MeasuredCell cell, int number)
    {
        var full = AtFullLoad(run, cell.Key);
        if (full?.Median is not { Rate: > 0 and var saturation }
            || LatencyObjective.Parse(cell.Key.Load, out _) is not { } objective)
            return null;
        return full.IsUntimed && objective.Terms.Any(term => !term.IsOfFailures) ? null : RateSearch.Next(
            [.. cell.Windows.Where(window => window.Record.Number < number)
                .Select(window => (window.Record.AskedRate, IsKept(objective, window)))], saturation);
    }

    /// <summary>
    /// Computes how much in a window counts against one term of the objective. For a share of failures, a call counts
    /// if it failed, was cut off, or was due but not sent. For a percentile, a failed or cut off call counts as slower
    /// than the limit. For a mean, the limit counts as the time of a failed call. The calls that were cut off count
    /// with the sum of their times, or with the limit for each call if this is more. For a percentile or a mean, a call
    /// that was due but not sent counts like a cut off call if it was late by more than the limit. If it was less late,
    /// it is left out, because its latency is unknown.
    /// </summary>
    public static Probe ProbeOf(ObjectiveTerm term, RoundMetrics window)
    {
        var (round, late) = (window.Record, LatencyCounts.Decode(window.Record.NotSentLatency));
        double lost = window.FailedCalls + round.CutOff;
        if (term.IsOfFailures)
            return new Probe(round.AskedRate, round.Started + round.NotSent, lost + round.NotSent);
        var limit = (long)term.Limit;
        double tooLate = late.Count - late.CountUpTo(limit);
        if (term.Quantile is not null)
        {
            return new Probe(round.AskedRate, round.Started + tooLate,
                window.Ended.Count - window.Ended.CountUpTo(limit) + lost + tooLate);
        }
        var cutOff = LatencyCounts.Decode(round.CutOffLatency).Sum;
        return new Probe(round.AskedRate, round.Started + tooLate,
            round.LatencySumNs + Math.Max(cutOff, round.CutOff * term.Limit) + window.FailedCalls * term.Limit
                + Math.Max(late.SumBeyond(limit), tooLate * term.Limit));
    }

    /// <summary>Whether a window met all terms of the objective. This includes a window in which no call was due.</summary>
    public static bool IsKept(LatencyObjective objective, RoundMetrics window) => objective.Terms.All(term =>
        ProbeOf(term, window) is var probe && probe.Against <= probe.Calls * term.Allowed);

    private static MeasuredCell? AtFullLoad(MeasuredRun run, CellKey key) =>
        run.Cells.FirstOrDefault(cell => cell.Key == key with { Load = CellKey.FullLoad });

    private (SearchOutcome, double, Interval?) Find(RunOptionsRecord options)
    {
        var last = Windows.Skip(windows.Count / 2).ToList();
        var rate = last[^1].Window.Record.AskedRate;
        if (last.Count > 2 && last.TrueForAll(one => one.IsKept) && rate >= Saturation * RateSearch.Most * 0.999)
            return IsTooFew(last) ? (SearchOutcome.TooFewCalls, 0, null) : (SearchOutcome.Everywhere, rate, null);
        if (last.Count > 2 && last.TrueForAll(one => !one.IsKept) && rate <= Saturation * RateSearch.Least * 1.001)
            return (SearchOutcome.Nowhere, rate, null);
        var centre = RateSearch.Centre([.. windows.Select(window => window.Record.AskedRate)]);
        var near = Windows.Where(one => Math.Abs(Math.Log(one.Window.Record.AskedRate / centre)) < RateSearch.Reach).ToList();
        if (near.Count < RateSearch.FewestWindows || near.TrueForAll(one => one.IsKept) || near.TrueForAll(one => !one.IsKept))
            return (SearchOutcome.Unknown, 0, null);
        // All terms must hold, so the term that breaks at the lowest rate decides.
        var crossings = Objective.Terms.Select(term => RateSearch.Crossing(
            [.. windows.Select(window => ProbeOf(term, window))], term.Allowed, centre, Joint.Alpha)).OfType<FoundCrossing>().ToList();
        if (IsTooFew(near))
            return (SearchOutcome.TooFewCalls, 0, null);
        // A crossing has no interval if it lies a smallest step above or below all tried rates nearby, or if too few windows were tried
        // nearby.
        return crossings.MinBy(one => one.Rate) is { Interval: { } interval } least
            ? (SearchOutcome.Found, least.Rate, interval) : (SearchOutcome.Unknown, 0, null);
    }

    /// <summary>Whether these windows together have too few calls for a percentile or a share of failures in the objective.</summary>
    private bool IsTooFew(IEnumerable<(RoundMetrics Window, bool IsKept)> among)
    {
        var calls = among.Sum(one => (double)one.Window.Record.Started);
        return Objective.Terms.Any(term => !term.IsOfMean && calls * term.Allowed < LatencyCounts.SamplesBeyond);
    }
}
