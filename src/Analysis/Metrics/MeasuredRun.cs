using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Metrics;

/// <summary>A run seen by cells: spoiled and repeated rounds set aside, each arm with the reference it is compared with.</summary>
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

    /// <summary>In the order of <see cref="RunRecord.Cells"/>, one for one.</summary>
    public IReadOnlyList<MeasuredCell> Cells { get; }

    /// <summary>Rounds of which something was measured again because something else had the machine.</summary>
    public int Repeated => Record.Rounds.Where(round => round.Attempt > 0)
        .Select(round => (Record.Cells[round.Cell].Key.Load, round.Number)).Distinct().Count();

    /// <summary>Rounds that every measured cell has.</summary>
    public int CommonRounds => Cells.Where(cell => !cell.Key.IsSearch).Select(cell => cell.Rounds.Count).DefaultIfEmpty(0).Min();

    /// <summary>It is one of <c>ab</c>: two builds of a server are compared, and nothing else.</summary>
    public bool IsOfBuilds => Record.Scenario == "ab";

    /// <summary>The cell that this one is compared with; null when it is a reference itself or there is none.</summary>
    public MeasuredCell? ReferenceOf(MeasuredCell cell) =>
        IsOfBuilds && !ReferenceChoice.IsHead(cell.Key) ? null : references.Of(cell.Index) is { } index ? Cells[index] : null;

    /// <summary>
    /// The rounds that count: of several attempts the last one in which every cell that is compared with another was measured, since pairs
    /// are of one attempt. A window that was cut short (Ctrl-C, a lost server) counts only for a cell that has no other. Any further choice
    /// would select results.
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

/// <summary>One run in a report, and the name that tells it from the others.</summary>
public sealed record NamedRun(string Name, MeasuredRun Run);

/// <summary>One cell of a run with the rounds of it that count, in the order of their numbers.</summary>
public sealed class MeasuredCell
{
    private readonly bool isOfBuilds;
    private RoundMetrics? all;

    internal MeasuredCell(int index, Cell cell, IReadOnlyList<RoundMetrics> rounds, bool isOfBuilds = false)
    {
        (Index, Cell, this.isOfBuilds) = (index, cell, isOfBuilds);
        Rounds = cell.Key.IsSearch ? [] : rounds;
        Windows = cell.Key.IsSearch ? rounds : [];
        Median = MedianOf(Rounds);
    }

    /// <summary>Index into <see cref="RunRecord.Cells"/>.</summary>
    public int Index { get; }

    public Cell Cell { get; }

    public CellKey Key => Cell.Key;

    /// <summary>None of a search: see <see cref="Windows"/>.</summary>
    public IReadOnlyList<RoundMetrics> Rounds { get; }

    /// <summary>The rounds of a search, each of which had a rate of its own, so that none stands for another; else none.</summary>
    public IReadOnlyList<RoundMetrics> Windows { get; }

    /// <summary>
    /// The round that is the median by requests/s, whole; of an even number the lower of the two in the middle; null without rounds.
    /// </summary>
    public RoundMetrics? Median { get; }

    /// <summary>What is compared with each other: everything of the key but the arm.</summary>
    public Workload Workload => Workload.Of(Key);

    /// <summary>Values of the rounds that have one.</summary>
    public IEnumerable<double> Values(Metric metric) => Rounds.Select(metric.Value).OfType<double>();

    /// <summary>
    /// The number that stands for the cell: of its median round where requests/s are what was found, but the median over the rounds of
    /// what a call costs (<see cref="Metric.IsCostOfCall"/>). Where the load was given all rounds have about the same rate, so that any of
    /// them could be the median: there percentiles are of the calls of all rounds together, and everything else is the median over the
    /// rounds. Of two builds it is the <see cref="Middle"/>. Null when no round tells it.
    /// </summary>
    public double? Value(Metric metric) => Median is null ? null
        : isOfBuilds && metric.Value(Median) is not null ? Middle(metric)
        : Key.Load == "max" && !metric.IsCostOfCall ? metric.Value(Median)
        : metric.IsOfLatencies ? metric.Value(All)
        : RatioEstimate.Median(Values(metric)) is var median && double.IsNaN(median) ? null : median;

