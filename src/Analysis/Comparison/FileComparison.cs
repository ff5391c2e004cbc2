using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Comparison;

/// <summary>
/// One run against another: cells aligned by what they are, never by where they ran. Or one side of a run against the other (<c>ab</c>):
/// then rounds are pairs, no drift lies between them, and a difference of the metrics that are shown is decided at one level for all of
/// them together.
/// </summary>
public sealed class FileComparison
{
    /// <summary>The metrics of which every comparison tells.</summary>
    public static readonly IReadOnlyList<Metric> Shown = [Metric.Rate, Metric.P50, Metric.P99, Metric.ClientCpu, Metric.ServerCpu];

    /// <summary>What sets the cells of the second side apart in a run of <c>ab</c>.</summary>
    public const string HeadVariant = ReferenceChoice.HeadVariant;

    private readonly Dictionary<Metric, Drift> drifts = [];
    private readonly Dictionary<(MeasuredCell, Metric), Interval?> joint = [];
    private readonly IReadOnlyList<Metric> asked;

    public FileComparison(NamedRun before, NamedRun after)
        : this(before, after, isPaired: false, asked: [])
    {
    }

    private FileComparison(NamedRun before, NamedRun after, bool isPaired, IReadOnlyList<Metric> asked)
    {
        (IsPaired, this.asked) = (isPaired, asked);
        (Before, After) = (before, after);
        Machines = Differences.OfMachines(before.Run.Record, after.Run.Record);
        Settings = Differences.OfSettings(before.Run.Record, after.Run.Record);
        CountedTheOldWay = CountsParts(before) == CountsParts(after) ? null : CountsParts(before) ? after : before;
        var (old, now) = (ByKey(before.Run), ByKey(after.Run));
        Cells = [.. old.Keys.Where(now.ContainsKey).Select(key => (old[key], now[key]))];
        OnlyBefore = [.. old.Keys.Where(key => !now.ContainsKey(key))];
        OnlyAfter = [.. now.Keys.Where(key => !old.ContainsKey(key))];
        if (isPaired)
            JudgeTogether();
    }

    /// <summary>Head against base of one run of <c>ab</c>.</summary>
    public static FileComparison OfSides(RunRecord run)
    {
        var measured = new MeasuredRun(run);
        return new FileComparison(Side(measured, isHead: false), Side(measured, isHead: true), isPaired: true, asked: []);
    }

    /// <summary>Both are sides of one run, interleaved: rounds of the same number are pairs.</summary>
    public bool IsPaired { get; }

    /// <summary>
    /// The same where somebody asked for limits of these metrics: they are a family of their own, at a level that the others do not share.
    /// </summary>
    public FileComparison For(IEnumerable<GateLimit> limits) =>
        new(Before, After, IsPaired, [.. limits.Select(limit => limit.Metric).Distinct()]);

    /// <summary>
    /// Comparisons that share one level: those of the metrics that a limit was asked for, those of the other metrics of
    /// <see cref="Shown"/>; 1 for any other metric, whose interval stands by itself.
    /// </summary>
    public int ClaimsOf(Metric metric) => Math.Max(1, FamilyOf(metric).Count * Cells.Count);

    private IReadOnlyList<Metric> FamilyOf(Metric metric) =>
        asked.Contains(metric) ? asked : Shown.Contains(metric) ? [.. Shown.Except(asked)] : [];

    /// <summary>Limits were asked for: <see cref="For"/>.</summary>
    public bool HasLimits => asked.Count > 0;

    /// <summary>A run could end, or went on, for what it showed.</summary>
    public bool IsLookedAt => Before.Run.Record.Options.IsLookedAt() || After.Run.Record.Options.IsLookedAt();

    public NamedRun Before { get; }

    public NamedRun After { get; }

    public IReadOnlyList<Difference> Machines { get; }

    public IReadOnlyList<Difference> Settings { get; }

    public bool SameMachine => Machines.Count == 0;

    /// <summary>
    /// The file that counts calls cut by the edges of a window not at all, where the other one credits their parts: rates of large replies
    /// then differ by that alone. Null when both count alike.
    /// </summary>
    public NamedRun? CountedTheOldWay { get; }

    /// <summary>What intervals of this metric are widened by.</summary>
    public Drift DriftOf(Metric metric)
    {
        if (IsPaired)
            return new Drift(0, 0);
        if (!drifts.TryGetValue(metric, out var drift))
            drifts[metric] = drift = Drift.Between(Before.Run, After.Run, metric);
        // Two machines run the fixed loop at different speeds, which is no drift of either.
        return SameMachine ? drift : drift with { FixedLoop = 0 };
    }

