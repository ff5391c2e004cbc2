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
    /// <param name="What"><c>warming up the server</c>, <c>connecting</c>, <c>warming up</c>, <c>measuring</c> or <c>saving</c>.</param>
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
