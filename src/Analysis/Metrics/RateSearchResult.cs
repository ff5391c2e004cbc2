using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Metrics;

/// <summary>What became of the search for the highest rate of an objective.</summary>
public enum SearchOutcome
{
    /// <summary>The rate was found.</summary>
    Found,

    /// <summary>It held at every rate up to the highest that was tried, which is more than was carried at full load.</summary>
    Everywhere,

    /// <summary>It did not hold at the lowest rate that was tried.</summary>
    Nowhere,

    /// <summary>The windows are too few, or have not come near it, or it lies beyond them.</summary>
    Unknown,

    /// <summary>
    /// Fewer than 100 calls of all windows near it, or of those at the highest rate, may break it: they say nothing about it.
    /// </summary>
    TooFewCalls,
}

/// <summary>The highest rate at which an objective holds, of one cell of <c>--find</c>, by <see cref="RateSearch"/>.</summary>
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

    /// <summary>In calls per second; where the objective holds everywhere or nowhere the last that was tried; 0 if unknown.</summary>
    public double Rate { get; }

    /// <summary>Of a rate that was found; else null.</summary>
    public Interval? Interval { get; }

    /// <summary>What the arm carried at full load, in calls per second; 0 when nothing.</summary>
    public double Saturation { get; }

    /// <summary>Every window, and whether it kept the objective, in the order of the rounds.</summary>
    public IEnumerable<(RoundMetrics Window, bool IsKept)> Windows => windows.Select(window => (window, IsKept(Objective, window)));

    /// <summary>Of each cell of a search that has a window.</summary>
    public static IEnumerable<RateSearchResult> Of(MeasuredRun run) =>
        from cell in run.Cells
        where cell.Windows.Count > 0
        let objective = LatencyObjective.Parse(cell.Key.Load, out _)
        where objective != null
        select new RateSearchResult(run, cell, objective);

    /// <summary>The rate of the window that comes next.</summary>
    /// <param name="run">What was measured so far.</param>
    /// <param name="cell">A cell of a search.</param>
    /// <param name="number">The round it is of: windows of earlier ones count.</param>
    /// <returns>Calls per second; null where nothing was carried at full load, or nobody knows how long it took.</returns>
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
    /// What a window says of one part of the objective. Calls that failed or were cut off count as slower than anything, in a mean as the
    /// longest that was promised or they took; so do those not sent in time that were late by more than the limit already. Of
    /// those that waited for less nobody knows, and they are left out.
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
                + Math.Max(late.Sum, tooLate * term.Limit));
    }

    /// <summary>Whether a window kept all parts of it; one in which no call was due broke nothing.</summary>
    public static bool IsKept(LatencyObjective objective, RoundMetrics window) => objective.Terms.All(term =>
        ProbeOf(term, window) is var probe && probe.Against <= probe.Calls * term.Allowed);

    private static MeasuredCell? AtFullLoad(MeasuredRun run, CellKey key) =>
        run.Cells.FirstOrDefault(cell => cell.Key == key with { Load = "max" });

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
        // All terms must hold: the one that breaks at the lowest rate decides.
        var crossings = Objective.Terms.Select(term => RateSearch.Crossing(
            [.. windows.Select(window => ProbeOf(term, window))], term.Allowed, centre, Joint.Alpha)).OfType<FoundCrossing>().ToList();
        if (IsTooFew(near))
            return (SearchOutcome.TooFewCalls, 0, null);
        // Without an interval it lies beyond the windows, and nobody knows how far.
        return crossings.MinBy(one => one.Rate) is { Interval: { } interval } least
            ? (SearchOutcome.Found, least.Rate, interval) : (SearchOutcome.Unknown, 0, null);
    }

    /// <summary>
    /// All these windows together have too few calls to show a percentile, or a share of failures, of which the objective speaks.
    /// </summary>
    private bool IsTooFew(IEnumerable<(RoundMetrics Window, bool IsKept)> among)
    {
        var calls = among.Sum(one => (double)one.Window.Record.Started);
        return Objective.Terms.Any(term => !term.IsOfMean && calls * term.Allowed < LatencyCounts.SamplesBeyond);
    }
}
