using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Documents;

/// <summary>One thing that a run says.</summary>
/// <param name="Sentence">In words.</param>
/// <param name="Headline">The winner in figures, for a glance; empty where there is none.</param>
/// <param name="IsDetail">Why, or what another line has: left out where the report is brief.</param>
public sealed record AnswerLine(string Sentence, string Headline = "", bool IsDetail = false);

/// <summary>The winner of each size as a line of figures: <c>10 B  unix  +7.0 % [5.2, 9.0] against tcp  −6.6 % CPU</c>.</summary>
public static class Headlines
{
    public static IEnumerable<AnswerLine> Of(MeasuredRun run)
    {
        var points = Answers.OfPoints(run).ToList();
        var winners = points.ConvertAll(answer => answer.Winner);
        var won = winners.OfType<ArmComparison>().ToList();
        var (name, arm) = won.Count == 0 ? (0, 0)
            : (won.Max(winner => Arms.NameOf(run, winner.Cell.Point).Length), won.Max(winner => winner.Cell.Key.Arm.Length));
        string Headline(PointAnswer answer) => answer.Winner is { } winner ? Line(run, winner, name, arm) : "";
        var inShort = InShort.Of(run);
        string[] details = [.. WakeUps.Lines(run), .. inShort.Length == 0 ? [] : Concurrency.Lines(run).Concat(Crossover.Lines(run))];
        AnswerLine OfRun(string sentence) => new(sentence, IsDetail: details.Contains(sentence));
        return [.. inShort.Length == 0 ? [] : new[] { new AnswerLine(inShort) }, .. Concurrency.Lines(run).Select(OfRun),
            .. points.Select(answer => new AnswerLine(answer.Sentence, Headline(answer))), .. Answers.OfRun(run).Select(OfRun)];
    }

    private static string Line(MeasuredRun run, ArmComparison winner, int nameWidth, int armWidth)
    {
        var metric = winner.Metric == Metric.Rate ? "" : winner.Metric.Title + " ";
        return $"{Arms.NameOf(run, winner.Cell.Point).PadRight(nameWidth)}  {winner.Cell.Key.Arm.PadRight(armWidth)}  "
            + $"{metric}{Change(winner)} against {winner.Reference.Key.Arm}{Answers.Reserve(run, winner)}{Cpu(run, winner)}";
    }

    // CPU of a call on both sides where both tell, else the client's; silent where it is not decided.
    private static string Cpu(MeasuredRun run, ArmComparison winner)
    {
        if (Answers.CostOf(run, winner.Cell, winner.Reference) is not { } comparison)
            return "";
        return $"  {Quantity.Change(comparison.Verdict.Estimate.Ratio)} {(comparison.Metric == Metric.TotalCpu ? "CPU" : "client CPU")}";
    }

    private static string Change(ArmComparison comparison)
    {
        var estimate = comparison.Verdict.Estimate;
        var change = Quantity.Change(estimate.Ratio);
        return estimate.Interval is { } interval ? $"{change} [{Bound(interval.Low)}, {Bound(interval.High)}]" : change;
    }

    // The direction and the unit stand before the interval already.
    private static string Bound(double ratio) =>
        (ratio < 1 ? "−" : "") + Quantity.Percent(Math.Abs(ratio - 1)).Replace(" %", "", StringComparison.Ordinal);
}

/// <summary>
/// What most people ask: is a Unix socket faster than TCP here? By decided verdicts alone, and only where a run has one such pair of arms
/// at more than one point.
/// </summary>
public static class InShort
{
    /// <summary>One sentence; empty where the question is another.</summary>
    public static string Of(MeasuredRun run)
    {
        var cells = run.Cells.Where(cell => cell.Median != null && !AaTest.IsAa(cell.Key) && cell.Key is { Load: "max", Transport: "unix" }
            && run.ReferenceOf(cell)?.Key.Transport == "tcp").ToList();
        if (cells.Count < 2 || run.Cells.Select(cell => cell.Key.Transport + cell.Key.Arm).Distinct().Count()
            != run.Cells.Select(cell => cell.Key.Transport).Distinct().Count() || cells.Any(cell => cell.Key.ServerWork.Length > 0))
            return "";
        var hasConcurrencies = cells.Select(Concurrency.Calls).Distinct().Count() > 1;
        var verdicts = cells.ToLookup(cell => ArmComparison.OfHeadline(run, cell) switch
        {
            { Verdict: { IsTooLittle: true } or { Kind: VerdictKind.NoDifference } } => "as fast",
            { IsBetter: true } => "faster",
            { IsWorse: true } => "slower",
            _ => "",
        });
        string Said(string verdict) => $"{verdict} for {string.Join(", ", verdicts[verdict].GroupBy(Concurrency.Calls).Select(group =>
            And([.. group.Select(cell => cell.Key.Work)]) + (hasConcurrencies ? $" with {group.Key}" : "")
                + (verdict == "as fast" ? "" : $" ({Range(run, [.. group])})")))}";
        string[] parts = [.. new[] { "faster", "slower", "as fast" }.Where(verdicts.Contains).Select(Said)];
        var open = verdicts[""].Count();
        var said = parts.Length == 0 ? Invariant($"not decided in any of {open} cases")
            : string.Join("; ", parts) + (open == 0 ? "" : $"; not decided in {Quantity.Many(open, "other case")}");
        return $"A Unix socket instead of TCP, by {Answers.RateUnit(cells[0])}: {said}.";
    }

    private static string Range(MeasuredRun run, List<MeasuredCell> cells)
    {
        var comparisons = cells.ConvertAll(cell => ArmComparison.OfHeadline(run, cell)!);
        var ratios = comparisons.ConvertAll(comparison => comparison.Verdict.Estimate.Ratio);
        var (low, high) = (Quantity.Change(ratios.Min()), Quantity.Change(ratios.Max()));
        return string.Join(", ", new[] { low == high ? low : $"{low} to {high}", Answers.DoubtsOf(run, comparisons) }
            .Where(part => part.Length > 0));
    }
}
