using IpcBench.Analysis.Metrics;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>Calls failed or had no answer in time.</summary>
internal sealed class Failures() : CellDoubt("failures", "Find out why before believing the rest: failed calls are in no rate and no latency, but they took the server's time.")
{
    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        var failed = cell.Rounds.SelectMany(r => r.Record.Failed).Where(entry => entry.Value > 0).GroupBy(entry => entry.Key, entry => entry.Value)
            .Select(kind => (Kind: kind.Key, Count: kind.Sum())).OrderByDescending(kind => kind.Count).ToList();
        var (cutOff, started) = (cell.Rounds.Sum(r => r.Record.CutOff), cell.Rounds.Sum(r => r.Record.Started));
        if (cutOff > 0)
            failed.Add(("no answer in time", cutOff));
        var total = failed.Sum(kind => kind.Count);
        return total == 0 ? null : new Finding((double)total / started, Invariant(
            $"{total} of {started} calls failed ({string.Join(", ", failed.Select(kind => Invariant($"{kind.Kind}: {kind.Count}")))})"));
    }
}
