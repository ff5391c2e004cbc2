using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Documents;

/// <summary>What a run says, in plain words: the fastest at each point, by how much, what it saves, and what is not decided.</summary>
public static class Answers
{
    /// <summary>One sentence a point, then where the ranking flips; empty when no round was measured.</summary>
    public static IReadOnlyList<string> Of(MeasuredRun run) =>
        [.. Arms.ByPoint(run).SelectMany(Choices).Select(arms => arms.Count > 1 ? OfArms(run, arms) : Alone(run, arms[0])),
            .. Crossover.Lines(run), .. LayerText.Sentences(run), .. UpstreamKeepAlive.Lines(run), .. Encrypted(run), .. AaPassed(run)];

    /// <summary>
    /// What somebody chooses between: the transports as one client sees them, of one protocol; the others where there is one transport
    /// only.
    /// </summary>
    private static IEnumerable<IReadOnlyList<MeasuredCell>> Choices(IEnumerable<MeasuredCell> point)
    {
        var clients = point.GroupBy(cell => (cell.Key.Client, cell.Key.Protocol), (_, arms) => arms.ToList()).ToList();
        return clients.Exists(arms => arms.Count > 1) ? clients : [[.. clients.SelectMany(arms => arms)]];
    }

    /// <summary>With nothing to compare, what was measured.</summary>
    private static string Alone(MeasuredRun run, MeasuredCell cell)
    {
        var median = cell.Median!;
        var total = Metric.TotalCpu.Value(median) != null ? Metric.TotalCpu : Metric.ClientCpu;
        return $"{Arms.NameOf(run, cell.Point)}: {cell.Key.Arm} answers {Metric.Rate.Show(median)} requests/s, mean latency "
            + $"{Metric.Mean.Show(median)}, {total.Show(median)} of {total.Title.Replace(" CPU/call", "", StringComparison.Ordinal)} CPU "
            + $"a call.";
    }

    private static string OfArms(MeasuredRun run, IReadOnlyList<MeasuredCell> arms)
    {
        var ranked = Arms.Ranked(arms);
        var name = Arms.NameOf(run, arms[0].Point);
        var rivals = ranked.Skip(1).Select(other =>
            (Cell: other, Comparison: ArmComparison.Of(run, ranked[0], other, ArmComparison.Headline(ranked[0])))).ToList();
        var beaten = rivals.Select(rival => rival.Comparison).OfType<ArmComparison>().Where(comparison => comparison.IsBetter).ToList();
        // Those it cannot be told from share its place, unless another one is ahead of them.
        var behind = rivals.Where(rival => rival.Comparison is not { IsBetter: true })
            .Select(rival => Best(run, ranked.Skip(1), rival.Cell)).OfType<ArmComparison>().ToList();
        var open = rivals.Where(rival => rival.Comparison is not { IsBetter: true }
            && !behind.Exists(comparison => comparison.Reference == rival.Cell)).ToList();
        if (beaten.Count == 0)
            return $"{name}: {Undecided(ranked[0], open)}{string.Concat(
                behind.Select(comparison => $"; {comparison.Cell.Key.Arm} is {Ahead(comparison)}"))}.";
        var main = beaten.Find(c => c.Reference == run.ReferenceOf(ranked[0])) ?? beaten[0];
        var lead = open.Count == 0
            ? $"{ranked[0].Key.Arm} is {Fastest(main.Metric)}"
            : $"{ranked[0].Key.Arm} leads ({Undecided(ranked[0], open)})";
        return $"{name}: {lead}: {Ahead(main)}{Savings(main)}.";
    }

    /// <summary>The first of the arms that is certainly ahead of this one.</summary>
    private static ArmComparison? Best(MeasuredRun run, IEnumerable<MeasuredCell> arms, MeasuredCell cell) =>
        arms.Where(arm => arm != cell).Select(arm => ArmComparison.Of(run, arm, cell, ArmComparison.Headline(arm)))
            .FirstOrDefault(comparison => comparison is { IsBetter: true });

    private static string Ahead(ArmComparison comparison) =>
        VerdictText.Against(comparison.Verdict, comparison.Metric, comparison.Reference.Key.Arm);

    private static string Undecided(MeasuredCell first, List<(MeasuredCell Cell, ArmComparison? Comparison)> open)
    {
        var same = open.Where(rival => rival.Comparison?.Verdict.Kind == VerdictKind.NoDifference).ToList();
        var unknown = open.Except(same).ToList();
        var parts = new List<string>();
        if (same.Count > 0)
        {
            var widest = same.MaxBy(rival => rival.Comparison!.Verdict.LargestDifference).Comparison!.Verdict;
            var names = And([first.Key.Arm, .. same.Select(rival => rival.Cell.Key.Arm)]);
            parts.Add($"{VerdictText.Of(widest, Metric.Rate)} between {names}");
        }
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
        var metric = Metric.ServerCpu.Value(main.Cell.Median!) != null && Metric.ServerCpu.Value(main.Reference.Median!) != null
            ? Metric.TotalCpu : Metric.ClientCpu;
        if (metric.Value(main.Cell.Median!) is not { } mine || metric.Value(main.Reference.Median!) is not { } theirs || theirs <= 0)
            return "";
        var change = mine <= theirs ? $"saves {Quantity.Percent(1 - mine / theirs)}" : $"costs {Quantity.Percent(mine / theirs - 1)} more";
        return ($", and {change} of the CPU of a call ({metric.Title.Replace(" CPU/call", "", StringComparison.Ordinal)}: "
            + $"{Quantity.Micros(theirs)} → {Quantity.Micros(mine)})")
            .Replace("more of the CPU of a call", "more CPU a call", StringComparison.Ordinal);
    }

    private static string Fastest(Metric metric) => metric == Metric.Rate ? "fastest" : $"best by {metric.Title}";

    private static IEnumerable<string> AaPassed(MeasuredRun run) => AaTest.Of(run) is { Failed: false, CanFail: true } test
        ? [Invariant($"A/A passed: {run.Record.Options.Reference} against itself came out equal in "
            + $"{(test.Cells == 1 ? "1 cell" : $"{test.Cells} cells")} (p = {test.PValue:0.###}, limit {AaTest.Level}).")] : [];

    private static IEnumerable<string> Encrypted(MeasuredRun run) =>
        run.Cells.Any(cell => cell.Key.Transport == "tls") && run.Cells.Any(cell => cell.Key.Transport != "tls")
            ? ["tls encrypts and the others do not: its difference is the price of encryption, not of a transport."] : [];
}

