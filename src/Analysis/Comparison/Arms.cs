using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Comparison;

/// <summary>The arms of a run as a report talks about them: by workload of the plan, ranked, the doubles of an A/A test left out.</summary>
internal static class Arms
{
    /// <summary>The measured cells by workload, workloads in the order of the plan.</summary>
    public static IEnumerable<IGrouping<Workload, MeasuredCell>> ByWorkload(MeasuredRun run) =>
        run.Cells.Where(cell => cell.Median != null && !AaTest.IsAa(cell.Key)).GroupBy(cell => cell.Workload);

    /// <summary>
    /// What somebody chooses between at one workload: the transports as one client sees them, of one protocol and mode; the others where
    /// there is one transport only. Where values of a setting are held against the default, they are the choice, on each transport.
    /// </summary>
    public static IEnumerable<IReadOnlyList<T>> Choices<T>(IReadOnlyList<T> workload, Func<T, CellKey> keyOf)
    {
        var isSweep = workload.Any(cell => ReferenceChoice.IsSetting(keyOf(cell))
            && workload.Any(other => ReferenceChoice.IsDefaultOf(keyOf(other), keyOf(cell))));
        var clients = workload.GroupBy(
            cell => (keyOf(cell).Client, keyOf(cell).Protocol, keyOf(cell).Mode, isSweep ? keyOf(cell).Transport : ""),
            (_, arms) => arms.ToList()).ToList();
        return clients.Exists(arms => arms.Count > 1) ? clients : [[.. clients.SelectMany(arms => arms)]];
    }

    /// <summary>Best first, by the headline.</summary>
    public static List<MeasuredCell> Ranked(IEnumerable<MeasuredCell> cells)
    {
        var all = cells.ToList();
        var metric = ArmComparison.Headline(all[0]);
        var sign = metric.Better == Better.Higher ? -1 : 1;
        return [.. all.OrderBy(cell => sign * (cell.Value(metric) ?? double.PositiveInfinity * sign))];
    }

    /// <summary>The heading of a column of <see cref="NameOf"/>.</summary>
    public static string Heading(MeasuredRun run) => run.Record.Cells.Any(cell => cell.Key.Method.Length > 0) ? "method" : "size";

    /// <summary>The heading of a column of rates: of streams messages are counted; of arms beside them, calls.</summary>
    public static string RateHeading(MeasuredRun run) =>
        run.Record.Cells.Any(cell => cell.Key.IsOfMessages) ? "messages/s" : Metric.Rate.Title;

    /// <summary>The title over rates.</summary>
    public static string RateTitle(MeasuredRun run) =>
        RateHeading(run) == Metric.Rate.Title ? "Requests per second" : "Messages per second";

    /// <summary>The workload as text: the size or the method, and whatever else varies in this run.</summary>
    public static string NameOf(MeasuredRun run, Workload workload, bool withLoad = true)
    {
        var keys = run.Record.Cells.Select(other => other.Key).ToList();
        var parts = new List<string> { workload.Work };
        if (keys.Exists(other => other.Connections != workload.Connections))
            parts.Add(TextBuilding.Invariant($"c {workload.Connections}"));
        if (keys.Exists(other => other.Streams != workload.Streams))
            parts.Add(TextBuilding.Invariant($"m {workload.Streams}"));
        if (withLoad && keys.Exists(other => other.Load != workload.Load))
            parts.Add(workload.Load == "max" ? "full load" : "load " + workload.Load);
        return string.Join(", ", parts);
    }
}

/// <summary>By how much of its unit one cell lies below another, from pairs of the same round.</summary>
/// <param name="Ns">Reference less cell.</param>
/// <param name="Interval">Null when the rounds are too few for one.</param>
public sealed record PairedDifference(double Ns, Interval? Interval)
{
    /// <summary>The interval leaves out 0.</summary>
    public bool IsDecided => Interval is { Low: > 0 } or { High: < 0 };

    /// <summary>Null when no round has the value in both.</summary>
    /// <param name="run">The run of both.</param>
    /// <param name="reference">What it is taken from.</param>
    /// <param name="cell">What is taken off.</param>
    /// <param name="value">Of a round.</param>
    /// <param name="what">
    /// The name under which a family of the run's claims has the difference; null: the interval stands by itself.
    /// </param>
    public static PairedDifference? Of(MeasuredRun run, MeasuredCell reference, MeasuredCell cell,
        Func<RoundMetrics, double?> value, string? what = null)
    {
        var series = Series(reference, cell, value);
        if (series.Count == 0)
            return null;
        double[] differences = [.. series.Select(one => one.Value)];
        var estimate = SignedRank.Estimate(differences);
        return new PairedDifference(estimate, what is null ? SignedRank.IntervalOf(differences, Joint.Alpha)
            : ClaimFamily.Find(run, reference, cell, what)?.Interval?.With(estimate));
    }

