using IpcBench.Analysis.Measures;
using IpcBench.Analysis.Statistics;
using static IpcBench.Analysis.Reports.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>In a closed loop throughput × mean latency is the number of calls in flight; when it is not, time or samples were lost inside the tool.</summary>
internal sealed class LittlesLaw() : CellDoubt("little", "Time or samples were lost inside the tool: do not use these latencies, repeat with fewer threads than cores, and report it.")
{
    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        // Failures take time that is in no latency: the law then says nothing about the tool.
        var rounds = cell.Rounds.Where(r => r.Round is { AskedRate: 0, CutOff: 0, Completed: > 0, Ok: > 0 } && r.FailedCalls == 0).ToList();
        var worst = rounds.Select(r => (Off: Off(r, cell.Key.Streams), Reading: r)).OrderByDescending(entry => entry.Off).FirstOrDefault();
        if (worst.Reading is not { } reading || worst.Off <= Tolerance(reading, cell.Key.Streams))
            return null;
        return new Finding(worst.Off, Invariant(
            $"round {reading.Round.Number} had {InFlight(reading):0.0} calls in flight by Little's law (requests/s × mean latency), but {Open(reading, cell.Key.Streams)} were: {Quantity.Percent(worst.Off)} off"));
    }

    private static double Off(RoundReading r, int streams) => Math.Abs(InFlight(r) / Open(r, streams) - 1);

    /// <summary>
    /// 1 %, or what the edges of the window can do: the calls that they cut are connections / calls when all take equally long, and when a few
    /// take much longer those are the ones cut, so the mean weighted by length (Σ L² / Σ L) over the window bounds it better.
    /// </summary>
    private static double Tolerance(RoundReading r, int streams)
    {
        var (sum, squares) = (0.0, 0.0);
        foreach (var (slot, count) in r.Latency.Counts)
        {
            var latency = (double)LatencyCounts.MiddleOf(slot);
            (sum, squares) = (sum + count * latency, squares + count * latency * latency);
        }
        return Math.Max(Math.Max(0.01, (double)Open(r, streams) / r.Round.Completed), squares / Math.Max(1, sum) / r.Round.WindowNs);
    }

    private static double InFlight(RoundReading r) => r.Rate * r.MeanNs!.Value / 1e9;

    private static long Open(RoundReading r, int streams) => Math.Max(1, (long)r.Round.Connections.Opened * streams);
}
