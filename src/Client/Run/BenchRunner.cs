using System.Globalization;
using IpcBench.Analysis.Metrics;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>All rounds of a run: interleaved, saved one by one, what was spoiled measured again, ended early when it must.</summary>
internal sealed class BenchRunner(RunOptions options, BenchPlan plan, IRoundRunner rounds, RunJournal journal, IRunObserver observer)
{
    private readonly RoundsLimit limit = new(options);
    private readonly RepeatBudget repeats = new(options.RoundsAuto ? 0 : options.Rounds * plan.Cells.Count);

    /// <summary>
    /// Measures until the plan is done, every verdict is decided, the time is over, the server is gone or the asker has had enough.
    /// </summary>
    public async Task RunAsync(CancellationToken cancellation)
    {
        var ending = "complete";
        try
        {
            await rounds.WarmServersUpAsync(plan.FirstPhase, options.Rate, cancellation);
            await PhaseAsync([.. plan.FirstPhase], _ => options.Rate, cancellation);
            var loads = plan.LoadPhase.ToList();
            if (loads.Count > 0)
            {
                var rates = LoadRates.Of(journal.Record, loads);
                if (rates.Count < loads.Count)
                    observer.Note($"{loads.Count - rates.Count} cells of --load are left out: nothing was completed at full load there");
                await PhaseAsync([.. rates.Keys], cell => rates[cell], cancellation);
            }
        }
        catch (OperationCanceledException)
        {
            ending = "interrupted";
        }
        catch (IOException e)
        {
            ending = "failed: " + e.Message;
        }
        journal.Replace(record => record with { Finished = RunClock.Now, Ending = ending });
    }

    private async Task PhaseAsync(IReadOnlyList<PlannedCell> phase, Func<PlannedCell, double?> rate, CancellationToken cancellation)
    {
        for (var number = 1; phase.Count > 0 && !limit.IsReached(number, journal.Record); number++)
        {
            foreach (var (point, reason) in await RoundAsync(phase, number, 0, rate, cancellation))
            {
                // With all that it is compared with, or its pairs would no longer be of one time.
                var together = phase.Where(cell => Point.Of(cell.Record.Key) == point).ToList();
                var round = number.ToString(CultureInfo.InvariantCulture);
                if (!repeats.TryRepeat(together.Count, journal.Record.Rounds.Count))
                {
                    observer.Detail($"in round {round} {reason}: it stays, though doubtful");
                    continue;
                }
                observer.Detail($"in round {round} {reason}: measured again, with what it is compared with");
                await RoundAsync(together, number, 1, rate, cancellation);
            }
        }
    }

    /// <summary>Each of the cells once. Returns where they should be measured again, and why.</summary>
    private async Task<IReadOnlyDictionary<Point, string>> RoundAsync(
        IReadOnlyList<PlannedCell> cells, int number, int attempt, Func<PlannedCell, double?> rate, CancellationToken cancellation)
    {
        observer.RoundStarted(number, attempt);
        var spoiled = new Dictionary<Point, string>();
        foreach (var cell in plan.Order(cells, number))
        {
            cancellation.ThrowIfCancellationRequested();
            var measured = await rounds.MeasureAsync(cell, number, attempt, rate(cell), cancellation);
            var round = measured.Round;
            journal.Add(round);
            if (measured.Lengthened is { } longer)
                observer.Note(longer);
            // A lost server cuts the window short: what was measured until then is kept, and reports leave that round out of medians.
            observer.CellFinished(cell, round, journal.Record);
            if (measured.ServerLost is { } lost)
                throw new IOException(lost);
            if (journal.IsFull)
                throw new IOException($"{journal.File} is as large as a results file may be (256 MiB), so the run ends here");
            if (round.Spoiled.Length > 0)
                spoiled.TryAdd(Point.Of(cell.Record.Key), $"{cell.Record.Address} at {cell.Record.Key.Work}: {round.Spoiled}");
        }
        cancellation.ThrowIfCancellationRequested();
        return spoiled;
    }
}
