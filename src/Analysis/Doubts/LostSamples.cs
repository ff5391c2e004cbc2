using IpcBench.Analysis.Measures;
using static IpcBench.Analysis.Reports.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>The histograms do not hold as many latencies as calls were counted.</summary>
internal sealed class LostSamples() : CellDoubt("lost-samples", "Do not use these latencies, and report it: the tool or the file is wrong.")
{
    protected override Finding? Look(MeasuredRun run, MeasuredCell cell) =>
        cell.Rounds.Select(r => (r.Round, Recorded: r.Recorded)).Where(entry => entry.Recorded != entry.Round.Ok)
            .Select(entry => new Finding(Math.Abs(entry.Recorded - entry.Round.Ok), Invariant($"round {entry.Round.Number} counted {entry.Round.Ok} calls and recorded {entry.Recorded} latencies")))
            .MaxBy(finding => finding.Severity);
}
