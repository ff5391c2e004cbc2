using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Terminal;

/// <summary>Shows how far a run is. Lines of text that appear meanwhile go through it, so that they never mix.</summary>
internal interface IProgressDisplay : IDisposable
{
    /// <summary>Writes with the display out of the way.</summary>
    void Around(Action write);

    /// <summary>A round begins.</summary>
    void RoundStarted(int number);

    void CellFinished(PlannedCell cell, Measurement round);
}
