using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>Receives the events of a run. No event comes during a measurement. Some tests use an observer without output.</summary>
internal interface IRunObserver
{
    /// <summary>Called when the run could not be saved in any file. The observer prints the run as JSON.</summary>
    void Unkept(RunRecord record);

    /// <summary>Receives a message that the user must see, for example why a run ends or that a file cannot be written.</summary>
    void Note(string sentence);

    /// <summary>Receives a message that few users need or that a report repeats, such as a spoiled round.</summary>
    void Detail(string sentence);

    /// <summary>Called when the plan has been made and nothing has been measured yet.</summary>
    /// <param name="end">Ends the run, as Ctrl-C does. May be called from any thread.</param>
    void Started(BenchPlan plan, RunProgress progress, Action end);

    /// <summary>Called when a round begins. <paramref name="attempt"/> is above 0 when a spoiled round is measured again.</summary>
    void RoundStarted(int number, int attempt, int rounds);

    void CellFinished(PlannedCell cell, Measurement round, RunRecord record);

    /// <summary>Called when the measurements are over.</summary>
    /// <param name="file">The file with the whole run. Null when the run is not saved.</param>
    void Finished(RunRecord record, string? file);
}
