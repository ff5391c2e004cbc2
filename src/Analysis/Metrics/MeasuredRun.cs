using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Metrics;

/// <summary>
/// A run, divided into its cells. For each arm it knows the reference that the arm is compared with. Rounds that were
/// spoiled and repeated are left out.
/// </summary>
public sealed class MeasuredRun
{
    private readonly ReferenceChoice references;

    public MeasuredRun(RunRecord record)
    {
        Record = record;
        var counting = Counting(record).ToLookup(round => round.Cell);
        Cells = [.. record.Cells.Select((cell, i) =>
            new MeasuredCell(i, cell, [.. counting[i].OrderBy(r => r.Number).Select(r => new RoundMetrics(r))], IsOfBuilds))];
        references = new ReferenceChoice(record.Options.Reference, [.. Cells.Select(cell => cell.Key)]);
    }

    public RunRecord Record { get; }

    /// <summary>The cells in the order of <see cref="RunRecord.Cells"/>.</summary>
    public IReadOnlyList<MeasuredCell> Cells { get; }

    /// <summary>The number of rounds in which a cell was measured again because something else had disturbed it.</summary>
    public int Repeated => Record.Rounds.Where(round => round.Attempt > 0)
        .Select(round => (Record.Cells[round.Cell].Key.Load, round.Number)).Distinct().Count();

    /// <summary>The number of rounds that every cell has. Cells of a search for a rate are left out.</summary>
    public int CommonRounds => Cells.Where(cell => !cell.Key.VariesRate).Select(cell => cell.Rounds.Count).DefaultIfEmpty(0).Min();

    /// <summary>Whether the run is one of <c>ab</c>, which compares two builds of a server and nothing else.</summary>
    public bool IsOfBuilds => Record.Scenario == "ab";

    /// <summary>Returns the cell that this cell is compared with. Null when the cell is a reference or has no reference.</summary>
    public MeasuredCell? ReferenceOf(MeasuredCell cell) =>
        IsOfBuilds && !ReferenceChoice.IsHead(cell.Key) ? null : references.Of(cell.Index) is { } index ? Cells[index] : null;

    /// <summary>
    /// Chooses the rounds that count. A pair must come from one attempt. So of several attempts at a round of a
    /// workload, the last attempt that measured all of its cells counts, or the first attempt if none did. A window
    /// that was cut to less than half of its planned length (Ctrl-C, a lost server) counts only if all windows of its
    /// cell were. Any further choice would select results.
    /// </summary>
    private static IEnumerable<Measurement> Counting(RunRecord record)
    {
        var attempts = record.Rounds.GroupBy(round => (Workload.Of(record.Cells[round.Cell].Key), round.Number))
            .SelectMany(number => LastWhole([.. number]));
        return attempts.GroupBy(round => round.Cell).SelectMany(cell => cell.Any(IsWhole) ? cell.Where(IsWhole) : cell);

        bool IsWhole(Measurement round) => round.WindowNs * 2 >= record.Options.DurationNs && round.Started * 2 >= record.Options.Calls;
    }

    private static IEnumerable<Measurement> LastWhole(IReadOnlyList<Measurement> rounds)
    {
        var cells = rounds.Select(round => round.Cell).Distinct().Count();
        var attempts = rounds.GroupBy(round => round.Attempt).OrderBy(attempt => attempt.Key).ToList();
        return attempts.LastOrDefault(attempt => attempt.Select(round => round.Cell).Distinct().Count() == cells)
            ?? attempts[0].AsEnumerable();
    }
}

/// <summary>A run in a report, with the name that distinguishes it from the other runs.</summary>
public sealed record NamedRun(string Name, MeasuredRun Run);

/// <summary>A cell of a run with its rounds that count, ordered by round number.</summary>
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

    /// <summary>The rounds of a search. Each had its own rate, so none of them stands for the others. Empty for other cells.</summary>
    public IReadOnlyList<RoundMetrics> Windows { get; }

    /// <summary>
    /// The round with the median of requests/s. If the number of rounds is even, the lower of the two middle rounds.
    /// Null without rounds.
    /// </summary>
    public RoundMetrics? Median { get; }

    /// <summary>What the cell has in common with the cells that it is compared with: everything in the key except the arm.</summary>
    public Workload Workload => Workload.Of(Key);

    /// <summary>Lists the values of the metric, one for each round that has it.</summary>
    public IEnumerable<double> Values(Metric metric) => Rounds.Select(metric.Value).OfType<double>();

    /// <summary>
    /// Returns the number that stands for the cell. A latency is of the calls of all rounds together. The cost of a
    /// call (<see cref="Metric.IsCostOfCall"/>) is the median over the rounds. At full load, any other metric is that of
    /// the median round, because requests/s are the result. At a given load, any other metric is the median over the
    /// rounds, because all rounds have about the same rate and any of them could be the median round. In a run of two
    /// builds, any other metric is <see cref="Middle"/>. Null when the rounds do not have the metric.
    /// </summary>
    public double? Value(Metric metric) => Median is null ? null
        : metric.IsOfLatencies ? metric.Value(All)
        : isOfBuilds && metric.Value(Median) is not null ? Middle(metric)
        : Key.IsFullLoad && !metric.IsCostOfCall ? metric.Value(Median)
        : RatioEstimate.Median(Values(metric)) is var median && double.IsNaN(median) ? null : median;

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

    /// <summary>Whether one-way messages arrived but the time of none of them is known.</summary>
    public bool IsUntimed => Key.IsOneWay && Rounds.Any(r => r.Record.Ok > 0) && Rounds.All(r => r.Ended.Count == 0);

    /// <summary>
    /// The latencies of all rounds together, as one round. Nothing else of this round may be used. Null without rounds.
    /// </summary>
    public RoundMetrics? OfLatencies => Median is null ? null : All;

    /// <summary>
    /// Computes the range of a metric over the rounds: the signed-rank interval, or minimum and maximum when there are
    /// too few rounds for an interval. Null with fewer than two rounds.
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

