using IpcBench.Client.Engine;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>Where the run is now, for whoever draws it: written by the run, polled by the live view, never the other way round.</summary>
internal sealed class RunProgress
{
    private volatile Stage? stage;

    /// <summary>What is under way; null between cells.</summary>
    public Stage? Current => stage;

    /// <summary>Cells measured so far, repeated ones included.</summary>
    public int CellsDone { get; private set; }

    /// <summary>One step of one cell.</summary>
    /// <param name="Cell">The cell.</param>
    /// <param name="What"><c>warming up the server</c>, <c>connecting</c>, <c>warming up</c>, <c>measuring</c>, <c>saving</c>.</param>
    /// <param name="Generator">Its load, once connected: its counter may be polled.</param>
    public sealed record Stage(PlannedCell Cell, string What, LoadGenerator? Generator);

    public void Enter(PlannedCell cell, string what, LoadGenerator? generator) => stage = new Stage(cell, what, generator);

    public void Leave()
    {
        stage = null;
        CellsDone++;
    }
}
