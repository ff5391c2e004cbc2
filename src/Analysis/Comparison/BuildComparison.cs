using System.Runtime.CompilerServices;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Comparison;

/// <summary>What a run of <c>ab</c> says, of which every report of it is made: head against base, and the limits that were typed.</summary>
public sealed class BuildComparison
{
    private const string Option = "--fail-on";
    private static readonly ConditionalWeakTable<MeasuredRun, BuildComparison> OfRuns = [];

    private readonly Dictionary<(string, CellKey), (MeasuredCell Before, MeasuredCell After)> pairs = [];

    private BuildComparison(MeasuredRun run)
    {
        List<GateLimit> limits = [.. Limits(run.Record.CommandLine)];
        Sides = FileComparison.OfSides(run.Record).For(limits);
        Gate = limits.Count == 0 ? null : Gate.Of(Sides, limits);
        foreach (var pair in Sides.Cells)
            pairs[Key(pair.Before)] = pairs[Key(pair.After)] = pair;
    }

    /// <summary>Head against base.</summary>
    public FileComparison Sides { get; }

    /// <summary>Null where no limit was typed.</summary>
    public Gate? Gate { get; }

    /// <summary>Null for a run of another kind, and for one in which no round has both builds.</summary>
    public static BuildComparison? Of(MeasuredRun run) =>
        run.IsOfBuilds && OfRuns.GetValue(run, one => new BuildComparison(one)) is { Sides.Cells.Count: > 0 } made ? made : null;

    /// <summary>The verdict of a cell of head against that of base; null where they are not, or do not tell the metric.</summary>
    internal Verdict? Judge(MeasuredCell head, MeasuredCell reference, Metric metric) => ReferenceChoice.IsHead(head.Key)
        && pairs.TryGetValue(Key(head), out var pair) && pairs.GetValueOrDefault(Key(reference)) == pair
            ? Sides.Judge(pair.Before, pair.After, metric) : null;

    // The cells of a side are copies, of which the variant is left out.
    private static (string, CellKey) Key(MeasuredCell cell) => (cell.Cell.Address, ReferenceChoice.WithoutHead(cell.Key));

    /// <summary>As they were typed when the run was made; what is none was put into the file by hand.</summary>
    private static IEnumerable<GateLimit> Limits(IReadOnlyList<string> words)
    {
        foreach (var (i, word) in words.Index())
        {
            var text = word.StartsWith(Option + "=", StringComparison.Ordinal) ? word[(Option.Length + 1)..]
                : i > 0 && words[i - 1] == Option ? word : "";
            if (GateLimit.TryParse(text, out var limit))
                yield return limit;
        }
    }
}
