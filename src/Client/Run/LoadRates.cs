using IpcBench.Analysis.Records;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>Absolute rates of the load phase: every arm gets the same one, a share of what the slowest arm can do.</summary>
internal static class LoadRates
{
    /// <summary>Calls per second for each scenario, from the median round of the saturation rounds of its size, connections and streams.</summary>
    public static IReadOnlyDictionary<Scenario, double?> Of(RunRecord record, IEnumerable<Scenario> loads) =>
        loads.ToDictionary(scenario => scenario, scenario => Capacity(record, scenario.Cell.Key) * scenario.Share);

    private static double? Capacity(RunRecord record, ScenarioKey key)
    {
        var arms = from round in record.Rounds
                   let cell = record.Cells[round.Cell].Key
                   where cell.Load == "max" && round.WindowNs > 0
                   where (cell.Size, cell.Connections, cell.Streams) == (key.Size, key.Connections, key.Streams)
                   group round.Completed * 1e9 / round.WindowNs by round.Cell into rates
                   select rates.Order().ElementAt((rates.Count() - 1) / 2);
        return arms.DefaultIfEmpty(0).Min() is > 0 and var slowest ? slowest : null;
    }
}
