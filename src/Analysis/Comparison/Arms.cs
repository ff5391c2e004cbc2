using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Comparison;

/// <summary>The arms of a run as reports show them: grouped by workload, ranked, and without the second endpoint of an A/A test.</summary>
internal static class Arms
{
    /// <summary>Groups the measured cells by workload, in the order of the plan.</summary>
    public static IEnumerable<IGrouping<Workload, MeasuredCell>> ByWorkload(MeasuredRun run) =>
        run.Cells.Where(cell => cell.Median is not null && !AaTest.IsAa(cell.Key)).GroupBy(cell => cell.Workload);

    /// <summary>
    /// Finds the choices between arms in a workload. A choice is between the transports of one client, protocol and
    /// mode. If no client has several transports, the choice is between the clients, protocols and modes. If the run
    /// compares values of a setting with the default, there is a choice between these values for each transport.
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

    /// <summary>Sorts the cells by their headline metric, the best first.</summary>
    public static List<MeasuredCell> Ranked(IEnumerable<MeasuredCell> cells)
    {
        var all = cells.ToList();
        var metric = ArmComparison.Headline(all[0]);
        var sign = metric.Better == Better.Higher ? -1 : 1;
        return [.. all.OrderBy(cell => sign * (cell.Value(metric) ?? double.PositiveInfinity * sign))];
    }

    /// <summary>Returns the heading of a column that shows <see cref="NameOf"/>.</summary>
    public static string Heading(MeasuredRun run) => HasShapes(run) ? "load"
        : run.Record.Cells.Any(cell => cell.Key.Method.Length > 0) ? "method" : "size";

    /// <summary>Returns the heading of a column of rates: messages/s if a cell has streams of messages, otherwise requests/s.</summary>
    public static string RateHeading(MeasuredRun run) =>
        run.Record.Cells.Any(cell => cell.Key.IsOfMessages) ? "messages/s" : Metric.Rate.Title;

    /// <summary>Returns the title over a chart or table of rates.</summary>
    public static string RateTitle(MeasuredRun run) =>
        RateHeading(run) == Metric.Rate.Title ? "Requests per second" : "Messages per second";

    /// <summary>Names a workload: its size or method, and everything else that varies in this run.</summary>
    public static string NameOf(MeasuredRun run, Workload workload, bool withLoad = true)
    {
        var parts = new List<string> { workload.Work };
        if (HasShapes(run))
            parts.Insert(0, Shape(workload.Connections, workload.Streams));
        if (withLoad && run.Record.Cells.Any(other => other.Key.Load != workload.Load))
            parts.Add(workload.IsFullLoad ? "full load" : "load " + workload.Load);
        return string.Join(", ", parts);
    }

    /// <summary>Says how many calls are in flight: <c>one call at a time</c>, <c>400 clients</c>, <c>a channel, 5 × 80</c>.</summary>
    public static string Shape(int connections, int streams) => (connections, streams) switch
    {
        (1, 1) => "one call at a time",
        (_, 1) => TextBuilding.Invariant($"{connections} clients"),
        _ => TextBuilding.Invariant($"a channel, {connections} × {streams}"),
    };

    /// <summary>Whether the cells of the run differ in their number of connections or streams.</summary>
    private static bool HasShapes(MeasuredRun run) =>
        run.Record.Cells.Select(cell => (cell.Key.Connections, cell.Key.Streams)).Distinct().Skip(1).Any();
}

/// <summary>The difference of a value between two cells, estimated from the rounds in which both cells have the value.</summary>
/// <param name="Ns">The value of the reference minus the value of the cell.</param>
/// <param name="Interval">The interval of the difference. Null when there are too few rounds.</param>
public sealed record PairedDifference(double Ns, Interval? Interval)
{
    /// <summary>Whether the interval excludes 0.</summary>
    public bool IsDecided => Interval is { Low: > 0 } or { High: < 0 };

