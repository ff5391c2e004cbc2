using System.Diagnostics;
using System.Globalization;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>All rounds of a run: interleaved, saved one by one, what was spoiled measured again, ended early when it must.</summary>
internal sealed class BenchRunner(RunOptions options, BenchPlan plan, IRoundRunner rounds, RunJournal journal, IRunObserver observer)
{
    private static readonly TimeSpan SignalDelay = TimeSpan.FromMilliseconds(500);

    private readonly RoundsLimit limit = new(options);
    private readonly RepeatBudget repeats = new(options.RoundsAuto ? 0 : plan.Measurements);

    private readonly HashSet<Workload> lengthened = [];
    private bool isBegun;

    /// <summary>
    /// Measures until the plan is done, every verdict is decided, the time is over, the server is gone or the asker has had enough.
    /// </summary>
    public async Task RunAsync(CancellationToken cancellation)
    {
        var ending = "complete";
        try
        {
            await rounds.WarmServersUpAsync(plan.FirstPhase, options.Rate, anew: false, cancellation);
            await PhaseAsync([.. plan.FirstPhase], (_, _) => options.Rate, cancellation);
            var loads = plan.LoadPhase.ToList();
            if (loads.Count > 0)
            {
                var rates = LoadRates.Of(journal.Record, loads);
                if (rates.Count < loads.Count)
                    observer.Note($"{loads.Count - rates.Count} cells of --load are left out: nothing was completed at full load there");
                await PhaseAsync([.. rates.Keys], (cell, _) => rates[cell], cancellation);
            }
            await SearchAsync(cancellation);
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
            ending = "interrupted";
        }
        // Grpc.Net.Client also cancels what waits for a connection that is lost.
        catch (Exception e) when (e is IOException or OperationCanceledException)
        {
            ending = await IsInterruptedAsync(cancellation) ? "interrupted" : "failed: " + e.Message;
        }
        journal.Replace(record => record with { Finished = RunClock.Now, Ending = ending });
    }

    /// <summary>All arms step in the same rounds, each to the rate that follows from its windows so far.</summary>
    private async Task SearchAsync(CancellationToken cancellation)
    {
        var cells = plan.SearchPhase.ToList();
        double? Rate(PlannedCell cell, int number)
        {
            var run = new MeasuredRun(journal.Record);
            return RateSearchResult.Next(run, run.Cells[cell.Index], number);
        }
        var possible = cells.FindAll(cell => Rate(cell, 1) is not null);
        if (possible.Count < cells.Count)
            observer.Note($"{cells.Count - possible.Count} cells of --find are left out: nothing was completed at full load there, or it "
                + "is not known how long it took");
        await PhaseAsync(possible, Rate, cancellation);
    }

    /// <summary>Ctrl-C in a terminal ends somebody's servers as well, and which of both is noticed first is chance.</summary>
    private async Task<bool> IsInterruptedAsync(CancellationToken cancellation)
    {
        if (options.Variants.Any(variant => variant.Command is not null))
            await Task.Delay(SignalDelay, cancellation).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return cancellation.IsCancellationRequested;
    }

