using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>A doubt that is looked for in each cell: one advice for all, with the numbers of the worst.</summary>
internal abstract class CellDoubt(string id, string fix) : IDoubt
{
    public Advice? Of(MeasuredRun run)
    {
        var found = run.Cells.Where(cell => cell.Rounds.Count > 0)
            .Select(cell => (Cell: cell, Finding: Look(run, cell))).Where(entry => entry.Finding != null).ToList();
        if (found.Count == 0)
            return null;
        var (worst, finding) = found.MaxBy(entry => entry.Finding!.Severity);
        var measured = run.Cells.Count(cell => cell.Rounds.Count > 0);
        var others = found.Count == 1 ? "" : Invariant($" (the worst of {found.Count} such cells out of {measured})");
        return new Advice
        {
            Id = id,
            Doubt = $"At {worst.Key.Arm}, {Arms.NameOf(run, worst.Point)}: {finding!.Doubt}{others}.",
            Fix = fix,
            Cells = [.. found.Select(entry => entry.Cell.Index)],
        };
    }

    protected abstract Finding? Look(MeasuredRun run, MeasuredCell cell);
}
