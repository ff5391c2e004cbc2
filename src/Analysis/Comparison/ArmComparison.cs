using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Comparison;

/// <summary>A cell compared with another cell of the same run, by the rounds in which both cells have the metric.</summary>
public sealed record ArmComparison(MeasuredCell Cell, MeasuredCell Reference, Metric Metric, Verdict Verdict)
{
    private const int FewestCalls = 4;

    /// <summary>Whether the verdict says that the cell is better than the reference by this metric.</summary>
    public bool IsBetter => Verdict.Kind == (Metric.Better == Better.Higher ? VerdictKind.Higher : VerdictKind.Lower);

    /// <summary>Whether the verdict says that the cell is worse than the reference by this metric.</summary>
    public bool IsWorse => Verdict.Kind == (Metric.Better == Better.Higher ? VerdictKind.Lower : VerdictKind.Higher);

    /// <summary>
    /// Compares a cell with its reference. A metric that a <see cref="ClaimFamily"/> compares (the headline and the CPU
    /// per call) has the simultaneous interval of this family. Any other metric has an interval of its own. The
    /// interval decides the verdict. In a run of <c>ab</c>, <see cref="BuildComparison"/> judges head against base.
    /// Null when no round has the metric in both cells.
    /// </summary>
    public static ArmComparison? Compare(MeasuredRun run, MeasuredCell cell, MeasuredCell reference, Metric metric)
    {
        // The limits of a verdict are changes against the reference. If the arm is 9.5 % below the reference, the
        // reference is 10.5 % above the arm. So two cells are judged in one direction only, and the verdict for the
        // other direction is derived from this verdict.
        var isTurned = run.ReferenceOf(reference) == cell || (run.ReferenceOf(cell) != reference && cell.Index < reference.Index);
        var (one, other) = isTurned ? (reference, cell) : (cell, reference);
        return Judge(run, one, other, metric) is not { } verdict ? null
            : new ArmComparison(cell, reference, metric, isTurned ? verdict.Turned() : verdict);
    }

    private static Verdict? Judge(MeasuredRun run, MeasuredCell cell, MeasuredCell reference, Metric metric)
    {
        if (BuildComparison.From(run)?.Judge(cell, reference, metric) is { } ofBuilds)
            return ofBuilds;
        var options = run.Record.Options;
        var claim = ClaimFamily.Find(run, cell, reference, metric.Id);
        var claims = claim?.Family.Claims ?? 1;
        var pairs = RoundPairs.Match(cell, reference, metric).ToList();
        if (RatioEstimate.FromPairs(pairs.Select(pair => (pair.Number, pair.Base, pair.New)), options.IsLookedAt(), claims,
            claim is null ? null : _ => claim.Value.Interval, claim?.Family.FewestRounds) is not { } estimate)
            return null;
        var verdict = Verdict.From(estimate, options.Delta, claims);
        var against = metric == Metric.Rate ? TooShort(run, cell) ?? TooShort(run, reference)
            : Bound(cell, reference, metric, verdict.Kind) is { } bound ? OnlyBound(metric, bound.Key.Arm) : null;
        return against is { } why ? verdict.Without(why) : verdict;
    }

    /// <summary>
    /// Returns the comparison of the arm with its reference, even if this object compares the reference with the arm.
    /// All texts and tables show the arm against its reference, so a difference has the same number everywhere.
    /// </summary>
    public ArmComparison AgainstReference(MeasuredRun run) =>
        run.ReferenceOf(Reference) == Cell ? Compare(run, Reference, Cell, Metric)! : this;

    /// <summary>
    /// Finds a cell whose values are only lower bounds, if the true, larger values could change the verdict. Null if
    /// there is no such cell. For example, if the lower bounds of the cell are above the reference already, the true
    /// values of the cell are too.
    /// </summary>
    internal static MeasuredCell? Bound(MeasuredCell cell, MeasuredCell reference, Metric metric, VerdictKind kind) =>
        kind != VerdictKind.Higher && metric.IsBound(cell.Rounds) ? cell
            : kind != VerdictKind.Lower && metric.IsBound(reference.Rounds) ? reference : null;

    /// <summary>
    /// Returns the reason for no verdict: a value is only a lower bound. A lower bound in one round is reason enough.
    /// The percentile of all rounds together, which tables show, may still be exact.
    /// </summary>
    internal static string OnlyBound(Metric metric, string whose) => $"{metric.Title} of {whose} is only a lower bound in a round";

    /// <summary>
    /// Returns the reason for no verdict if the window is too short for four successive calls of the cell, and
    /// <c>-d</c> fixes the length of the window. Otherwise null.
    /// </summary>
    internal static string? TooShort(MeasuredRun run, MeasuredCell cell)
    {
        if (run.Record.Options is not { DurationFixed: true, Calls: 0 } || !cell.Key.IsFullLoad || cell.Median is not { } median)
            return null;
        var call = median.Latency.ValueAt(50);
        return call * FewestCalls <= median.Record.WindowNs ? null
            : $"a window of {Quantity.Seconds(median.Record.WindowNs)} (-d) holds fewer than four consecutive calls of "
                + Quantity.Duration(call);
    }

    /// <summary>Returns the metric that an arm is judged by: requests/s at full load, and the median latency at a given load.</summary>
    public static Metric Headline(MeasuredCell cell) => cell.Key.IsFullLoad ? Metric.Rate : Metric.P50;

    /// <summary>
    /// Returns the metric for the cost of a call: the CPU of both sides if both are known, otherwise the CPU of the client.
    /// </summary>
    public static Metric Cost(MeasuredCell cell, MeasuredCell reference) =>
        cell.Rounds.Concat(reference.Rounds).All(round => Metric.TotalCpu.Value(round) is not null) ? Metric.TotalCpu : Metric.ClientCpu;

    /// <summary>Compares the cell with its reference by its <see cref="Headline"/>. Null without a reference or a common value.</summary>
    public static ArmComparison? OfHeadline(MeasuredRun run, MeasuredCell cell) =>
        run.ReferenceOf(cell) is { } reference ? Compare(run, cell, reference, Headline(cell)) : null;
}
