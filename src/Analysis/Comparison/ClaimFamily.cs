using System.Runtime.CompilerServices;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Comparison;

/// <summary>
/// Comparisons of a run that are judged together. Their intervals are simultaneous: if all arms are equal, at most one
/// run in twenty reports any difference of the family. A run has two families. The first family compares Unix sockets
/// with TCP, which is the usual question, by the <see cref="ArmComparison.Headline"/> and the CPU per call. The second
/// family has the same comparisons of all other <see cref="Pairs"/>, and the <see cref="DerivedClaims"/>.
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

    /// <summary>The number of comparisons in the family.</summary>
    public int Claims { get; }

    /// <summary>
    /// The smallest number of rounds with which a comparison has an interval. Comparisons that are planned but not
    /// measured yet also use a share of the level.
    /// </summary>
    public int FewestRounds { get; }

    /// <summary>Returns the family of the comparisons of a Unix socket with TCP.</summary>
    public static ClaimFamily Primary(MeasuredRun run) => OfRuns.GetValue(run, Made)[0];

    /// <summary>Returns the family of all other comparisons.</summary>
    public static ClaimFamily Others(MeasuredRun run) => OfRuns.GetValue(run, Made)[1];

    /// <summary>
    /// Lists the pairs of arms that a plan compares, as indexes with the smaller index first. Any two arms of the same
    /// choice (<c>Arms.Choices</c>) in a workload form a pair. An arm and its reference always form a pair. The second
    /// endpoint of an A/A test and cells with varying rates are in no pair.
    /// </summary>
    public static IReadOnlyCollection<(int One, int Other)> Pairs(IReadOnlyList<CellKey> keys, string reference)
    {
        var references = new ReferenceChoice(reference, keys);
        var arms = Enumerable.Range(0, keys.Count).Where(i => !AaTest.IsAa(keys[i]) && !keys[i].VariesRate).ToList();
        var chosen = arms.GroupBy(i => Workload.From(keys[i])).SelectMany(workload => Arms.Choices([.. workload], i => keys[i]))
            .SelectMany(choice => choice.SelectMany((one, at) => choice.Skip(at + 1).Select(other => (one, other))));
        var against = arms.Select(i => (i, Other: references.Choose(i))).Where(pair => pair.Other is not null)
            .Select(pair => (Math.Min(pair.i, pair.Other!.Value), Math.Max(pair.i, pair.Other!.Value)));
        return chosen.Concat(against).ToHashSet();
    }

    /// <summary>Tells whether the two keys are a Unix socket and TCP and do not differ otherwise.</summary>
    public static bool IsPrimary(CellKey one, CellKey other) =>
        (one.Transport, other.Transport) is ("unix", "tcp") or ("tcp", "unix")
        && one with { Transport = "" } == other with { Transport = "" };

    /// <summary>
    /// Finds the family that compares these two cells in this metric. Also returns the interval of the logarithm of the
    /// ratio cell / reference, or of the value of <see cref="DerivedClaims"/>. Null when no family has this comparison.
    /// </summary>
    /// <param name="what">The metric's ID, or the name of a value of <see cref="DerivedClaims"/>.</param>
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
            new ClaimFamily(run, [.. pairs[false].SelectMany(pair => Ratios(run, pair)), .. DerivedClaims.For(run)])];
    }

    private static IEnumerable<Claim> Ratios(MeasuredRun run, (int One, int Other) pair)
    {
        var (one, other) = (run.Cells[pair.One], run.Cells[pair.Other]);
        // A pair that has no rounds yet counts too, so that the number of these claims never grows. Otherwise the rounds
        // of --load, which come after the rounds at full load, would change the verdicts at full load.
        var isPlanned = one.Rounds.Count == 0 || other.Rounds.Count == 0;
        foreach (var metric in new[] { ArmComparison.Headline(one), ArmComparison.Cost(one, other) })
        {
            var series = RoundPairs.Match(one, other, metric).Where(round => round.HasRatio)
                .Select(round => (round.Number, round.Log)).ToList();
            if (isPlanned || series.Count > 0)
                yield return new Claim(pair.One, pair.Other, metric.Id, series);
        }
    }
}
