using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>
/// In a closed loop throughput × mean latency is the number of calls in flight; when it is not, time or samples were lost inside the tool.
/// </summary>
internal static class LittlesLaw
{
    private const double LeastOff = 0.01;

    public static Observation? Broken(MeasuredRun run, MeasuredCell cell)
    {
        // Streams that the server does not allow wait outside every latency, so they are not in flight.
        // Failures take time that is in no latency: the law then says nothing about the tool.
        var streams = cell.Key.Streams;
        var worst = cell.Rounds
            .Where(r => r.Record is { AskedRate: 0, CutOff: 0, Ok: > 0 } && r.Credited > 0 && r.FailedCalls == 0 && Keeps(r.Record))
            .Where(r => Off(r, streams) > LeastOff && Off(r, streams) > Tolerance(r, streams))
            .OrderByDescending(r => Off(r, streams)).FirstOrDefault();
        return worst == null ? null : new Observation(Off(worst, streams),
            Invariant($"round {worst.Record.Number} had {Found(worst):0.0} calls in flight by Little's law (requests/s × mean latency), ")
            + Invariant($"but {worst.InFlight(streams)} were: {Quantity.Percent(Off(worst, streams))} off"));
    }

    /// <summary>Connections that are closed and opened again between calls are meanwhile not in flight.</summary>
    private static bool Keeps(Measurement round) =>
        round.Connections is { OpenedInAll: null } stats && stats.Reopened * 500L < round.Completed;

    private static double Off(MeasurementView r, int streams) => Math.Abs(Found(r) / r.InFlight(streams) - 1);

    /// <summary>
    /// 1 %, or what the edges of the window can do. The calls that an edge cuts are as many as are in flight, so connections / calls when
    /// all take equally long; at most they are the longest ones of all, as when everything stands still at the edge.
    /// </summary>
    private static double Tolerance(MeasurementView r, int streams)
    {
        var inFlight = r.InFlight(streams);
        var (left, longest) = (inFlight, 0.0);
        foreach (var (slot, count) in r.Latency.Descending())
        {
            var taken = Math.Min(left, count);
            (left, longest) = (left - taken, longest + taken * (double)LatencyCounts.MiddleOf(slot));
            if (left == 0)
                break;
        }
        return Math.Max(Math.Max(LeastOff, inFlight / r.Credited), longest / inFlight / r.Record.WindowNs);
    }

    private static double Found(MeasurementView r) => r.Rate * r.MeanNs!.Value / 1e9;
}
