using IpcBench.Analysis.Results;
using IpcBench.Client.Engine;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>The present state of the run for the live view. The run writes it, and the view polls it.</summary>
internal sealed class RunProgress
{
    private volatile Step? step;

    /// <summary>The step in progress. Null between cells.</summary>
    public Step? Current => step;

    /// <summary>A step of one cell, or of several cells that take turns.</summary>
    /// <param name="What"><c>warming up the server</c>, <c>connecting</c>, <c>warming up</c>, <c>measuring</c>, <c>saving</c>.</param>
    /// <param name="Generators">The load generators of the connected cells. Their counters may be polled.</param>
    public sealed record Step(IReadOnlyList<PlannedCell> Cells, string What, IReadOnlyList<LoadGenerator> Generators)
    {
        /// <summary>Successful calls so far.</summary>
        public long CallsSoFar => Generators.Sum(generator => generator.CallsSoFar);
    }

    public void Enter(PlannedCell cell, string what, LoadGenerator? generator) =>
        Enter([cell], what, generator is null ? [] : [generator]);

    public void Enter(IReadOnlyList<PlannedCell> cells, string what, IReadOnlyList<LoadGenerator> generators) =>
        step = new Step(cells, what, generators);

    /// <summary>Ends the step.</summary>
    public void Leave() => step = null;
}

/// <summary>Gets the events of a run, between measurements and never during one. Tests of the schedule use a silent observer.</summary>
internal interface IRunObserver
{
    /// <summary>Called when the run could not be saved in any file. The observer writes it to standard output as JSON.</summary>
    void Unkept(RunRecord record);

    /// <summary>Gets a message that the user must see, such as why a run ends, or that a file could not be written.</summary>
    void Note(string sentence);

    /// <summary>Gets a message that few users need or that a report repeats, such as advice before the run, or a spoiled round.</summary>
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
