using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>The run did not come to its end.</summary>
internal sealed class Incomplete : IDoubt
{
    public Advice? Of(MeasuredRun run) => run.Record.Ending == "complete" ? null : new Advice
    {
        Id = "incomplete",
        Doubt = Invariant($"The run is not complete ({Ending(run.Record)}): {run.CommonRounds} rounds of every cell were measured."),
        Fix = "Run it again to its end for verdicts.",
    };

    private static string Ending(RunRecord run) => run.Ending == "running" ? "it goes on, or was killed" : run.Ending;
}