    /// <summary>The cells that both have, in the order of the first.</summary>
    public IReadOnlyList<(MeasuredCell Before, MeasuredCell After)> Cells { get; }

    public IReadOnlyList<CellKey> OnlyBefore { get; }

    public IReadOnlyList<CellKey> OnlyAfter { get; }

    /// <summary>
    /// After / before of one metric of one cell, with an interval that holds together with those of its family; null when one of the two
    /// does not tell it.
    /// </summary>
    public RatioEstimate? Estimate(MeasuredCell before, MeasuredCell after, Metric metric) => IsPaired
        ? RatioEstimate.Of(RoundPairs.Of(after, before, metric).Select(pair => (pair.Number, pair.Base, pair.New)), IsLookedAt,
            ClaimsOf(metric), joint.TryGetValue((after, metric), out var interval) ? _ => interval : null)
        : RatioEstimate.Unpaired(before.Values(metric), after.Values(metric), Alpha / ClaimsOf(metric), DriftOf(metric).Allowance);

    /// <summary>
    /// Probability with which any interval of a family may miss the truth. Of a file that could end for what it showed the rounds are not
    /// as they come, so less is allowed there.
    /// </summary>
    public double Alpha => Joint.Alpha / (!IsPaired && IsLookedAt ? 5 : 1);

    /// <summary>The verdict of that, when differences below the second run's delta do not matter.</summary>
    public Verdict? Judge(MeasuredCell before, MeasuredCell after, Metric metric)
    {
        if (Estimate(before, after, metric) is not { } estimate)
            return null;
        var verdict = Verdict.Of(estimate, After.Run.Record.Options.Delta, ClaimsOf(metric));
        return ArmComparison.Bound(after, before, metric, verdict.Kind) is { } bound
            ? verdict.Without(ArmComparison.OnlyBound(metric, bound == after ? After.Name : Before.Name)) : verdict;
    }

    /// <summary>The verdicts of all cells that have it by one metric.</summary>
    public IReadOnlyList<(MeasuredCell Before, Verdict? Verdict)> JudgeAll(Metric metric) =>
        [.. Cells.Where(cell => metric.Value(cell.Before.Median!) != null || metric.Value(cell.After.Median!) != null)
            .Select(cell => (cell.Before, Judge(cell.Before, cell.After, metric)))];

    private void JudgeTogether()
    {
        foreach (var family in new[] { asked, [.. Shown.Except(asked)] })
        {
            var series = (from cell in Cells
                          from metric in family
                          let pairs = RoundPairs.Of(cell.After, cell.Before, metric).Where(pair => pair.HasRatio)
                              .Select(pair => (pair.Number, pair.Log)).ToList()
                          where pairs.Count > 0
                          select (Key: (cell.After, metric), Pairs: pairs)).ToList();
            // A metric that no round has is no comparison. Where a run may go on for what it shows, a later round may have the metric.
            var intervals = Joint.Intervals(
                [.. series.Select(one => one.Pairs)], IsLookedAt, IsLookedAt ? family.Count * Cells.Count : series.Count);
            foreach (var (one, interval) in series.Zip(intervals))
                joint[one.Key] = interval;
        }
    }

    /// <summary>The rounds that count of one side, as a run of its own.</summary>
    private static NamedRun Side(MeasuredRun run, bool isHead)
    {
        var cells = run.Cells.Where(cell => ReferenceChoice.IsHead(cell.Key) == isHead).ToList();
        var addresses = cells.Select(cell => cell.Cell.Address).ToHashSet();
        return new NamedRun(isHead ? "head" : "base", new MeasuredRun(run.Record with
        {
            Cells = [.. cells.Select(cell => cell.Cell with { Key = ReferenceChoice.WithoutHead(cell.Key) })],
            Rounds = [.. cells.SelectMany((cell, i) => cell.Rounds.Select(round => round.Record with { Cell = i, Attempt = 0 }))],
            Servers = [.. run.Record.Servers.Where(server => server.Addresses.Any(addresses.Contains))],
        }));
    }

    private static bool CountsParts(NamedRun file) => file.Run.Record.Rounds.All(round => round.Credited is not null);

    private static Dictionary<CellKey, MeasuredCell> ByKey(MeasuredRun run) =>
        run.Cells.Where(cell => cell.Rounds.Count > 0).GroupBy(cell => cell.Key).ToDictionary(group => group.Key, group => group.First());
}
