using System.Diagnostics;
using System.Globalization;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>
/// Runs all rounds of a run. A round measures every cell once, and each measurement is saved immediately. Spoiled
/// measurements are repeated, and the run may end early.
/// </summary>
/// <param name="afterwards">Work after the last round, such as the sampled windows of <c>--profile</c>. Null without such work.</param>
internal sealed class BenchRunner(
    BenchPlan plan, IRoundRunner rounds, RunJournal journal, IRunObserver observer, Func<CancellationToken, Task>? afterwards = null)
{
    private static readonly TimeSpan SignalDelay = TimeSpan.FromMilliseconds(500);

    private readonly RunOptions options = plan.Options;
    private readonly RoundsLimit limit = new(plan.Options);
    private readonly RepeatBudget repeats = new(plan.Options.RoundsAuto ? 0 : plan.Measurements);

    private readonly HashSet<Workload> lengthened = [];
    private bool isBegun;

    /// <summary>
    /// Measures until the plan is done, every verdict is decided, the time is over, the server is gone or the user ends the run.
    /// </summary>
    public async Task RunAsync(CancellationToken cancellation)
    {
        var ending = RunEnding.Complete;
        try
        {
            await rounds.WarmServersUpAsync(plan.FirstPhase, options.Rate, anew: false, cancellation);
            foreach (var phase in plan.Phases)
                await PhaseAsync(phase, cancellation);
            if (afterwards is not null)
                await afterwards(cancellation);
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
            ending = RunEnding.Interrupted;
        }
        // Grpc.Net.Client cancels a call that waits for a lost connection. An OperationCanceledException may therefore
        // come although the user has not ended the run.
        catch (Exception e) when (e is IOException or OperationCanceledException)
        {
            ending = await IsInterruptedAsync(cancellation) ? RunEnding.Interrupted : RunEnding.Failed(e.Message);
        }
        journal.Replace(record => record with { Finished = RunClock.Now, Ending = ending });
    }

    /// <summary>
    /// Returns true when the user ended the run. Ctrl-C in a terminal also ends the user's servers in this terminal. This
    /// program may notice the end of a server before its own signal arrives.
    /// </summary>
    private async Task<bool> IsInterruptedAsync(CancellationToken cancellation)
    {
        if (options.Variants.Any(variant => variant.Command is not null))
            await Task.Delay(SignalDelay, cancellation).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return cancellation.IsCancellationRequested;
    }

    private double? Rate(PlannedCell cell, int number) =>
        cell.Given is { } given ? given.RateOf(journal.Record, cell, number) : options.Rate;

    private async Task PhaseAsync(Phase planned, CancellationToken cancellation)
    {
        var phase = planned.Cells.Where(cell => cell.Given is null || Rate(cell, 1) is not null).ToList();
        if (phase.Count < planned.Cells.Count)
        {
            var given = planned.Cells.First(cell => !phase.Contains(cell)).Given!;
            observer.Note($"{planned.Cells.Count - phase.Count} cells of {given.Option} are left out: {given.NoRate}");
        }
        // In a resumed run, the numbers of the new rounds follow those of the saved rounds.
        var indexes = phase.Select(cell => cell.Index).ToHashSet();
        var last = journal.Record.Rounds.Where(round => indexes.Contains(round.Cell)).Select(round => round.Number).DefaultIfEmpty(0).Max();
        var number = last + 1;
        for (; phase.Count > 0 && !limit.IsReached(number, journal.Record, planned); number++)
        {
            if (options.FreshServers && isBegun)
                await rounds.WarmServersUpAsync(phase, Rate(phase[0], number), anew: true, cancellation);
            isBegun = true;
            foreach (var (workload, reason) in await RoundAsync(phase, number, 0, planned.MostRounds, cancellation))
            {
                // All arms of the workload are measured again, since the rounds of compared arms must be close in time.
                var together = phase.Where(cell => Workload.From(cell.Record.Key) == workload).ToList();
                var round = number.ToString(CultureInfo.InvariantCulture);
                if (!repeats.TryRepeat(together.Count, journal.Record.Rounds.Count))
                {
                    observer.Detail($"in round {round} {reason}: the round is kept as doubtful");
                    continue;
                }
                observer.Detail($"in round {round} {reason}: the cell is measured again, with the other arms of the comparison");
                await RoundAsync(together, number, 1, planned.MostRounds, cancellation);
            }
        }
        if (phase.Count > 0 && !options.RoundsAuto && number <= planned.MostRounds)
            observer.Note(string.Create(CultureInfo.InvariantCulture, $"{number - 1} of {planned.MostRounds} rounds were measured: "
                + $"the next round would have ended after --max-time ({options.MaxTime.TotalSeconds:0} s)"));
    }

    /// <summary>Measures each cell once. Returns the workloads that should be measured again, with the reasons.</summary>
    private async Task<IReadOnlyDictionary<Workload, string>> RoundAsync(
        IReadOnlyList<PlannedCell> cells, int number, int attempt, int most, CancellationToken cancellation)
    {
        observer.RoundStarted(number, attempt, most);
        var spoiled = new Dictionary<Workload, string>();
        var longer = new List<LongerWindow>();
        foreach (var together in plan.Turns(cells, number))
        {
            cancellation.ThrowIfCancellationRequested();
            // The garbage is collected outside of windows. A collection in a window would count as the client's CPU
            // time, and without any collection the memory of all rounds would add up.
            GC.Collect();
            var measured = together is [var single]
                ? [await rounds.MeasureAsync(single, number, attempt, Rate(single, number), cancellation)]
                : await rounds.MeasureInTurnsAsync(together, number, attempt, cancellation);
            foreach (var (round, _) in measured)
            {
                var cell = together.First(cell => cell.Index == round.Cell);
                journal.Add(round);
                // If the server was lost, the window was cut short. The round is recorded, but reports leave it out of
                // medians.
                observer.CellFinished(cell, round, journal.Record);
                if (round.Spoiled.Length > 0)
                    spoiled.TryAdd(Workload.From(cell.Record.Key), $"{cell.Name}: {round.Spoiled}");
            }
            longer.AddRange(measured.Select(one => one.Lengthened).OfType<LongerWindow>());
            if (measured.Select(one => one.ServerLost).FirstOrDefault(lost => lost is not null) is { } lost)
                throw new IOException(lost);
            if (journal.IsFull)
                throw new IOException($"{journal.File} has reached the largest size of a results file (256 MiB), so the run ends here");
        }
        foreach (var compared in longer.GroupBy(window => Workload.From(window.Cell.Record.Key)))
        {
            var sentence = LongerWindow.Sentence([.. compared]);
            if (lengthened.Add(compared.Key))
                observer.Note(sentence);
            else
                observer.Detail(sentence);
        }
        cancellation.ThrowIfCancellationRequested();
        return spoiled;
    }
}

