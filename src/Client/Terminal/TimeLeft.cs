using System.Diagnostics;
using System.Globalization;
using IpcBench.Analysis.Metrics;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Terminal;

/// <summary>
/// How long a run will still take: each cell as long as it took on average so far, before its first time as long as those that it is
/// compared with, and before theirs as long as the plan says; and the same of starting servers anew between rounds.
/// </summary>
internal sealed class ExpectedTime(RunOptions options, BenchPlan plan)
{
    private const double LeastGrowth = 1.1;

    private readonly Dictionary<int, (TimeSpan Sum, int Count, int Round)> done = [];
    private readonly HashSet<Workload> grown = [];
    private readonly TimeLeft shown = new();
    private readonly bool isPlanned = options.Calls is null;
    private (TimeSpan Sum, int Rounds) between;
    private long begun;
    private long last;

    /// <summary>A round begins.</summary>
    /// <param name="attempt">Above 0: one that was spoiled is measured again, by the same servers.</param>
    /// <param name="now">A timestamp.</param>
    public void RoundStarted(int attempt, long now)
    {
        if (begun == 0)
            begun = now;
        else if (attempt == 0)
            between = (between.Sum + Stopwatch.GetElapsedTime(last, now), between.Rounds + 1);
        last = now;
    }

    /// <summary>A cell was measured.</summary>
    /// <param name="windowNs">How long its window was; where slow calls made it longer than planned, a sentence says so.</param>
    /// <param name="now">A timestamp.</param>
    public void Finished(PlannedCell cell, int round, long windowNs, long now)
    {
        var known = done.GetValueOrDefault(cell.Index);
        done[cell.Index] = (known.Sum + Stopwatch.GetElapsedTime(last, now), known.Count + 1, round);
        last = now;
        if (isPlanned && windowNs > LeastGrowth * options.Duration.TotalNanoseconds && grown.Add(Workload.Of(cell.Record.Key)))
            shown.Forget();
    }

    /// <summary>The time left as it is shown (see <see cref="TimeLeft"/>): only windows that grow may make it more.</summary>
    public TimeSpan? Shown(long now) => shown.At(Left(now), now);

    /// <summary>Null when nobody can know: calls are counted and a cell was never measured, or the verdicts decide.</summary>
    public TimeSpan? Left(long now)
    {
        if (begun == 0)
            return plan.Estimate;
        if (options.RoundsAuto)
            return TimeSpan.FromTicks(Math.Max(0, (options.MaxTime - Stopwatch.GetElapsedTime(begun, now)).Ticks));
        var alike = plan.Cells.Where(cell => done.ContainsKey(cell.Index)).ToLookup(
            cell => Workload.Of(cell.Record.Key), cell => done[cell.Index].Sum / done[cell.Index].Count);
        var left = Math.Max(0, plan.RoundsInAll - 1 - between.Rounds)
            * (between.Rounds == 0 ? plan.BetweenRounds : between.Sum / between.Rounds);
        foreach (var cell in plan.Cells)
        {
            var all = cell.Given?.Rounds(options) ?? options.Rounds;
            var known = done.GetValueOrDefault(cell.Index, (Sum: TimeSpan.Zero, Count: 0, Round: all - plan.RoundsOf(cell)));
            if (known.Count == 0 && !isPlanned)
                return null;
            var others = alike[Workload.Of(cell.Record.Key)].ToList();
            var once = known.Count > 0 ? known.Sum / known.Count
                : others.Count > 0 ? TimeSpan.FromTicks((long)others.Average(time => time.Ticks)) : plan.TimeOf(cell);
            left += (all - known.Round) * once;
        }
        return TimeSpan.FromTicks(Math.Max(0, (left - Stopwatch.GetElapsedTime(last, now)).Ticks));
    }
}

/// <summary>
/// The time left as it is shown: it never goes up and never jumps, and it is over when what is expected is. Where a run takes longer than
/// it was thought to, its seconds are longer; where it is quicker, what is too much goes within some seconds.
/// </summary>
internal sealed class TimeLeft
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(8);
    private TimeSpan? shown;
    private long last;

    /// <summary>What was shown was of another plan: what is expected next is shown as it is.</summary>
    public void Forget() => shown = null;

    /// <param name="expected">By what is known now; null: nothing is.</param>
    /// <param name="now">A timestamp.</param>
    public TimeSpan? At(TimeSpan? expected, long now)
    {
        if (expected is not { } left)
            return shown;
        var passed = Stopwatch.GetElapsedTime(last, now);
        last = now;
        if (shown is not { } before)
            return shown = left;
        var after = left <= TimeSpan.Zero ? TimeSpan.Zero : before * (left / (left + passed));
        if (after > left)
            after = left + (after - left) * Math.Exp(-(passed / Patience));
        return shown = after;
    }
}

/// <summary>Durations for people.</summary>
internal static class LeftText
{
    /// <summary><c>about 2m 10s left</c>.</summary>
    /// <param name="left">Null: not known yet.</param>
    public static string Of(TimeSpan? left) => left switch
    {
        null => "time left is not known yet",
        { TotalSeconds: <= 1 } => "almost done",
        { } time => $"about {Span(time)} left",
    };

    /// <summary><c>2m 10s</c>, <c>45s</c>, <c>1h 5m</c>.</summary>
    public static string Span(TimeSpan time)
    {
        var whole = TimeSpan.FromSeconds(Math.Ceiling(time.TotalSeconds));
        return whole switch
        {
            { TotalHours: >= 1 } => string.Create(CultureInfo.InvariantCulture, $"{(int)whole.TotalHours}h {whole.Minutes}m"),
            { TotalMinutes: >= 1 } => string.Create(CultureInfo.InvariantCulture, $"{whole.Minutes}m {whole.Seconds}s"),
            _ => string.Create(CultureInfo.InvariantCulture, $"{whole.Seconds}s"),
        };
    }
}
