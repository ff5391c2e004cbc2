using IpcBench.Analysis.Records;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Terminal;

/// <summary>Shows nothing.</summary>
internal sealed class SilentProgress : IProgressDisplay
{
    public void Around(Action write) => write();

    public void RoundStarted(int number)
    {
    }

    public void CellFinished(PlannedCell cell, Round round)
    {
    }

    public void Dispose()
    {
    }
}
