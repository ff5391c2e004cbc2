using System.Globalization;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>All rounds of a run: interleaved, saved one by one, a spoiled one repeated, ended early when it must.</summary>
internal sealed class BenchRunner(RunOptions options, BenchPlan plan, IRoundRunner rounds, RunJournal journal, IRunObserver observer)
{
    private readonly RoundsLimit limit = new(options);
    private readonly RepeatBudget repeats = new(options.RoundsAuto ? 0 : options.Rounds);

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
            var spoiled = await RoundAsync(phase, number, 0, rate, cancellation);
            if (spoiled is null)
                continue;
            var round = number.ToString(CultureInfo.InvariantCulture);
            if (!repeats.TryRepeat(number))
            {
                observer.Note($"round {round} stays, though doubtful: {spoiled}");
                continue;
            }
            observer.Note($"round {round} is repeated: {spoiled}");
            await RoundAsync(phase, number, 1, rate, cancellation);
        }
    }

    /// <summary>Every cell once. Returns why the round should be repeated, or null.</summary>
    private async Task<string?> RoundAsync(
        IReadOnlyList<PlannedCell> phase, int number, int attempt, Func<PlannedCell, double?> rate, CancellationToken cancellation)
    {
        observer.RoundStarted(number, attempt);
        string? spoiled = null;
        foreach (var cell in plan.Order(phase, number))
        {
            cancellation.ThrowIfCancellationRequested();
            var measured = await rounds.MeasureAsync(cell, number, attempt, rate(cell), cancellation);
            var round = measured.Round;
            journal.Add(round);
            // A server that is lost shortens the window: the truth about its end is kept, and reports leave it out of medians.
            observer.CellFinished(cell, round, journal.Record);
            if (measured.ServerLost is { } lost)
                throw new IOException(lost);
            if (journal.IsFull)
                throw new IOException($"{journal.File} is as large as a results file may be (256 MiB), so the run ends here");
            spoiled ??= round.Spoiled.Length > 0 ? $"{cell.Record.Address} at {cell.Record.Key.Size} bytes: {round.Spoiled}" : null;
        }
        cancellation.ThrowIfCancellationRequested();
        return spoiled;
    }
}
