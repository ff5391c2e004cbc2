using System.Runtime.CompilerServices;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Comparison;

/// <summary>The result of a run of <c>ab</c>: head compared with base, and the check of the limits.</summary>
public sealed class BuildComparison
{
    private const string Option = "--fail-on";
    private static readonly ConditionalWeakTable<MeasuredRun, BuildComparison> OfRuns = [];

    private readonly Dictionary<(string, CellKey), (MeasuredCell Before, MeasuredCell After)> pairs = [];

    private BuildComparison(MeasuredRun run)
    {
        List<GateLimit> limits = [.. Limits(run.Record.CommandLine)];
        Sides = FileComparison.OfSides(run.Record).For(limits);
        Gate = limits.Count == 0 ? null : Gate.Check(Sides, limits);
        foreach (var pair in Sides.Cells)
            pairs[Key(pair.Before)] = pairs[Key(pair.After)] = pair;
    }

    /// <summary>The comparison of head with base.</summary>
    public FileComparison Sides { get; }

    /// <summary>The result of checking the limits. Null without limits.</summary>
    public Gate? Gate { get; }

    /// <summary>
    /// Returns the result of a run of <c>ab</c>. Null for other runs, and when no cell was measured in both builds.
    /// </summary>
    public static BuildComparison? From(MeasuredRun run) =>
        run.IsOfBuilds && OfRuns.GetValue(run, one => new BuildComparison(one)) is { Sides.Cells.Count: > 0 } made ? made : null;

    /// <summary>
    /// Returns the verdict on a cell of head against the same cell of base. Null when <paramref name="reference"/> is
    /// not base's cell for <paramref name="head"/>, or when the metric is missing.
    /// </summary>
    internal Verdict? Judge(MeasuredCell head, MeasuredCell reference, Metric metric) => ReferenceChoice.IsHead(head.Key)
        && pairs.TryGetValue(Key(head), out var pair) && pairs.GetValueOrDefault(Key(reference)) == pair
            ? Sides.Judge(pair.Before, pair.After, metric) : null;

    // Sides holds copies of the cells, without the variant "head" in their keys. So the keys of pairs have no such variant either.
    private static (string, CellKey) Key(MeasuredCell cell) => (cell.Cell.Address, ReferenceChoice.WithoutHead(cell.Key));

    /// <summary>
    /// Reads the limits from the command line of the run. A word that is no limit is ignored, because somebody may have edited the file.
    /// </summary>
    private static IEnumerable<GateLimit> Limits(IReadOnlyList<string> words)
    {
        foreach (var (i, word) in words.Index())
        {
            var isOneWord = word.StartsWith(Option, StringComparison.Ordinal) && word.AsSpan(Option.Length) is ['=' or ':', ..];
            var text = isOneWord ? word[(Option.Length + 1)..]
                : i > 0 && words[i - 1] == Option ? word : "";
            if (GateLimit.TryParse(text, out var limit))
                yield return limit;
        }
    }
}
