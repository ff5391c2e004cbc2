using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Terminal;

/// <summary>Shows nothing.</summary>
internal sealed class SilentProgress : IProgressDisplay
{
    public void Around(Action write) => write();

    public void RoundStarted(int number)
    {
    }

    public void CellFinished(PlannedCell cell, Measurement round)
    {
    }

    public void Dispose()
    {
    }
}
