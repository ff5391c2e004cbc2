using System.Runtime.CompilerServices;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Comparison;

/// <summary>
/// All that a run may say of one arm being ahead of another by its headline (fastest, leads, crossover), or by its CPU: every pair of arms
/// that somebody chooses between, at every point, and every arm with its reference. A claim is made only where the whole family allows it,
/// so that of equal arms at most one run in twenty names a winner anywhere.
/// </summary>
public sealed class ClaimFamily
{
    private static readonly ConditionalWeakTable<MeasuredRun, ClaimFamily> Headlines = [], Costs = [];

    private readonly Dictionary<(int, int), double> adjusted = [];
    private readonly double level;

    private ClaimFamily(MeasuredRun run, Func<MeasuredCell, MeasuredCell, Metric> metric)
    {
        level = run.Record.Options.Alpha();
        // Cells that are not measured yet count too: what is said at full load must still hold when the rounds of --load are in.
        var pairs = Pairs([.. run.Cells.Select(cell => cell.Key)], run.Record.Options.Reference).ToList();
        var probabilities = Holm.Adjust([.. pairs.Select(pair => Probability(run.Cells[pair.One], run.Cells[pair.Other], metric))]);
        foreach (var (pair, probability) in pairs.Zip(probabilities))
            adjusted[pair] = probability;
    }

    /// <summary>Number of comparisons in it.</summary>
    public int Claims => adjusted.Count;

    /// <summary>The fewest rounds with which any claim can be made.</summary>
    public int FewestRounds => Holm.FewestRounds(Claims, level);

    /// <summary>By what arms are judged by: <see cref="ArmComparison.Headline"/>.</summary>
    public static ClaimFamily Of(MeasuredRun run) =>
        Headlines.GetValue(run, one => new ClaimFamily(one, (cell, _) => ArmComparison.Headline(cell)));

    /// <summary>By the CPU of a call: <see cref="ArmComparison.Cost"/>.</summary>
    public static ClaimFamily OfCpu(MeasuredRun run) => Costs.GetValue(run, one => new ClaimFamily(one, ArmComparison.Cost));

    /// <summary>
    /// The pairs of a plan, as indexes, the smaller first: those of one client and protocol at one point, or of all where each has one
    /// transport only, and each arm with its reference. The doubles of an A/A test are no arms.
    /// </summary>
    public static IReadOnlyCollection<(int One, int Other)> Pairs(IReadOnlyList<CellKey> keys, string reference)
    {
        var references = new ReferenceChoice(reference, keys);
        var arms = Enumerable.Range(0, keys.Count).Where(i => !AaTest.IsAa(keys[i]) && !keys[i].IsSearch).ToList();
        var chosen = arms.GroupBy(i => Point.Of(keys[i])).SelectMany(point => Arms.Choices([.. point], i => keys[i]))
            .SelectMany(choice => choice.SelectMany((one, at) => choice.Skip(at + 1).Select(other => (one, other))));
        var against = arms.Select(i => (i, Other: references.Of(i))).Where(pair => pair.Other != null)
            .Select(pair => (Math.Min(pair.i, pair.Other!.Value), Math.Max(pair.i, pair.Other!.Value)));
        return chosen.Concat(against).ToHashSet();
    }

    /// <summary>Whether the family allows a winner of these two; null when the comparison is none of it.</summary>
    public bool? Allows(MeasuredCell one, MeasuredCell other) =>
        adjusted.TryGetValue((Math.Min(one.Index, other.Index), Math.Max(one.Index, other.Index)), out var probability)
            ? probability <= level + 1e-12 : null;

    // Where a round has no ratio, the others prove nothing: 1.
    private static double Probability(MeasuredCell one, MeasuredCell other, Func<MeasuredCell, MeasuredCell, Metric> metric)
    {
        var pairs = ArmComparison.Pairs(one, other, metric(one, other)).ToList();
        return pairs.Count == 0 || pairs.Exists(pair => pair is not { Base: > 0, New: > 0 }) ? 1
            : SignedRank.PValue(pairs.Select(pair => Math.Log(pair.New / pair.Base)));
    }
}
