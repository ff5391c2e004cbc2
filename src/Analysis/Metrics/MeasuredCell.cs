using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Metrics;

/// <summary>A cell of a run with its valid rounds, ordered by round number.</summary>
public sealed class MeasuredCell
{
    private readonly bool isOfBuilds;
    private RoundMetrics? all;

    internal MeasuredCell(int index, Cell cell, IReadOnlyList<RoundMetrics> rounds, bool isOfBuilds = false)
    {
        (Index, Cell, this.isOfBuilds) = (index, cell, isOfBuilds);
        Rounds = cell.Key.VariesRate ? [] : rounds;
        Windows = cell.Key.VariesRate ? rounds : [];
        Median = MedianOf(Rounds);
    }

    /// <summary>Index into <see cref="RunRecord.Cells"/>.</summary>
    public int Index { get; }

    public Cell Cell { get; }

    public CellKey Key => Cell.Key;

    /// <summary>The rounds. Empty for a cell of a search, which has <see cref="Windows"/> instead.</summary>
    public IReadOnlyList<RoundMetrics> Rounds { get; }

    /// <summary>
    /// The windows of a search. Each window had its own rate, so no window represents the others. Empty for any other cell.
    /// </summary>
    public IReadOnlyList<RoundMetrics> Windows { get; }

    /// <summary>
    /// The round with the median of requests/s. With an even number of rounds, this is the lower of the two middle
    /// rounds. Null without rounds.
    /// </summary>
    public RoundMetrics? Median { get; }

    /// <summary>What the cell has in common with the cells that it is compared with: everything in the key except the arm.</summary>
    public Workload Workload => Workload.From(Key);

    /// <summary>Lists the values of the metric, one for each round that has it.</summary>
    public IEnumerable<double> Values(Metric metric) => Rounds.Select(metric.Value).OfType<double>();

    /// <summary>
    /// Returns the number that represents the cell in reports. A latency is computed from the calls of all rounds
    /// together. In a run of two builds, every other metric is <see cref="Middle"/>. In other runs, the cost of a call
    /// (<see cref="Metric.IsCostOfCall"/>) is the median over the rounds. At full load, any other metric is the value
    /// of the median round, because requests/s are the result. At a given load, any other metric is the median over the
    /// rounds: all rounds have about the same rate, so any of them could be the median round. Null when the rounds do
    /// not have the metric.
    /// </summary>
    public double? Value(Metric metric) => Median is null ? null
        : metric.IsOfLatencies ? metric.Value(All)
        : isOfBuilds && metric.Value(Median) is not null ? Middle(metric)
        : Key.IsFullLoad && !metric.IsCostOfCall ? metric.Value(Median)
        : MedianOf(metric.Value);

    /// <summary>Computes the median of a value over the rounds that have it. Null when no round has the value.</summary>
    public double? MedianOf(Func<RoundMetrics, double?> value) =>
        RatioEstimate.Median(Rounds.Select(value).OfType<double>()) is var median && double.IsNaN(median) ? null : median;

    /// <summary>
    /// Computes the median of the logarithms of the metric over the rounds, and returns it as a value of the metric.
    /// The ratio of the medians of two cells is then close to the ratio that reports show for the cells. Null when the
    /// cell has no rounds, or when no round has a value above 0 and the median round does not have the metric. In a run of
    /// two builds a latency is <see cref="Value"/>, as everywhere in the report of this run.
    /// </summary>
    public double? Middle(Metric metric)
    {
        if (isOfBuilds && metric.IsOfLatencies)
            return Value(metric);
        var logs = Values(metric).Where(value => value > 0).Select(value => Math.Log(value)).ToList();
        return Median is null ? null : logs.Count == 0 ? metric.Value(Median) : Math.Exp(RatioEstimate.Median(logs));
    }

    /// <summary>Returns <see cref="Middle"/> as text with its unit. "–" when there is no value.</summary>
    public string ShowMiddle(Metric metric) => Middle(metric) is { } value
        ? (metric.IsBound(Rounds) ? "≥ " : "") + Quantity.Show(value, metric.Unit) : Quantity.None;

    /// <summary>Returns <see cref="Value"/> as text with its unit. "–" when there is no value.</summary>
    public string Show(Metric metric)
    {
        if (isOfBuilds && !metric.IsOfLatencies)
            return ShowMiddle(metric);
        var isBound = metric.AtLeast is { } atLeast && Median is not null
            && (metric.IsOfLatencies ? atLeast(All) : Key.IsFullLoad ? atLeast(Median) : Rounds.Any(atLeast));
        return Value(metric) is { } value ? (isBound ? "≥ " : "") + Quantity.Show(value, metric.Unit) : Quantity.None;
    }

    /// <summary>Whether one-way messages arrived but no latency is known.</summary>
    public bool IsUntimed => Key.IsOneWay && Rounds.Any(r => r.Record.Ok > 0) && Rounds.All(r => r.Ended.Count == 0);

    /// <summary>
    /// A round with the latencies of all rounds together. Only the latencies of this round may be used. Null without rounds.
    /// </summary>
    public RoundMetrics? OfLatencies => Median is null ? null : All;

    /// <summary>
    /// Computes how far a metric varies over the rounds: the signed-rank interval, or minimum and maximum (IsRange is
    /// then true) when there are too few rounds for an interval. Null with fewer than two rounds.
    /// </summary>
    /// <param name="alpha">The probability that the interval misses the middle of the values.</param>
    public (Interval Bounds, bool IsRange)? OverRounds(Metric metric, double alpha)
    {
        var values = Values(metric).ToList();
        return values.Count < 2 ? null : SignedRank.IntervalOf([.. values], alpha) is { } interval ? (interval, false)
            : (new Interval(values.Min(), values.Max()), true);
    }

    private RoundMetrics All => all ??= RoundMetrics.Together(Rounds);

    internal static RoundMetrics? MedianOf(IReadOnlyList<RoundMetrics> rounds) =>
        rounds.Count == 0 ? null : rounds.OrderBy(r => r.Rate).ThenBy(r => r.Record.Number).ElementAt((rounds.Count - 1) / 2);
}
