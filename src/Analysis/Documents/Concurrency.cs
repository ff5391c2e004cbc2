using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Documents;

/// <summary>
/// Sentences for arms that are faster than their reference at some numbers of concurrent calls and slower at other numbers. Only
/// differences that are decided and not too small to matter count. The sentences name the doubts about these verdicts.
/// </summary>
internal static class Concurrency
{
    public static IEnumerable<string> Lines(MeasuredRun run) =>
        from cell in run.Cells
        where cell.Key.IsFullLoad && !AaTest.IsAa(cell.Key)
        group cell by (cell.Key.Arm, cell.Key.Work, cell.Key.Size) into same
        let decided = same.Select(cell => ArmComparison.OfHeadline(run, cell)).OfType<ArmComparison>()
            .Where(c => (c.IsBetter || c.IsWorse) && !c.Verdict.IsTooLittle).OrderBy(c => c.Cell.Key.Connections).ToList()
        where decided.Exists(c => c.IsBetter) && decided.Exists(c => c.IsWorse)
        select $"{same.Key.Work}: which arm is faster depends on the number of concurrent calls: "
            + And([.. decided.Select(c =>
                $"{(c.IsBetter ? c.Cell : c.Reference).Key.Arm} with {Calls(c.Cell)}{Answers.Reserve(run, c)}")]) + ".";

    internal static string Calls(MeasuredCell cell) => cell.Key switch
    {
        { Streams: > 1 } key => Invariant($"{key.Connections} × {key.Streams} calls at a time"),
        { Connections: 1 } => "1 connection",
        var key => Invariant($"{key.Connections} connections"),
    };
}
