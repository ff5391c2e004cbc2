using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Documents;

/// <summary>
/// A Unix socket against TCP at a glance: a row for each shape of load, a column for each size from small to large.
/// </summary>
/// <param name="Rows">The rows, each with a cell per column. A cell is null where nothing was compared.</param>
internal sealed record VerdictGrid(
    string Title, IReadOnlyList<string> Works, IReadOnlyList<(string Shape, IReadOnlyList<VerdictCell?> Cells)> Rows)
{
    /// <summary>Makes the grid. Null when no Unix socket was compared with TCP.</summary>
    public static VerdictGrid? Compute(MeasuredRun run)
    {
        var all = UnixAgainstTcp.Verdicts(run).ToList();
        var works = all.OrderBy(row => row.Rate.Cell.Key.Size).Select(row => row.Work).Distinct().ToList();
        return all.Count == 0 ? null : new VerdictGrid(UnixAgainstTcp.Title(run) + ", requests/s", works,
            [.. all.GroupBy(row => row.Shape).Select(shape => (shape.Key, (IReadOnlyList<VerdictCell?>)[.. works.Select(work =>
                shape.Where(row => row.Work == work).Select(row => Cell(run, row.Rate, row.Text)).FirstOrDefault())]))]);
    }

    private static VerdictCell Cell(MeasuredRun run, ArmComparison rate, string text)
    {
        if (!UnixAgainstTcp.Matters(rate))
            return new VerdictCell(rate.Verdict.Kind == VerdictKind.CannotTell ? "open" : "even", text, "");
        var doubt = Answers.DoubtsOf(run, [rate]);
        return rate.IsBetter ? new VerdictCell("up", "faster " + text, doubt) : new VerdictCell("down", "slower " + text, doubt);
    }
}

/// <summary>A cell of the grid.</summary>
/// <param name="Css">The CSS class of the cell's colour: up, down, even or open.</param>
/// <param name="Doubt">The doubt about the verdict. Empty when there is no doubt.</param>
internal sealed record VerdictCell(string Css, string Text, string Doubt);
