using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>The client compiled methods inside the window.</summary>
internal sealed class NotWarm() : CellDoubt("not-warm", "Warm up longer: --warmup 5s.")
{
    // Tiering recompiles a straggler now and then; a cold client compiles hundreds.
    private const double Most = 20;

    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        var compiled = RatioEstimate.Median(cell.Rounds.Select(r => (double)r.Record.MethodsCompiled));
        return compiled > Most ? new Finding(compiled, Invariant($"the client compiled {compiled:0} methods during a window")) : null;
    }
}