/// <summary>Where the ranking of an arm and its reference flips between sizes, by decided verdicts alone.</summary>
internal static class Crossover
{
    public static IEnumerable<string> Lines(MeasuredRun run) =>
        from cell in run.Cells
        where cell.Key.Load == "max" && !AaTest.IsAa(cell.Key)
        group cell by (cell.Key.Arm, cell.Key.Connections, cell.Key.Streams) into arm
        let line = LineOf(run, [.. arm.OrderBy(cell => cell.Key.Size)])
        where line != null
        select line;

    private static string? LineOf(MeasuredRun run, List<MeasuredCell> sizes)
    {
        var decided = sizes.Select(cell => ArmComparison.OfHeadline(run, cell)).OfType<ArmComparison>()
            .Where(c => c.IsBetter || c.IsWorse).ToList();
        var stretches = new List<(ArmComparison First, ArmComparison Last)>();
        foreach (var comparison in decided)
        {
            if (stretches.Count > 0 && stretches[^1].Last.IsBetter == comparison.IsBetter)
                stretches[^1] = (stretches[^1].First, comparison);
            else
                stretches.Add((comparison, comparison));
        }
        if (stretches.Count < 2)
            return null;
        var parts = stretches.Select((stretch, i) => $"{Winner(stretch.First)} {Where(stretch, i, stretches.Count)}").ToList();
        var where = sizes[0].Point with { Size = 0 } is var point
            && run.Cells.Any(c => c.Point with { Size = 0 } != point && c.Key.Load == "max")
            ? TextBuilding.Invariant($" at {point.Connections} connections × {point.Streams}") : "";
        return $"Crossover{where}: " + parts[0].Replace(" up to", " is faster up to", StringComparison.Ordinal) + ", "
            + string.Join(", ", parts.Skip(1)) + ".";
    }

    private static string Where((ArmComparison First, ArmComparison Last) stretch, int index, int count)
    {
        var (from, to) = (Quantity.Size(stretch.First.Cell.Key.Size), Quantity.Size(stretch.Last.Cell.Key.Size));
        return index == 0 ? $"up to {to}" : index == count - 1 ? $"from {from}" : from == to ? $"at {from}" : $"from {from} to {to}";
    }

    private static string Winner(ArmComparison comparison) => comparison.IsBetter ? comparison.Cell.Key.Arm : comparison.Reference.Key.Arm;
}
