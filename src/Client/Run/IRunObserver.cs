using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>Is told what happens in a run, between measurements and never during one.</summary>
internal interface IRunObserver
{
    /// <summary>A round begins; <paramref name="attempt"/> is above 0 when it repeats a spoiled one.</summary>
    void RoundStarted(int number, int attempt);

    void CellFinished(PlannedCell cell, Measurement round, RunRecord record);

    /// <summary>Something worth a line: a spoiled round, a file that could not be written.</summary>
    void Note(string sentence);

    void Finished(RunRecord record);
}
