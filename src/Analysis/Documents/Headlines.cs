using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Documents;

/// <summary>One thing that a run says.</summary>
/// <param name="Sentence">In words.</param>
/// <param name="Headline">The winner in figures, for a glance; empty where there is none.</param>
public sealed record AnswerLine(string Sentence, string Headline = "");

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
        return [.. Concurrency.Lines(run).Select(sentence => new AnswerLine(sentence)),
            .. points.Select(answer => new AnswerLine(answer.Sentence, Headline(answer))),
            .. Answers.OfRun(run).Select(sentence => new AnswerLine(sentence))];
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
