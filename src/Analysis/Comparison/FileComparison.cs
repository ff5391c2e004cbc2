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
    public const string HeadVariant = "build=head";

    private readonly Dictionary<Metric, Drift> drifts = [];
    private readonly Dictionary<(MeasuredCell, Metric), double> adjusted = [];

    public FileComparison(NamedRun before, NamedRun after)
        : this(before, after, isPaired: false)
    {
    }

    private FileComparison(NamedRun before, NamedRun after, bool isPaired)
    {
        IsPaired = isPaired;
        (Before, After) = (before, after);
        Machines = Differences.OfMachines(before.Run.Record, after.Run.Record);
        Settings = Differences.OfSettings(before.Run.Record, after.Run.Record);
        CountedTheOldWay = CountsParts(before) == CountsParts(after) ? null : CountsParts(before) ? after : before;
        var (old, now) = (ByKey(before.Run), ByKey(after.Run));
        Cells = [.. old.Keys.Where(now.ContainsKey).Select(key => (old[key], now[key]))];
        OnlyBefore = [.. old.Keys.Where(key => !now.ContainsKey(key))];
        OnlyAfter = [.. now.Keys.Where(key => !old.ContainsKey(key))];
        if (isPaired)
            AdjustTogether();
    }

    /// <summary>Head against base of one run of <c>ab</c>.</summary>
    public static FileComparison OfSides(RunRecord run)
    {
        var measured = new MeasuredRun(run);
        return new FileComparison(Side(measured, isHead: false), Side(measured, isHead: true), isPaired: true);
    }

    /// <summary>Both are sides of one run, interleaved: rounds of the same number are pairs.</summary>
    public bool IsPaired { get; }

    /// <summary>Comparisons that are decided at one level together; 0 where each stands by itself.</summary>
    public int Claims => adjusted.Count;

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

    /// <summary>After / before of one metric of one cell; null when one of them does not tell it.</summary>
    public RatioEstimate? Estimate(MeasuredCell before, MeasuredCell after, Metric metric) => Estimate(before, after, metric, Alpha);

    private RatioEstimate? Estimate(MeasuredCell before, MeasuredCell after, Metric metric, double alpha) => IsPaired
        ? RatioEstimate.Paired(ArmComparison.Pairs(after, before, metric), alpha)
        : RatioEstimate.Unpaired(before.Values(metric), after.Values(metric), alpha, DriftOf(metric).Allowance);

    /// <summary>Probability with which an interval may miss the truth, after the stricter of both runs.</summary>
    public double Alpha => Math.Min(Before.Run.Record.Options.Alpha(),
        After.Run.Record.Options.Alpha());

    /// <summary>The verdict of that, when differences below the second run's delta do not matter.</summary>
    public Verdict? Judge(MeasuredCell before, MeasuredCell after, Metric metric)
    {
        if (Estimate(before, after, metric) is not { } estimate)
            return null;
        var isShared = adjusted.TryGetValue((after, metric), out var probability);
        // Rounds are added to a run of two sides by --resume; of two files another pair can be made.
        var verdict = Verdict.Of(estimate, After.Run.Record.Options.Delta, IsPaired ? StoppingRule.AlphaOfLook : null,
            isShared ? Claims : 1);
        if (isShared)
            verdict = verdict.Among(Claims, Holm.FewestRounds(Claims, Alpha), probability <= Alpha + 1e-12);
        return ArmComparison.Bound(after, before, metric, verdict.Kind) is { } bound
            ? verdict.Without(ArmComparison.OnlyBound(metric, bound == after ? After.Name : Before.Name)) : verdict;
    }

    /// <summary>Holm's correction over all that is shown: of two equal builds one in twenty runs finds any difference at all.</summary>
    private void AdjustTogether()
    {
        var all = (from cell in Cells
                   from metric in Shown
                   let pairs = ArmComparison.Pairs(cell.After, cell.Before, metric).ToList()
                   where pairs.Count > 0
                   let isWhole = pairs.TrueForAll(pair => pair is { Base: > 0, New: > 0 })
                   select (Key: (cell.After, metric),
                       Probability: isWhole ? SignedRank.PValue(pairs.Select(pair => Math.Log(pair.New / pair.Base))) : 1)).ToList();
        foreach (var (one, probability) in all.Zip(Holm.Adjust([.. all.Select(one => one.Probability)])))
            adjusted[one.Key] = probability;
    }

    /// <summary>The rounds that count of one side, as a run of its own.</summary>
    private static NamedRun Side(MeasuredRun run, bool isHead)
    {
        static IEnumerable<string> Others(CellKey key) => key.Variant.Split(' ').Where(part => part != HeadVariant);
        var cells = run.Cells.Where(cell => cell.Key.Variant.Split(' ').Contains(HeadVariant) == isHead).ToList();
        var addresses = cells.Select(cell => cell.Cell.Address).ToHashSet();
        return new NamedRun(isHead ? "head" : "base", new MeasuredRun(run.Record with
        {
            Cells = [.. cells.Select(cell => cell.Cell with { Key = cell.Key with { Variant = string.Join(' ', Others(cell.Key)) } })],
            Rounds = [.. cells.SelectMany((cell, i) => cell.Rounds.Select(round => round.Record with { Cell = i, Attempt = 0 }))],
            Servers = [.. run.Record.Servers.Where(server => server.Addresses.Any(addresses.Contains))],
        }));
    }

    /// <summary>
    /// The verdicts of all cells by one metric; of those that differ by themselves one is called different only where all together allow it
    /// (<see cref="Holm"/>, by intervals), so that of two equal files at most one in twenty has any.
    /// </summary>
    public IReadOnlyList<(MeasuredCell Before, Verdict? Verdict)> JudgeTogether(Metric metric)
    {
        var judged = Cells.Where(cell => metric.Value(cell.Before.Median!) != null || metric.Value(cell.After.Median!) != null)
            .Select(cell => (Cell: cell, Verdict: Judge(cell.Before, cell.After, metric))).ToList();
        // All that is shown of two sides is decided together already.
        if (IsPaired)
            return [.. judged.Select(one => (one.Cell.Before, one.Verdict))];
        var open = judged.Where(one => one.Verdict?.Kind is VerdictKind.Higher or VerdictKind.Lower).Select(one => one.Cell).ToList();
        for (var left = judged.Count; open.Count > 0;)
        {
            var stay = open.Where(cell => Estimate(cell.Before, cell.After, metric, Alpha / left)?.Interval?.Contains(1) != false).ToList();
            if (stay.Count == open.Count)
                break;
            (left, open) = (left - (open.Count - stay.Count), stay);
        }
        return [.. judged.Select(one => (one.Cell.Before, open.Contains(one.Cell)
            ? one.Verdict!.Among(judged.Count, RatioEstimate.FewestUnpaired(Alpha / judged.Count), allowed: false) : one.Verdict))];
    }

    private static bool CountsParts(NamedRun file) => file.Run.Record.Rounds.All(round => round.Credited is not null);

    private static Dictionary<CellKey, MeasuredCell> ByKey(MeasuredRun run) =>
        run.Cells.Where(cell => cell.Rounds.Count > 0).GroupBy(cell => cell.Key).ToDictionary(group => group.Key, group => group.First());
}
