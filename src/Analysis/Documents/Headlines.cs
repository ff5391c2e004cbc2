using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Documents;

/// <summary>A sentence of the answer of a run.</summary>
/// <param name="Headline">The winner in figures, to be read at a glance. Empty when there is no winner.</param>
public sealed record AnswerLine(string Sentence, string Headline = "");

/// <summary>
/// The sentences of the answer that add to the table of <see cref="UnixAgainstTcp"/>. The headline of a winner is a line of
/// figures: <c>10 B unix +7.0 % [5.2, 9.0] against tcp −6.6 % CPU</c>.
/// </summary>
public static class Headlines
{
    public static IEnumerable<AnswerLine> For(MeasuredRun run)
    {
        var workloads = Answers.OfWorkloads(run).Where(answer => !answer.Arms.All(arm => UnixAgainstTcp.Holds(run, arm))).ToList();
        var winners = workloads.ConvertAll(answer => answer.Winner);
        var won = winners.OfType<ArmComparison>().ToList();
        var (name, arm) = won.Count == 0 ? (0, 0)
            : (won.Max(winner => Arms.NameOf(run, winner.Cell.Workload).Length), won.Max(winner => winner.Cell.Key.Arm.Length));
        string Headline(WorkloadAnswer answer) => answer.Winner is { } winner ? Line(run, winner, name, arm) : "";
        // These sentences repeat results of the table, which has a row for each load.
        var ofLoads = UnixAgainstTcp.Title(run).Length > 0 ? [.. Concurrency.Lines(run), .. Crossover.Lines(run)] : new List<string>();
        return [.. Concurrency.Lines(run).Except(ofLoads).Select(sentence => new AnswerLine(sentence)),
            .. workloads.Select(answer => new AnswerLine(answer.Sentence, Headline(answer))),
            .. Answers.OfRun(run).Except(ofLoads).Select(sentence => new AnswerLine(sentence))];
    }

    private static string Line(MeasuredRun run, ArmComparison winner, int nameWidth, int armWidth)
    {
        // The line shows the change against the reference, even if the reference is the winner.
        var shown = winner.AgainstReference(run);
        var metric = winner.Metric == Metric.Rate ? "" : winner.Metric.Title + " ";
        var who = shown == winner ? "" : shown.Cell.Key.Arm + " ";
        return $"{Arms.NameOf(run, winner.Cell.Workload).PadRight(nameWidth)}  {winner.Cell.Key.Arm.PadRight(armWidth)}  "
            + $"{who}{metric}{VerdictText.Change(shown.Verdict.Estimate)} against {shown.Reference.Key.Arm}"
            + $"{Answers.Reserve(run, winner)}{Cpu(run, shown)}";
    }

    // Shows the change of the CPU per call: of both sides together if both are known, otherwise of the client. Empty when the
    // change is undecided or too small to matter.
    private static string Cpu(MeasuredRun run, ArmComparison shown)
    {
        if (Answers.CostOf(run, shown.Cell, shown.Reference) is not { } comparison)
            return "";
        return $"  {Quantity.Change(comparison.Verdict.Estimate.Ratio)} {(comparison.Metric == Metric.TotalCpu ? "CPU" : "client CPU")}";
    }
}