/// <summary>
/// Decides whether a phase has enough rounds: the planned number, or as many as fit into the time limit. With
/// <c>--rounds auto</c>, a phase also has enough rounds when all verdicts are decided.
/// </summary>
internal sealed class RoundsLimit(RunOptions options)
{
    private readonly long begun = Stopwatch.GetTimestamp();
    private Phase? current;
    private int first;
    private long phaseBegun;

    /// <summary>True when the phase ends before round <paramref name="number"/>.</summary>
    public bool IsReached(int number, RunRecord record, Phase phase)
    {
        if (number > phase.MostRounds)
            return true;
        if (phase != current)
        {
            (current, first, phaseBegun) = (phase, number, Stopwatch.GetTimestamp());
            return false;
        }
        // A round that would end after --max-time is not started.
        var oneRound = Stopwatch.GetElapsedTime(phaseBegun) / (number - first);
        return Stopwatch.GetElapsedTime(begun) + oneRound > options.MaxTime
            || (options.RoundsAuto && !phase.VariesRate && IsDecided(record));
    }

    private bool IsDecided(RunRecord record) => options.Limits is { } limits
        ? StopDecision.OfSides(record, limits).Stop : StopDecision.After(record).Stop;
}

/// <summary>
/// Limits how many spoiled measurements are repeated: too many repetitions would bias the results. A measurement is
/// repeated at most once, and at most a fifth of all measurements are repeated.
/// </summary>
/// <param name="planned">The number of measurements of the whole run. 0 with <c>--rounds auto</c>.</param>
internal sealed class RepeatBudget(int planned)
{
    private int repeated;

    /// <summary>Returns true if these measurements may be repeated, and counts them. Otherwise the caller keeps them as doubtful.</summary>
    /// <param name="measurements">The number of measurements to repeat together.</param>
    /// <param name="soFar">The number of measurements so far. Without a planned number, at most a fifth of these are repeated.</param>
    public bool TryRepeat(int measurements, int soFar)
    {
        if (repeated + measurements > (planned > 0 ? planned : soFar) / 5)
            return false;
        repeated += measurements;
        return true;
    }
}
