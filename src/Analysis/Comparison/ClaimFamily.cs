using System.Runtime.CompilerServices;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Comparison;

/// <summary>
/// Comparisons of a run that are judged together: their intervals hold all at once, so that of equal arms at most one run in twenty
/// names a difference in any of them. A run has two families. The first is what most people ask, a Unix socket against TCP, by what arms
/// are judged by and by the CPU of a call; the second is everything else that a report calls decided or not.
/// </summary>
public sealed class ClaimFamily
{
    private static readonly ConditionalWeakTable<MeasuredRun, ClaimFamily[]> OfRuns = [];

    private readonly Dictionary<(int One, int Other, string What), Interval?> intervals = [];

    private ClaimFamily(MeasuredRun run, IReadOnlyList<Claim> claims)
    {
        Claims = claims.Count;
        var measured = claims.Where(claim => claim.Series.Count > 0).ToList();
        FewestRounds = Joint.FewestRounds(run.Record.Options.IsLookedAt(), claims.Count, Math.Max(1, measured.Count));
        var found = Joint.Intervals([.. measured.Select(claim => claim.Series)], run.Record.Options.IsLookedAt(), claims.Count);
        foreach (var (claim, interval) in measured.Zip(found))
            intervals[(claim.One, claim.Other, claim.What)] = interval;
    }

    /// <summary>Number of comparisons in it.</summary>
    public int Claims { get; }

    /// <summary>The fewest rounds that have an interval at the level that comparisons which are not measured yet leave.</summary>
    public int FewestRounds { get; }

    /// <summary>A Unix socket against TCP.</summary>
    public static ClaimFamily Primary(MeasuredRun run) => OfRuns.GetValue(run, Made)[0];

    /// <summary>Everything else.</summary>
    public static ClaimFamily Others(MeasuredRun run) => OfRuns.GetValue(run, Made)[1];

    /// <summary>
    /// The pairs of a plan, as indexes, the smaller first: those of one client and protocol at one workload, or of all where each has one
    /// transport only, and each arm with its reference. The doubles of an A/A test are no arms.
    /// </summary>
    public static IReadOnlyCollection<(int One, int Other)> Pairs(IReadOnlyList<CellKey> keys, string reference)
    {
        var references = new ReferenceChoice(reference, keys);
        var arms = Enumerable.Range(0, keys.Count).Where(i => !AaTest.IsAa(keys[i]) && !keys[i].IsSearch).ToList();
        var chosen = arms.GroupBy(i => Workload.Of(keys[i])).SelectMany(workload => Arms.Choices([.. workload], i => keys[i]))
            .SelectMany(choice => choice.SelectMany((one, at) => choice.Skip(at + 1).Select(other => (one, other))));
        var against = arms.Select(i => (i, Other: references.Of(i))).Where(pair => pair.Other != null)
            .Select(pair => (Math.Min(pair.i, pair.Other!.Value), Math.Max(pair.i, pair.Other!.Value)));
        return chosen.Concat(against).ToHashSet();
    }

    /// <summary>Whether these two are a Unix socket and TCP, and differ in nothing else.</summary>
    public static bool IsPrimary(CellKey one, CellKey other) =>
        (one.Transport, other.Transport) is ("unix", "tcp") or ("tcp", "unix")
        && one with { Transport = "" } == other with { Transport = "" };

    /// <summary>
    /// The family that judges a metric of these two, with the interval of its log ratio, cell against reference; null where none does.
    /// </summary>
    public static (ClaimFamily Family, Interval? Interval)? Find(MeasuredRun run, MeasuredCell cell, MeasuredCell reference, string what)
    {
        var isTurned = cell.Index > reference.Index;
        var key = (Math.Min(cell.Index, reference.Index), Math.Max(cell.Index, reference.Index), what);
        foreach (var family in OfRuns.GetValue(run, Made))
        {
            if (family.intervals.TryGetValue(key, out var interval))
                return (family, isTurned && interval is { } one ? new Interval(-one.High, -one.Low) : interval);
        }
        return null;
    }

    private static ClaimFamily[] Made(MeasuredRun run)
    {
        var pairs = Pairs([.. run.Cells.Select(cell => cell.Key)], run.Record.Options.Reference).ToLookup(pair =>
            IsPrimary(run.Cells[pair.One].Key, run.Cells[pair.Other].Key));
        return [new ClaimFamily(run, [.. pairs[true].SelectMany(pair => Ratios(run, pair))]),
            new ClaimFamily(run, [.. pairs[false].SelectMany(pair => Ratios(run, pair)), .. DerivedClaims.Of(run)])];
    }

    private static IEnumerable<Claim> Ratios(MeasuredRun run, (int One, int Other) pair)
    {
        var (one, other) = (run.Cells[pair.One], run.Cells[pair.Other]);
        // What is not measured yet counts too: what is said at full load must still hold when the rounds of --load are in.
        var isPlanned = one.Rounds.Count == 0 || other.Rounds.Count == 0;
        foreach (var metric in new[] { ArmComparison.Headline(one), ArmComparison.Cost(one, other) })
        {
            var series = RoundPairs.Of(one, other, metric).Where(round => round.HasRatio)
                .Select(round => (round.Number, round.Log)).ToList();
            if (isPlanned || series.Count > 0)
                yield return new Claim(pair.One, pair.Other, metric.Id, series);
        }
    }
}

/// <summary>One comparison of a family.</summary>
/// <param name="One">Index of the cell; of two cells the smaller index.</param>
/// <param name="Other">Index of the cell that it is held against.</param>
/// <param name="What">What is compared: the name of a metric, or of something that is computed from a round.</param>
/// <param name="Series">One less other by the number of the round; empty where nothing is measured yet.</param>
internal sealed record Claim(int One, int Other, string What, IReadOnlyList<(int Round, double Value)> Series);