    private async Task PhaseAsync(
        IReadOnlyList<PlannedCell> phase, Func<PlannedCell, int, double?> rate, CancellationToken cancellation)
    {
        // A run that is resumed goes on with the numbers of its rounds.
        var indexes = phase.Select(cell => cell.Index).ToHashSet();
        var last = journal.Record.Rounds.Where(round => indexes.Contains(round.Cell)).Select(round => round.Number).DefaultIfEmpty(0).Max();
        var ofSearch = phase.Any(cell => cell.Given?.Objective is not null);
        for (var number = last + 1; phase.Count > 0 && !limit.IsReached(number, journal.Record, ofSearch); number++)
        {
            if (options.FreshServers && isBegun)
                await rounds.WarmServersUpAsync(phase, rate(phase[0], number), anew: true, cancellation);
            isBegun = true;
            foreach (var (workload, reason) in await RoundAsync(phase, number, 0, rate, cancellation))
            {
                // With all that it is compared with, or its pairs would no longer be of one time.
                var together = phase.Where(cell => Workload.Of(cell.Record.Key) == workload).ToList();
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
    private async Task<IReadOnlyDictionary<Workload, string>> RoundAsync(
        IReadOnlyList<PlannedCell> cells, int number, int attempt, Func<PlannedCell, int, double?> rate, CancellationToken cancellation)
    {
        observer.RoundStarted(
            number, attempt, cells.Any(cell => cell.Given?.Objective is not null) ? options.SearchRounds : options.Rounds);
        var spoiled = new Dictionary<Workload, string>();
        var longer = new List<LongerWindow>();
        foreach (var together in plan.Turns(cells, number))
        {
            cancellation.ThrowIfCancellationRequested();
            var measured = together is [var single]
                ? [await rounds.MeasureAsync(single, number, attempt, rate(single, number), cancellation)]
                : await rounds.MeasureInTurnsAsync(together, number, attempt, cancellation);
            foreach (var (round, _) in measured)
            {
                var cell = together.First(cell => cell.Index == round.Cell);
                journal.Add(round);
                // A lost server cuts the window short: what was measured until then is kept, and reports leave that round out of medians.
                observer.CellFinished(cell, round, journal.Record);
                if (round.Spoiled.Length > 0)
                    spoiled.TryAdd(Workload.Of(cell.Record.Key), $"{cell.Name}: {round.Spoiled}");
            }
            longer.AddRange(measured.Select(one => one.Lengthened).OfType<LongerWindow>());
            if (measured.Select(one => one.ServerLost).FirstOrDefault(lost => lost is not null) is { } lost)
                throw new IOException(lost);
            if (journal.IsFull)
                throw new IOException($"{journal.File} is as large as a results file may be (256 MiB), so the run ends here");
        }
        foreach (var compared in longer.GroupBy(window => Workload.Of(window.Cell.Record.Key)))
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

/// <summary>When the rounds of a phase are enough: a planned number, or <c>--rounds auto</c>'s decision within its time.</summary>
internal sealed class RoundsLimit(RunOptions options)
{
    private readonly long begun = Stopwatch.GetTimestamp();
    private long phaseBegun;

    /// <summary>True when round <paramref name="number"/> is not to be measured any more.</summary>
    public bool IsReached(int number, RunRecord record, bool ofSearch)
    {
        var most = ofSearch ? options.SearchRounds : options.Rounds;
        if (!options.RoundsAuto)
            return number > most;
        if (number > most)
            return true;

        // A round that would end after --max-time is not begun: the run ends within it.
        if (number == 1)
        {
            phaseBegun = Stopwatch.GetTimestamp();
            return false;
        }
        var oneRound = Stopwatch.GetElapsedTime(phaseBegun) / (number - 1);
        return Stopwatch.GetElapsedTime(begun) + oneRound > options.MaxTime || (!ofSearch && IsDecided(record));
    }
    private bool IsDecided(RunRecord record) => options.Limits is { } limits
        ? StopDecision.OfSides(record, limits).Stop : StopDecision.After(record).Stop;
}

/// <summary>
/// How much of what was spoiled may be measured again: once each, and at most a fifth of all measurements, since repeating more would
/// select results.
/// </summary>
/// <param name="planned">Measurements of the whole run; 0 when the tool decides.</param>
internal sealed class RepeatBudget(int planned)
{
    /// <summary>Measurements that were repeated.</summary>
    public int Repeated { get; private set; }

    /// <summary>True, and counted, when so many may be measured once more; false: they stand, with their doubt.</summary>
    /// <param name="measurements">Those to repeat, which are repeated together.</param>
    /// <param name="soFar">Made so far: where none are planned a fifth of these may be repeated.</param>
    public bool TryRepeat(int measurements, int soFar)
    {
        if (Repeated + measurements > (planned > 0 ? planned : soFar) / 5)
            return false;
        Repeated += measurements;
        return true;
    }
}

/// <summary>Absolute rates of the load phase: every arm gets the same one, as named or a share of what the slowest arm can do.</summary>
internal static class LoadRates
{
    /// <summary>
    /// Calls per second for each cell: those that were named, or of shares from the median round of the saturation rounds of its size,
    /// connections and streams. Of these a cell for which no arm completed anything is missing: without a capacity there is no share.
    /// </summary>
    public static IReadOnlyDictionary<PlannedCell, double> Of(RunRecord record, IEnumerable<PlannedCell> loads) =>
        (from cell in loads
         let rate = Earlier(record, cell.Index)
             ?? (cell.Given!.Share is { } share ? share * Capacity(record, cell.Record.Key) : cell.Given.PerSecond)
         where rate > 0
         select (cell, rate)).ToDictionary(pair => pair.cell, pair => pair.rate);

    /// <summary>A run that is resumed goes on with the rates it has.</summary>
    private static double? Earlier(RunRecord record, int cell) => record.Rounds.FirstOrDefault(round => round.Cell == cell)?.AskedRate;

    // The rounds that count in reports: of several attempts the last whole one.
    private static double Capacity(RunRecord record, CellKey key) =>
        new MeasuredRun(record).Cells.Where(cell => cell.Key.Load == "max" && cell.Median is { Rate: > 0 })
            .Where(cell => (cell.Key.Size, cell.Key.Connections, cell.Key.Streams) == (key.Size, key.Connections, key.Streams))
            .Select(cell => cell.Median!.Rate).DefaultIfEmpty(0).Min();
}
