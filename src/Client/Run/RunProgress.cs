using IpcBench.Analysis.Results;
using IpcBench.Client.Engine;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>Where the run is now, for whoever draws it: written by the run, polled by the live view, never the other way round.</summary>
internal sealed class RunProgress
{
    private volatile Step? step;

    /// <summary>What is under way; null between cells.</summary>
    public Step? Current => step;

    /// <summary>Cells measured so far, repeated ones included.</summary>
    public int CellsDone { get; private set; }

    /// <summary>One step of one cell, or of several that take turns.</summary>
    /// <param name="Cells">The cells.</param>
    /// <param name="What"><c>warming up the server</c>, <c>connecting</c>, <c>warming up</c>, <c>measuring</c>, <c>saving</c>.</param>
    /// <param name="Generators">Their load, once connected: its counters may be polled.</param>
    public sealed record Step(IReadOnlyList<PlannedCell> Cells, string What, IReadOnlyList<LoadGenerator> Generators)
    {
        /// <summary>Calls that ended well so far.</summary>
        public long CallsSoFar => Generators.Sum(generator => generator.CallsSoFar);
    }

    public void Enter(PlannedCell cell, string what, LoadGenerator? generator) =>
        Enter([cell], what, generator is null ? [] : [generator]);

    public void Enter(IReadOnlyList<PlannedCell> cells, string what, IReadOnlyList<LoadGenerator> generators) =>
        step = new Step(cells, what, generators);

    /// <summary>So many cells were measured.</summary>
    public void Leave(int cells)
    {
        step = null;
        CellsDone += cells;
    }
}

/// <summary>
/// Is told what happens in a run, between measurements and never during one; tests of the schedule put a silent one in its place.
/// </summary>
internal interface IRunObserver
{
    /// <summary>No file took the run: the observer has it as JSON on standard output.</summary>
    void Unkept(RunRecord record);

    /// <summary>Something that must be read: why a run ends, a file that could not be written.</summary>
    void Note(string sentence);

    /// <summary>What reports say too, or what few will want: advice before the run, a spoiled round, what was calibrated.</summary>
    void Detail(string sentence);

    /// <summary>The plan is made and nothing is measured yet.</summary>
    /// <param name="plan">What will be measured.</param>
    /// <param name="progress">Where the run is, to be polled.</param>
    /// <param name="end">Ends the run as Ctrl-C does; from any thread.</param>
    void Started(BenchPlan plan, RunProgress progress, Action end);

    /// <summary>
    /// A round begins, of so many; <paramref name="attempt"/> is above 0 when it repeats a spoiled one.
    /// </summary>
    void RoundStarted(int number, int attempt, int rounds);

    void CellFinished(PlannedCell cell, Measurement round, RunRecord record);

    /// <summary>Nothing more is measured.</summary>
    /// <param name="record">The whole run.</param>
    /// <param name="file">Where all of it is; null when it is not saved.</param>
    void Finished(RunRecord record, string? file);
}
