using IpcBench.Analysis.Metrics;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>Measurements that were spoiled and could not be repeated any more: they count, and are doubtful.</summary>
internal sealed class SpoiledRounds() : CellDoubt("spoiled", "Stop what else runs on this machine and run again.")
{
    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        var spoiled = cell.Rounds.Where(r => r.Record.Spoiled.Length > 0).Select(r => r.Record).ToList();
        return spoiled.Count == 0 ? null : new Finding(spoiled.Count, Invariant(
            $"{spoiled.Count} of {cell.Rounds.Count} rounds are doubtful and no repeat was left, e.g. round {spoiled[0].Number}: {spoiled[0].Spoiled}"));
    }
}