/// <summary>What arms must have in common to be compared: method, size, connections, streams, load and work of the server.</summary>
public sealed record Workload(long Size, int Connections, int Streams, string Load, string Method = "", string ServerWork = "")
{
    /// <inheritdoc cref="CellKey.IsFullLoad"/>
    public bool IsFullLoad => Load == CellKey.FullLoad;

    public static Workload Of(CellKey key) => new(key.Size, key.Connections, key.Streams, key.Load, key.Method, key.ServerWork);

    /// <inheritdoc cref="CellKey.Work"/>
    public string Work => CellKey.WorkOf(Method, Size, ServerWork);
}

/// <summary>
/// Chooses the reference of each cell. If the reference is named by its transport alone, a cell of this transport with
/// the same client, protocol, mode and variant is preferred: grpc-dotnet over a pipe is compared with grpc-dotnet over
/// TCP. Other cells are compared with the plain reference. A cell with a setting is compared with the same transport
/// without this setting if the run has such a cell, because the question is what the setting changes.
/// </summary>
internal sealed class ReferenceChoice(string reference, IReadOnlyList<CellKey> cells)
{
    /// <summary>The variant that marks cells of the second build in a run of <c>ab</c>.</summary>
    public const string HeadVariant = "build=head";

    private const StringSplitOptions Plain = StringSplitOptions.RemoveEmptyEntries;

    private readonly bool isArm = cells.Any(key => key.Arm == reference) && !cells.Any(key => key.Transport == reference);

    /// <summary>Returns the index of the reference of the cell. Null when the cell is a reference or has no reference.</summary>
    public int? Of(int cell)
    {
        var key = cells[cell];
        var candidates = Enumerable.Range(0, cells.Count).Where(i => SameWorkload(cells[i], key)).ToList();
        var named = First(candidates, other => other.Arm == reference);
        var family = isArm ? null : First(candidates, other => other.Transport == reference && other.Transport != key.Transport
            && SameFamily(other, key));
        var standard = isArm || !IsSetting(key) ? null : First(candidates, other => IsDefaultOf(other, key));
        var chosen = standard ?? family ?? named ?? First(candidates, other => other.Transport == reference);
        return chosen == cell ? null : chosen;
    }

    /// <summary>Whether <paramref name="other"/> is <paramref name="key"/> without one or more of its settings.</summary>
    public static bool IsDefaultOf(CellKey other, CellKey key)
    {
        if ((other.Transport, other.Protocol, other.Client, other.Mode) != (key.Transport, key.Protocol, key.Client, key.Mode))
            return false;
        var (fewer, all) = (other.Setting.Split(' ', Plain), key.Setting.Split(' ', Plain));
        return fewer.Length < all.Length && fewer.All(part => all.Contains(part)) && all.Except(fewer).All(IsSetting);
    }

    /// <summary>Whether the cell has a setting, as the arms of a sweep do: <c>socket-buffer=64k</c>.</summary>
    public static bool IsSetting(CellKey key) => IsSetting(key.Setting);

    /// <summary>Whether the cell belongs to the second build in a run of <c>ab</c>.</summary>
    public static bool IsHead(CellKey key) => key.Variant.Split(' ').Contains(HeadVariant);

    /// <summary>Returns the same cell without the mark of the second build.</summary>
    public static CellKey WithoutHead(CellKey key) =>
        key with { Variant = string.Join(' ', key.Variant.Split(' ').Where(part => part != HeadVariant)) };

    private static bool IsSetting(string variant) => variant.Contains('=', StringComparison.Ordinal);

    private int? First(List<int> candidates, Func<CellKey, bool> fits)
    {
        var found = candidates.FindIndex(i => fits(cells[i]));
        return found < 0 ? null : candidates[found];
    }

    private static bool SameWorkload(CellKey a, CellKey b) =>
        (a.Size, a.Connections, a.Streams, a.Load, a.ServerWork) == (b.Size, b.Connections, b.Streams, b.Load, b.ServerWork);

    private static bool SameFamily(CellKey a, CellKey b) =>
        (a.Protocol, a.Client, a.Mode, a.Variant) == (b.Protocol, b.Client, b.Mode, b.Variant);
}
