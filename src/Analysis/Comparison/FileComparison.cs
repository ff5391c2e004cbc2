using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Comparison;

/// <summary>
/// Two runs compared cell by cell. Cells with the same key are compared, whatever their addresses. The two runs may
/// also be the sides of one run of <c>ab</c>. For such sides the rounds form pairs, no drift is assumed, and all shown
/// metrics have simultaneous intervals.
/// </summary>
public sealed class FileComparison
{
    /// <summary>The metrics that every comparison shows.</summary>
    public static readonly IReadOnlyList<Metric> Shown = [Metric.Rate, Metric.P50, Metric.P99, Metric.ClientCpu, Metric.ServerCpu];

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
        var (old, now) = (ByKey(before.Run), ByKey(after.Run));
        Cells = [.. old.Keys.Where(now.ContainsKey).Select(key => (old[key], now[key]))];
        OnlyBefore = [.. old.Keys.Where(key => !now.ContainsKey(key))];
        OnlyAfter = [.. now.Keys.Where(key => !old.ContainsKey(key))];
        if (isPaired)
            JudgeTogether();
    }

    /// <summary>Compares the two sides of a run of <c>ab</c>: head with base.</summary>
    public static FileComparison OfSides(RunRecord run)
    {
        var measured = new MeasuredRun(run);
        return new FileComparison(Side(measured, isHead: false), Side(measured, isHead: true), isPaired: true, asked: []);
    }

    /// <summary>Whether both sides were measured together, in one run, so that rounds with the same number form pairs.</summary>
    public bool IsPaired { get; }

    /// <summary>
    /// Returns the same comparison with these limits. The metrics that have limits form a family of their own: their
    /// intervals are simultaneous with each other, but not with the intervals of other metrics.
    /// </summary>
    public FileComparison For(IEnumerable<GateLimit> limits) =>
        new(Before, After, IsPaired, [.. limits.Select(limit => limit.Metric).Distinct()]);

    /// <summary>
    /// Counts the comparisons in the family of the metric, which share its confidence level. All metrics with limits
    /// are one family. The metrics of <see cref="Shown"/> without limits are another family. Any other metric is in no
    /// family, so its count is 1.
    /// </summary>
    public int ClaimsOf(Metric metric) => Math.Max(1, FamilyOf(metric).Count * Cells.Count);

    private IReadOnlyList<Metric> FamilyOf(Metric metric) =>
        asked.Contains(metric) ? asked : Shown.Contains(metric) ? [.. Shown.Except(asked)] : [];

    /// <summary>Whether the comparison has limits: see <see cref="For"/>.</summary>
    public bool HasLimits => asked.Count > 0;

    /// <summary>Whether at least one of the runs could end depending on its own results.</summary>
    public bool IsLookedAt => Before.Run.Record.Options.IsLookedAt() || After.Run.Record.Options.IsLookedAt();

    public NamedRun Before { get; }

    public NamedRun After { get; }

    public IReadOnlyList<Difference> Machines { get; }

    public IReadOnlyList<Difference> Settings { get; }

    public bool SameMachine => Machines.Count == 0;

    /// <summary>Returns the drift by which intervals of this metric are widened.</summary>
    public Drift DriftOf(Metric metric)
    {
        if (IsPaired)
            return new Drift(0, 0);
        if (!drifts.TryGetValue(metric, out var drift))
            drifts[metric] = drift = Drift.Between(Before.Run, After.Run, metric);
        // Two different machines run the fixed loop at different speeds. This difference is not drift.
        return SameMachine ? drift : drift with { FixedLoop = 0 };
    }

    /// <summary>The cells that both runs have, in the order of the first run.</summary>
    public IReadOnlyList<(MeasuredCell Before, MeasuredCell After)> Cells { get; }

    public IReadOnlyList<CellKey> OnlyBefore { get; }

    public IReadOnlyList<CellKey> OnlyAfter { get; }

    /// <summary>
    /// Estimates the ratio after / before of a metric of a cell, with the simultaneous interval of its family. Null when
    /// no two values above 0 can be compared.
    /// </summary>
    public RatioEstimate? Estimate(MeasuredCell before, MeasuredCell after, Metric metric) => IsPaired
        ? RatioEstimate.FromPairs(RoundPairs.Match(after, before, metric).Select(pair => (pair.Number, pair.Base, pair.New)), IsLookedAt,
            ClaimsOf(metric), joint.TryGetValue((after, metric), out var interval) ? _ => interval : null)
        : RatioEstimate.Unpaired(before.Values(metric), after.Values(metric), Alpha / ClaimsOf(metric), DriftOf(metric).Allowance);

    /// <summary>
    /// The probability that any interval of a family misses the true value. For two files, this probability is smaller
    /// if one of the runs could end depending on its own results, because the rounds of such a run are not a random
    /// sample.
    /// </summary>
    public double Alpha => Joint.Alpha / (!IsPaired && IsLookedAt ? 5 : 1);

    /// <summary>
    /// Judges the estimated ratio of the metric. Differences smaller than the second run's delta do not matter. Null
    /// without an estimate.
    /// </summary>
    public Verdict? Judge(MeasuredCell before, MeasuredCell after, Metric metric)
    {
        if (Estimate(before, after, metric) is not { } estimate)
            return null;
        var verdict = Verdict.From(estimate, After.Run.Record.Options.Delta, ClaimsOf(metric));
        if (TooShort(before, after, metric) is { } why)
            return verdict.Without(why);
        return ArmComparison.Bound(after, before, metric, verdict.Kind) is { } bound
            ? verdict.Without(ArmComparison.OnlyBound(metric, bound == after ? After.Name : Before.Name)) : verdict;
    }

    /// <summary>Returns why requests/s have no verdict: windows that hold too few calls. Null when they may have a verdict.</summary>
    internal string? TooShort(MeasuredCell before, MeasuredCell after, Metric metric) => metric != Metric.Rate ? null
        : ArmComparison.TooShort(Before.Run, before) ?? ArmComparison.TooShort(After.Run, after);

    /// <summary>Judges the metric in every cell that has this metric in at least one of the runs.</summary>
    public IReadOnlyList<(MeasuredCell Before, Verdict? Verdict)> JudgeAll(Metric metric) =>
        [.. Cells.Where(cell => cell.Before.Values(metric).Any() || cell.After.Values(metric).Any())
            .Select(cell => (cell.Before, Judge(cell.Before, cell.After, metric)))];

    private void JudgeTogether()
    {
        foreach (var family in new[] { asked, [.. Shown.Except(asked)] })
        {
            var series = (from cell in Cells
                          from metric in family
                          let pairs = RoundPairs.Match(cell.After, cell.Before, metric).Where(pair => pair.HasRatio)
                              .Select(pair => (pair.Number, pair.Log)).ToList()
                          where pairs.Count > 0
                          select (Key: (cell.After, metric), Pairs: pairs)).ToList();
            // A metric without rounds needs no interval. But if the run may end depending on its results, a later round
            // may have the metric, so each comparison by this metric counts already.
            var intervals = Joint.Intervals(
                [.. series.Select(one => one.Pairs)], IsLookedAt, IsLookedAt ? family.Count * Cells.Count : series.Count);
            foreach (var (one, interval) in series.Zip(intervals))
                joint[one.Key] = interval;
        }
    }

    /// <summary>Makes a run from the cells of one side, without the rounds that <paramref name="run"/> leaves out.</summary>
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

    private static Dictionary<CellKey, MeasuredCell> ByKey(MeasuredRun run) =>
        run.Cells.Where(cell => cell.Rounds.Count > 0).GroupBy(cell => cell.Key).ToDictionary(group => group.Key, group => group.First());
}
