using IpcBench.Analysis.Metrics;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>The histograms do not hold as many latencies as calls were counted.</summary>
internal sealed class LostSamples() : CellDoubt("lost-samples", "Do not use these latencies, and report it: the tool or the file is wrong.")
{
    protected override Finding? Look(MeasuredRun run, MeasuredCell cell) =>
        cell.Rounds.Select(r => (r.Record, Recorded: r.Recorded)).Where(entry => entry.Recorded != entry.Record.Ok)
            .Select(entry => new Finding(Math.Abs(entry.Recorded - entry.Record.Ok), Invariant($"round {entry.Record.Number} counted {entry.Record.Ok} calls and recorded {entry.Recorded} latencies")))
            .MaxBy(finding => finding.Severity);
}
