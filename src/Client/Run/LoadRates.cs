using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>Absolute rates of the load phase: every arm gets the same one, a share of what the slowest arm can do.</summary>
internal static class LoadRates
{
    /// <summary>
    /// Calls per second for each cell, from the median round of the saturation rounds of its size, connections and streams. A cell for
    /// which no arm completed anything is missing: without a capacity there is no share of it.
    /// </summary>
    public static IReadOnlyDictionary<PlannedCell, double> Of(RunRecord record, IEnumerable<PlannedCell> loads) =>
        (from cell in loads
         let capacity = Capacity(record, cell.Record.Key)
         where capacity > 0
         select (cell, rate: capacity * cell.Share!.Value)).ToDictionary(pair => pair.cell, pair => pair.rate);

    private static double Capacity(RunRecord record, CellKey key)
    {
        // Of several attempts the last one counts.
        var counting = record.Rounds.GroupBy(round => (round.Cell, round.Number, AtFullLoad: round.AskedRate == 0))
            .Select(attempts => attempts.MaxBy(round => round.Attempt)!);
        var arms = from round in counting
                   let cell = record.Cells[round.Cell].Key
                   where cell.Load == "max" && round.WindowNs > 0
                   where (cell.Size, cell.Connections, cell.Streams) == (key.Size, key.Connections, key.Streams)
                   group (round.Credited ?? round.Completed) * 1e9 / round.WindowNs by round.Cell into rates
                   select rates.Order().ElementAt((rates.Count() - 1) / 2);
        return arms.Where(rate => rate > 0).DefaultIfEmpty(0).Min();
    }
}
