using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Measures;
using IpcBench.Analysis.Statistics;
using static IpcBench.Analysis.Reports.TextBuilding;

namespace IpcBench.Analysis.Reports;

/// <summary>What a run says, in plain words: the fastest at each point, by how much, what it saves, and what is not decided.</summary>
public static class Answers
{
    /// <summary>One sentence a point, then where the ranking flips; empty when no round was measured.</summary>
    public static IReadOnlyList<string> Of(MeasuredRun run) =>
        [.. Arms.ByPoint(run).Select(point => point.Count() > 1 ? OfPoint(run, point) : Alone(run, point)), .. Crossover.Lines(run), .. Encrypted(run)];

    /// <summary>With nothing to compare, what was measured.</summary>
    private static string Alone(MeasuredRun run, IGrouping<Point, MeasuredCell> point)
    {
        var (cell, total) = (point.Single(), Metrics.TotalCpu.Value(point.Single().Median!) != null ? Metrics.TotalCpu : Metrics.ClientCpu);
        var median = cell.Median!;
        return $"{Arms.NameOf(run, point.Key)}: {cell.Key.Arm} answers {Metrics.Rate.Show(median)} requests/s, mean latency {Metrics.Mean.Show(median)}, {total.Show(median)} of {total.Title.Replace(" CPU/call", "", StringComparison.Ordinal)} CPU a call.";
    }

    private static string OfPoint(MeasuredRun run, IGrouping<Point, MeasuredCell> point)
    {
        var ranked = Arms.Ranked(point);
        var name = Arms.NameOf(run, point.Key);
        var rivals = ranked.Skip(1).Select(other => (Cell: other, Comparison: ArmComparison.Of(run, ranked[0], other, ArmComparison.Headline(ranked[0])))).ToList();
        // Ahead of all that the rounds can tell it from: those it cannot be told from share its place.
        var open = rivals.Where(rival => rival.Comparison is not { IsBetter: true }).ToList();
        if (open.Count == rivals.Count)
            return $"{name}: {Undecided(ranked[0], open)}.";
        var beaten = rivals.Except(open).Select(rival => rival.Comparison!).ToList();
        var main = beaten.Find(c => c.Reference == run.ReferenceOf(ranked[0])) ?? beaten[0];
        var lead = open.Count == 0
            ? $"{ranked[0].Key.Arm} is {Fastest(main.Metric)}"
            : $"{ranked[0].Key.Arm} leads ({Undecided(ranked[0], open)})";
        return $"{name}: {lead}: {VerdictText.Against(main.Verdict, main.Metric, main.Reference.Key.Arm)}{Savings(main)}.";
    }

    private static string Undecided(MeasuredCell first, List<(MeasuredCell Cell, ArmComparison? Comparison)> open)
    {
        var same = open.Where(rival => rival.Comparison?.Verdict.Kind == VerdictKind.NoDifference).ToList();
        var unknown = open.Except(same).ToList();
        var parts = new List<string>();
        if (same.Count > 0)
            parts.Add($"{VerdictText.Of(same.MaxBy(rival => rival.Comparison!.Verdict.LargestDifference).Comparison!.Verdict, Metrics.Rate)} between {And([first.Key.Arm, .. same.Select(rival => rival.Cell.Key.Arm)])}");
        if (unknown.Count > 0)
            parts.Add($"not decided between {And([first.Key.Arm, .. unknown.Select(rival => rival.Cell.Key.Arm)])}: {More(unknown)}");
        return string.Join("; ", parts);
    }

    private static string More(List<(MeasuredCell Cell, ArmComparison? Comparison)> unknown) =>
        unknown.Select(rival => rival.Comparison).OfType<ArmComparison>().MaxBy(comparison => comparison.Verdict.MoreRounds) is { } worst
            ? VerdictText.Of(worst.Verdict, worst.Metric).Replace("cannot tell, ", "", StringComparison.Ordinal) : "no common rounds";

    /// <summary>CPU of a call on both sides together, where both sides tell; the client's alone otherwise.</summary>
    private static string Savings(ArmComparison main)
    {
        var metric = Metrics.ServerCpu.Value(main.Cell.Median!) != null && Metrics.ServerCpu.Value(main.Reference.Median!) != null ? Metrics.TotalCpu : Metrics.ClientCpu;
        if (metric.Value(main.Cell.Median!) is not { } mine || metric.Value(main.Reference.Median!) is not { } theirs || theirs <= 0)
            return "";
        var change = mine <= theirs ? $"saves {Quantity.Percent(1 - mine / theirs)}" : $"costs {Quantity.Percent(mine / theirs - 1)} more";
        return $", and {change} of the CPU of a call ({metric.Title.Replace(" CPU/call", "", StringComparison.Ordinal)}: {Quantity.Micros(theirs)} → {Quantity.Micros(mine)})"
            .Replace("more of the CPU of a call", "more CPU a call", StringComparison.Ordinal);
    }

    private static string Fastest(Metric metric) => metric == Metrics.Rate ? "fastest" : $"best by {metric.Title}";

    private static IEnumerable<string> Encrypted(MeasuredRun run) =>
        run.Cells.Any(cell => cell.Key.Transport == "tls") && run.Cells.Any(cell => cell.Key.Transport != "tls")
            ? ["tls encrypts and the others do not: its difference is the price of encryption, not of a transport."] : [];
}