    /// <summary>Computes the difference. Null when no round has the value in both cells.</summary>
    /// <param name="what">
    /// The name of this difference in a <see cref="ClaimFamily"/>, whose simultaneous interval it then has. Null for an
    /// interval of this difference alone.
    /// </param>
    public static PairedDifference? Compute(MeasuredRun run, MeasuredCell reference, MeasuredCell cell,
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

    /// <summary>Lists the difference of the value, one minus other, for each round that has the value in both cells.</summary>
    internal static IReadOnlyList<(int Round, double Value)> Series(
        MeasuredCell one, MeasuredCell other, Func<RoundMetrics, double?> value) =>
        [.. from mine in other.Rounds
            join theirs in one.Rounds on mine.Record.Number equals theirs.Record.Number
            let less = value(theirs) - value(mine)
            where less is not null
            select (mine.Record.Number, less.Value)];
}

/// <summary>A cell compared with another cell of the same run, by the rounds in which both have the metric.</summary>
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
    /// interval decides the verdict. Null when no round has the metric in both cells.
    /// </summary>
    public static ArmComparison? Of(MeasuredRun run, MeasuredCell cell, MeasuredCell reference, Metric metric)
    {
        // The limits of a verdict are changes against the reference: −9.5 % is +10.5 % the other way round. So two cells
        // are judged in one direction only, and both directions have the same verdict.
        var isTurned = run.ReferenceOf(reference) == cell || (run.ReferenceOf(cell) != reference && cell.Index < reference.Index);
        var (one, other) = isTurned ? (reference, cell) : (cell, reference);
        return Judge(run, one, other, metric) is not { } verdict ? null
            : new ArmComparison(cell, reference, metric, isTurned ? verdict.Turned() : verdict);
    }

    private static Verdict? Judge(MeasuredRun run, MeasuredCell cell, MeasuredCell reference, Metric metric)
    {
        if (BuildComparison.Of(run)?.Judge(cell, reference, metric) is { } ofBuilds)
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
    /// Returns this comparison, turned round if it compares a reference with its arm. So the result always compares the
    /// arm with its reference. All texts and tables show this direction, and a difference has the same number
    /// everywhere.
    /// </summary>
    public ArmComparison AgainstReference(MeasuredRun run) =>
        run.ReferenceOf(Reference) == Cell ? Of(run, Reference, Cell, Metric)! : this;

    /// <summary>
    /// Finds a cell whose values are only lower bounds, if the true, larger values could change the verdict. Null if
    /// there is no such cell. For example, a cell that is higher already by its lower bounds stays higher.
    /// </summary>
    internal static MeasuredCell? Bound(MeasuredCell cell, MeasuredCell reference, Metric metric, VerdictKind kind) =>
        kind != VerdictKind.Higher && metric.IsBound(cell.Rounds) ? cell
            : kind != VerdictKind.Lower && metric.IsBound(reference.Rounds) ? reference : null;

    /// <summary>
    /// Says that a lower bound allows no verdict. One round is enough for this, while the percentile of all rounds together,
    /// which tables show, may be exact.
    /// </summary>
    internal static string OnlyBound(Metric metric, string whose) => $"{metric.Title} of {whose} is only a lower bound in a round";

    /// <summary>
    /// Returns the reason why a window is too short: it has no time for four successive calls of the cell, and
    /// <c>-d</c> fixes its length. Null if the window is long enough.
    /// </summary>
    private static string? TooShort(MeasuredRun run, MeasuredCell cell)
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
    /// Returns the metric for the cost of a call: the CPU of both sides if both are known, otherwise the client's alone.
    /// </summary>
    public static Metric Cost(MeasuredCell cell, MeasuredCell reference) =>
        cell.Rounds.Concat(reference.Rounds).All(round => Metric.TotalCpu.Value(round) is not null) ? Metric.TotalCpu : Metric.ClientCpu;

    /// <summary>Compares the cell with its reference by the headline. Null when the cell has no reference.</summary>
    public static ArmComparison? OfHeadline(MeasuredRun run, MeasuredCell cell) =>
        run.ReferenceOf(cell) is { } reference ? Of(run, cell, reference, Headline(cell)) : null;
}