    /// <summary>
    /// The median of the metric itself over the rounds, so that a ratio of cells is that of these two numbers; null when the median round
    /// does not tell it.
    /// </summary>
    public double? Middle(Metric metric)
    {
        var logs = Values(metric).Where(value => value > 0).Select(value => Math.Log(value)).ToList();
        return Median is null ? null : logs.Count == 0 ? metric.Value(Median) : Math.Exp(RatioEstimate.Median(logs));
    }

    /// <summary><see cref="Middle"/> as text with its unit, – when there is none.</summary>
    public string ShowMiddle(Metric metric) => Middle(metric) is { } value
        ? (metric.IsBound(Rounds) ? "≥ " : "") + Quantity.Show(value, metric.Unit) : Quantity.None;

    /// <summary>That as text with its unit, – when there is none.</summary>
    public string Show(Metric metric)
    {
        if (isOfBuilds)
            return ShowMiddle(metric);
        var isBound = metric.AtLeast is { } atLeast && Median is not null
            && (Key.Load == "max" ? atLeast(Median) : metric.IsOfLatencies ? atLeast(All) : Rounds.Any(atLeast));
        return Value(metric) is { } value ? (isBound ? "≥ " : "") + Quantity.Show(value, metric.Unit) : Quantity.None;
    }

    /// <summary>Messages went one way and ended well, and nobody knows how long any of them took.</summary>
    public bool IsUntimed => Key.IsOneWay && Rounds.Any(r => r.Record.Ok > 0) && Rounds.All(r => r.Ended.Count == 0);

    /// <summary>
    /// Whose latencies stand for the cell: its median round, or where the load was given one with those of all rounds together, of which
    /// nothing else may be asked; null without rounds.
    /// </summary>
    public RoundMetrics? OfLatencies => Median is null || Key.Load == "max" ? Median : All;

    /// <summary>
    /// Between which values the single rounds lie: their signed-rank interval, or their range where they are too few for one; null below
    /// two rounds.
    /// </summary>
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

/// <summary>
/// The place in the plan at which arms are compared: same method, size, connections, streams, load and work of the server.
/// </summary>
public sealed record Workload(long Size, int Connections, int Streams, string Load, string Method = "", string ServerWork = "")
{
    public static Workload Of(CellKey key) => new(key.Size, key.Connections, key.Streams, key.Load, key.Method, key.ServerWork);

    /// <inheritdoc cref="CellKey.Work"/>
    public string Work => CellKey.WorkOf(Method, Size, ServerWork);
}

/// <summary>
/// Which cell each cell is compared with. A reference that is a bare transport is sought first within the same client, protocol and variant
/// (grpc-dotnet over a pipe against grpc-dotnet over TCP), and the reference's own other variants are compared with the plain one. Of a
/// setting's value one asks what it changes: its reference is the same transport without it, where that was measured.
/// </summary>
internal sealed class ReferenceChoice(string reference, IReadOnlyList<CellKey> cells)
{
    /// <summary>What sets the cells of the second build apart in a run of <c>ab</c>.</summary>
    public const string HeadVariant = "build=head";

    private const StringSplitOptions Plain = StringSplitOptions.RemoveEmptyEntries;

    private readonly bool isArm = cells.Any(key => key.Arm == reference) && !cells.Any(key => key.Transport == reference);

    /// <summary>Index of the reference of this cell; null when it has none or is one.</summary>
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

    /// <summary>Whether it is what <paramref name="key"/> is without the value of a setting, or of several.</summary>
    public static bool IsDefaultOf(CellKey other, CellKey key)
    {
        if ((other.Transport, other.Protocol, other.Client, other.Mode) != (key.Transport, key.Protocol, key.Client, key.Mode))
            return false;
        var (fewer, all) = (other.Setting.Split(' ', Plain), key.Setting.Split(' ', Plain));
        return fewer.Length < all.Length && fewer.All(part => all.Contains(part)) && all.Except(fewer).All(IsSetting);
    }

    /// <summary>Whether it has the value of a setting, as the arms of a sweep have: <c>socket-buffer=64k</c>.</summary>
    public static bool IsSetting(CellKey key) => IsSetting(key.Setting);

    /// <summary>Whether it is one of the second build in a run of <c>ab</c>.</summary>
    public static bool IsHead(CellKey key) => key.Variant.Split(' ').Contains(HeadVariant);

    /// <summary>The same of either build.</summary>
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
