using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;
using IpcBench.Client.Protocols;

namespace IpcBench.Client.Plan;

/// <summary>A cell of the plan, ready to be measured.</summary>
/// <param name="Index">The index of the cell in <see cref="RunRecord.Cells"/>.</param>
/// <param name="Record">The cell as the results file describes it.</param>
/// <param name="Load">The connections and requests of the cell.</param>
/// <param name="Given">The load of a cell that is measured after the first phase. Null in the first phase.</param>
internal sealed record PlannedCell(int Index, Cell Record, Target Target, LoadOptions Load, GivenLoad? Given = null)
{
    /// <summary>The name of the cell in notes, such as <c>unix, 1 MB, 400 connections</c>.</summary>
    public string Name => $"{Record.Key.Arm}, {WorkloadName}";

    /// <summary>The name of the cell's comparison in notes, such as <c>1 MB, 400 connections</c>.</summary>
    public string WorkloadName => $"{Record.Key.Work}, {Quantity.Many(Load.Connections, "connection")}";
}