    /// <summary>Of each round that has the value in both: one less other.</summary>
    internal static IReadOnlyList<(int Round, double Value)> Series(
        MeasuredCell one, MeasuredCell other, Func<RoundMetrics, double?> value) =>
        [.. from mine in other.Rounds
            join theirs in one.Rounds on mine.Record.Number equals theirs.Record.Number
            let less = value(theirs) - value(mine)
            where less != null
            select (mine.Record.Number, less.Value)];
}

/// <summary>One cell against another of the same run, from pairs of the same round.</summary>
public sealed record ArmComparison(MeasuredCell Cell, MeasuredCell Reference, Metric Metric, Verdict Verdict)
{
    private const int FewestCalls = 4;

    /// <summary>Whether the cell is better than the reference by this metric, as far as can be told.</summary>
    public bool IsBetter => Verdict.Kind == (Metric.Better == Better.Higher ? VerdictKind.Higher : VerdictKind.Lower);

    /// <summary>Whether it is worse.</summary>
    public bool IsWorse => Verdict.Kind == (Metric.Better == Better.Higher ? VerdictKind.Lower : VerdictKind.Higher);

    /// <summary>
    /// Null when no round has the metric in both cells. What the run makes claims of, its headline and the CPU of a call, has the interval
    /// of its family; the interval of anything else stands by itself. The interval is the verdict.
    /// </summary>
    public static ArmComparison? Of(MeasuredRun run, MeasuredCell cell, MeasuredCell reference, Metric metric)
    {
        if (BuildComparison.Of(run)?.Judge(cell, reference, metric) is { } ofBuilds)
            return new ArmComparison(cell, reference, metric, ofBuilds);
        var options = run.Record.Options;
        var claim = ClaimFamily.Find(run, cell, reference, metric.Id);
        var claims = claim?.Family.Claims ?? 1;
        var pairs = RoundPairs.Of(cell, reference, metric).ToList();
        if (RatioEstimate.Of(pairs.Select(pair => (pair.Number, pair.Base, pair.New)), options.IsLookedAt(), claims,
            claim is null ? null : _ => claim.Value.Interval, claim?.Family.FewestRounds) is not { } estimate)
            return null;
        var verdict = Verdict.Of(estimate, options.Delta, claims);
        var against = metric == Metric.Rate ? TooShort(run, cell) ?? TooShort(run, reference)
            : Bound(cell, reference, metric, verdict.Kind) is { } bound ? OnlyBound(metric, bound.Key.Arm) : null;
        return new ArmComparison(cell, reference, metric, against is { } why ? verdict.Without(why) : verdict);
    }

    /// <summary>
    /// The same comparison as its run has it, of an arm against its reference: this one, or where the reference stands first the other way
    /// round. All texts and tables show that one, so that a difference is one number everywhere.
    /// </summary>
    public ArmComparison AgainstReference(MeasuredRun run) =>
        run.ReferenceOf(Reference) == Cell ? Of(run, Reference, Cell, Metric)! : this;

    /// <summary>
    /// The side whose numbers are only lower bounds where larger ones would say something else; null where there is none: of what is longer
    /// at least, the other one is the shorter all the same.
    /// </summary>
    internal static MeasuredCell? Bound(MeasuredCell cell, MeasuredCell reference, Metric metric, VerdictKind kind) =>
        kind != VerdictKind.Higher && metric.IsBound(cell.Rounds) ? cell
            : kind != VerdictKind.Lower && metric.IsBound(reference.Rounds) ? reference : null;

    /// <summary>Why nothing is said then.</summary>
    internal static string OnlyBound(Metric metric, string whose) => $"{metric.Title} of {whose} is a lower bound only";

    /// <summary>A typed <c>-d</c> kept windows short that hold fewer than four of a cell's calls one after the other.</summary>
    private static string? TooShort(MeasuredRun run, MeasuredCell cell)
    {
        if (run.Record.Options is not { DurationFixed: true, Calls: 0 } || cell.Key.Load != "max" || cell.Median is not { } median)
            return null;
        var call = median.Latency.ValueAt(50);
        return call * FewestCalls <= median.Record.WindowNs ? null
            : $"a window of {Quantity.Seconds(median.Record.WindowNs)} holds fewer than four calls of {Quantity.Duration(call)} one after "
                + "the other, and -d keeps it so";
    }

    /// <summary>
    /// What an arm is judged by: requests/s where the load is all it can take, the median latency where the load is given.
    /// </summary>
    public static Metric Headline(MeasuredCell cell) => cell.Key.Load == "max" ? Metric.Rate : Metric.P50;

    /// <summary>What a call costs: the CPU of both sides together where both tell, the client's alone otherwise.</summary>
    public static Metric Cost(MeasuredCell cell, MeasuredCell reference) =>
        cell.Rounds.Concat(reference.Rounds).All(round => Metric.TotalCpu.Value(round) != null) ? Metric.TotalCpu : Metric.ClientCpu;

    /// <summary>Against its reference by its headline; null when it is a reference.</summary>
    public static ArmComparison? OfHeadline(MeasuredRun run, MeasuredCell cell) =>
        run.ReferenceOf(cell) is { } reference ? Of(run, cell, reference, Headline(cell)) : null;
}
