using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>The reference measured twice came out different: nothing else of this run can be trusted.</summary>
internal sealed class AaFailed : IDoubt
{
    public Advice? Of(MeasuredRun run)
    {
        if (AaTest.Of(run) is not { } test || test is { Failed: false, CanFail: true })
            return null;
        return new Advice
        {
            Id = test.Failed ? "aa-failed" : "aa-too-few-rounds",
            Doubt = test.Failed
                ? Invariant($"The A/A test failed: the same endpoint measured twice came out different in {test.Cells} cells (p = {test.PValue:0.0000}, limit {AaTest.Level}).")
                : Invariant($"The A/A test over {test.Cells} cells cannot fail with so few rounds."),
            Fix = test.Failed ? "Trust no comparison of this run; look for what favours one endpoint, and run it again." : "Run at least 12 rounds with --aa.",
            Cells = [.. run.Cells.Where(cell => AaTest.IsAa(cell.Key)).Select(cell => cell.Index)],
        };
    }
}
