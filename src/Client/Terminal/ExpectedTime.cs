using System.Diagnostics;
using IpcBench.Analysis.Metrics;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Terminal;

/// <summary>
/// Estimates how much longer the run will take. A measured cell is expected to take its average so far. A cell that
/// was not yet measured takes the average of the cells with which it is compared, or the planned time if none of them
/// was measured. The start of servers between rounds is estimated in the same way.
/// </summary>
internal sealed class ExpectedTime(BenchPlan plan)
{
    private readonly RunOptions options = plan.Options;
    private readonly Dictionary<int, (TimeSpan Sum, int Count, int Round)> done = [];
    private readonly bool isPlanned = plan.Options.Calls is null;
    private (TimeSpan Sum, int Rounds) between;
    private long begun;
    private long last;

    /// <summary>Called when a round begins.</summary>
    /// <param name="attempt">Above 0 for a spoiled round that is measured again with the same servers.</param>
    public void RoundStarted(int attempt, long now)
    {
        if (begun == 0)
            begun = now;
        else if (attempt == 0)
            between = (between.Sum + Stopwatch.GetElapsedTime(last, now), between.Rounds + 1);
        last = now;
    }

    /// <summary>Called when a cell was measured.</summary>
    public void Finished(PlannedCell cell, int round, long now)
    {
        var known = done.GetValueOrDefault(cell.Index);
        done[cell.Index] = (known.Sum + Stopwatch.GetElapsedTime(last, now), known.Count + 1, round);
        last = now;
    }

    /// <summary>Returns the time left. Null while a cell with a given number of calls has not been measured yet.</summary>
    public TimeSpan? Left(long now)
    {
        if (begun == 0)
            return plan.Estimate;
        if (options.RoundsAuto)
            return TimeSpan.FromTicks(Math.Max(0, (options.MaxTime - Stopwatch.GetElapsedTime(begun, now)).Ticks));
        var alike = plan.Cells.Where(cell => done.ContainsKey(cell.Index)).ToLookup(
            cell => Workload.From(cell.Record.Key), cell => done[cell.Index].Sum / done[cell.Index].Count);
        var left = Math.Max(0, plan.RoundsInAll - 1 - between.Rounds)
            * (between.Rounds == 0 ? plan.BetweenRounds : between.Sum / between.Rounds);
        foreach (var cell in plan.Cells)
        {
            var all = cell.Given?.Rounds(options) ?? options.Rounds;
            var known = done.GetValueOrDefault(cell.Index, (Sum: TimeSpan.Zero, Count: 0, Round: all - plan.RoundsOf(cell)));
            if (known.Count == 0 && !isPlanned)
                return null;
            var others = alike[Workload.From(cell.Record.Key)].ToList();
            var once = known.Count > 0 ? known.Sum / known.Count
                : others.Count > 0 ? TimeSpan.FromTicks((long)others.Average(time => time.Ticks)) : plan.TimeOf(cell);
            left += (all - known.Round) * once;
        }
        left -= Stopwatch.GetElapsedTime(last, now);
        if (options.MaxTime - Stopwatch.GetElapsedTime(begun, now) is var most && most < left)
            left = most;
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }
}
