using System.Diagnostics;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Client.Engine;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Host;

namespace IpcBench.Client.Run;

/// <summary>Measures a cell, or cells in turns: connects, puts load on a cell, and reads all counters at both edges of a window.</summary>
internal sealed class RoundRunner(RunOptions options, ServerSet servers, RunProgress progress) : IRoundRunner
{
    // A window lasts at least this many times the median duration of a call. With fewer calls of each stream in a window,
    // the rate would depend on the position of the window's edges.
    private const int Medians = 4;

    private readonly Dictionary<int, TimeSpan> lengths = [];
    private readonly List<RoundMetrics> measured = [];

    /// <summary>Warms up the servers of the last round, or new servers (see <see cref="ServerWarmup"/>).</summary>
    /// <param name="rate">Calls per second to offer. Null means as many as possible.</param>
    /// <param name="anew">True to end the servers that this tool started, and to start new ones.</param>
    /// <exception cref="IOException">The connections could not be opened, or a server is gone or did not start.</exception>
    public async Task WarmServersUpAsync(IEnumerable<PlannedCell> cells, double? rate, bool anew, CancellationToken cancellation)
    {
        if (anew)
            await servers.StartAnewAsync(cancellation);
        foreach (var (cell, time) in ServerWarmup.Plan(options, cells.Select(servers.Now), cell => servers.Controls[cell.Target.Address]))
        {
            progress.Enter(cell, "warming up the server", null);
            await using var generator = await LoadGenerator.OpenAsync(
                cell.Load, await ProtocolTable.ConnectionsAsync(cell.Load, cancellation), cancellation);
            progress.Enter(cell, "warming up the server", generator);
            await WarmServerUpAsync(cell, generator, time, rate, cancellation);
        }
    }

    /// <summary>Measures a cell once.</summary>
    /// <param name="number">The number of the round, from 1.</param>
    /// <param name="attempt">0, or a higher number when the round is repeated.</param>
    /// <param name="rate">Calls per second to offer. Null means as many as possible.</param>
    /// <param name="cancellation">Ends the window early. The result then has what was measured until that time.</param>
    /// <exception cref="IOException">The connections could not be opened, or the server was gone before the window.</exception>
    /// <exception cref="OperationCanceledException">Cancelled before anything was measured.</exception>
    public async Task<MeasuredRound> MeasureAsync(
        PlannedCell planned, int number, int attempt, double? rate, CancellationToken cancellation)
    {
        servers.Enter(number);
        var cell = servers.Now(planned);
        var turn = new Turn(number, attempt, rate, (SpeedProbe.Time(), SpeedProbe.MemoryStep()));
        progress.Enter(cell, "connecting", null);
        try
        {
            await using var generator = await LoadGenerator.OpenAsync(
                cell.Load, await ProtocolTable.ConnectionsAsync(cell.Load, cancellation), cancellation);
            progress.Enter(cell, "warming up", generator);
            await WarmServerUpAsync(cell, generator, ServerWarmup.OfConnection(options, cell), turn.Rate, cancellation);
            if (options.Calls is not null && options.Warmup > TimeSpan.Zero)
                await WarmUpAsync(generator, options.Warmup, turn.Rate, turn.Number, cancellation);

            using var counters = CountersOf(cell, generator, begun: () => progress.Enter(cell, "measuring", generator));
            await counters.AskFirstAsync(cancellation);
            var window = WindowOf(cell, turn);
            var result = await generator.RunAsync(window, cancellation, counters);
            if (!result.HasBegun)
            {
                cancellation.ThrowIfCancellationRequested();
                throw new IOException(result.ServerLost);
            }
            await counters.AskLastAsync();
            progress.Enter(cell, "saving", null);
            var usage = counters.Read((long)Math.Round(result.Credited), result.AllOk, cell.Target);
            return Judged(RoundRecord.Make(cell, turn, result, usage), result.ServerLost, Standstill.Reason(result)) with
            {
                Lengthened = Lengthen(cell, window, result),
                Spans = [counters.Span],
            };
        }
        finally
        {
            progress.Leave();
        }
    }

    /// <summary>Measures several cells in turns of slices. All of them stay connected, but only one cell at a time has load.</summary>
    /// <param name="planned">All cells of a workload (see <see cref="BenchPlan.InTurns"/>), in the order in which they connect.</param>
    /// <param name="number">The number of the round, from 1.</param>
    /// <param name="attempt">0, or a higher number when the round is repeated.</param>
    /// <param name="cancellation">Ends the round early. The result then has what was measured until that time.</param>
    /// <returns>The cells of which something was measured, in the order of <paramref name="planned"/>.</returns>
    /// <inheritdoc cref="MeasureAsync" path="/exception"/>
    public async Task<IReadOnlyList<MeasuredRound>> MeasureInTurnsAsync(
        IReadOnlyList<PlannedCell> planned, int number, int attempt, CancellationToken cancellation)
    {
        servers.Enter(number);
        var turn = new Turn(number, attempt, null, (SpeedProbe.Time(), SpeedProbe.MemoryStep()));
        var arms = new List<SlicedArm>();
        try
        {
            foreach (var cell in planned.Select(servers.Now).ToList())
            {
                progress.Enter(cell, "connecting", null);
                var source = await ProtocolTable.ConnectionsAsync(cell.Load, cancellation);
                arms.Add(new SlicedArm(options, servers, cell, await LoadGenerator.OpenAsync(cell.Load, source, cancellation)));
            }
            return await MeasureInTurnsAsync(arms, turn, cancellation);
        }
        finally
        {
            foreach (var arm in arms)
                await arm.DisposeAsync();
            progress.Leave();
        }
    }

    private async Task<IReadOnlyList<MeasuredRound>> MeasureInTurnsAsync(
        IReadOnlyList<SlicedArm> arms, Turn turn, CancellationToken cancellation)
    {
        foreach (var arm in arms)
        {
            progress.Enter(arm.Cell, "warming up", arm.Generator);
            await WarmServerUpAsync(arm.Cell, arm.Generator, ServerWarmup.OfConnection(options, arm.Cell), null, cancellation);
            // The warm-up takes at least as long as a slice, since it must measure the duration of a call.
            var time = options.Warmup > options.Slice ? options.Warmup : options.Slice;
            arm.ConnectionsBeside = arms.Where(other => other != arm && other.Cell.Target.Address == arm.Cell.Target.Address)
                .Sum(other => other.Cell.Load.Connections);
            var warm = await WarmUpAsync(arm.Generator, time, null, turn.Number, cancellation);
            // If no call ended or failed in the warm-up's window, a call takes at least as long as this window.
            arm.CallNs = warm is { Latency.Count: 0, Failed.Count: 0 } ? warm.WindowNs : warm.Latency.ToCounts().ValueAt(50);
        }
        // The length of slices is chosen anew in each round. In the first round, calls take longer, since the final
        // code of both sides is not yet compiled.
        var length = SliceLength.For(options, arms.Max(arm => arm.CallNs));
        var lost = await TakeTurnsAsync(arms, length, turn.Number, cancellation);

        if (arms.All(arm => arm.Result is null))
        {
            cancellation.ThrowIfCancellationRequested();
            throw new IOException(lost);
        }
        progress.Enter([.. arms.Select(arm => arm.Cell)], "saving", []);
        var rounds = new List<MeasuredRound>();
        foreach (var arm in arms)
        {
            if (arm is not { Result: { } result, Usage: { } usage })
                continue;
            var round = RoundRecord.Make(arm.Cell, turn, result, usage) with { Slices = arm.Readings(length.Slice) };
            rounds.Add(Judged(round, lost, arm.Standstill) with
            {
                Spans = arm.Spans,
                Lengthened = length.Slice > options.Duration
                    ? new(arm.Cell, TimeSpan.FromMicroseconds(arm.CallNs / 1e3), options.Duration, length.Slice) : null,
            });
        }
        return rounds;
    }

    /// <summary>Measures block after block. A block has one slice of each arm.</summary>
    /// <returns>Why a server cannot be used any more. Null when all is well.</returns>
    private async Task<string?> TakeTurnsAsync(
        IReadOnlyList<SlicedArm> arms, SliceLength length, int number, CancellationToken cancellation)
    {
        progress.Enter([.. arms.Select(arm => arm.Cell)], "measuring", [.. arms.Select(arm => arm.Generator)]);
        var others = new OthersMeter([.. arms.Select(arm => servers.OwnerOf(arm.Cell.Target.Address))]);
        var begun = Stopwatch.GetTimestamp();
        string? lost = null;
        foreach (var block in RoundOrder.Blocks(arms, options.Seed, number).Take(length.Count))
        {
            // The loop also ends when its time is over. Otherwise calls that take far longer than in the warm-up, up
            // to the time-out, would stretch a round to hours.
            if (lost is not null || Stopwatch.GetElapsedTime(begun) > arms.Count * length.Patience)
                break;
            for (var place = 0; place < block.Count && lost is null && !cancellation.IsCancellationRequested; place++)
                lost = await block[place].MeasureAsync(length.Slice, place, options.Seed + number, cancellation);
        }
        var used = others.Read();
        foreach (var arm in arms)
            arm.Finish(used);
        return lost;
    }

    /// <summary>Adds to the round the reasons why it is spoiled, if there are any.</summary>
    private MeasuredRound Judged(Measurement round, string? serverLost, string standstill)
    {
        measured.Add(new RoundMetrics(round));
        string[] reasons = [standstill, ForeignLoad.Reason(measured[^1], SoftInterrupts.AreCharged(measured))];
        return new(round with { Spoiled = string.Join("; ", reasons.Where(reason => reason.Length > 0)) }, serverLost);
    }

    private WindowCounters CountersOf(PlannedCell cell, LoadGenerator generator, Action? begun = null) => new(
        options, servers.Controls[cell.Target.Address], servers.OwnerOf(cell.Target.Address), () => generator.SystemCalls, begun);

    /// <summary>
    /// Returns the load of a cell. The load is the same before, in and after the window. A window with a given number
    /// of calls has no load before and after it.
    /// </summary>
    private LoadWindow WindowOf(PlannedCell cell, Turn turn) => options.Calls is { } calls
        ? Window(null, turn.Rate, turn.Number) with { Calls = calls }
        : Window(lengths.GetValueOrDefault(cell.Index, options.Duration), turn.Rate, turn.Number) with
        {
            Lead = options.Warmup,
            Poisson = options.Poisson || cell.Given is { VariesRate: true },
            Medians = options.FixedDuration || turn.Rate is not null || lengths.ContainsKey(cell.Index) ? 0 : Medians,
        };

    /// <summary>
    /// If slow calls made this window longer than planned, gives the cell's later windows the same length, so that the
    /// rounds of the cell are alike.
    /// </summary>
    /// <returns>Null when the window was as long as planned.</returns>
    private LongerWindow? Lengthen(PlannedCell cell, LoadWindow window, LoadResult result)
    {
        if (window.Medians == 0 || result.LeadMedianNs is not { } median
            || median * window.Medians <= window.Duration!.Value.TotalNanoseconds)
            return null;
        lengths[cell.Index] = TimeSpan.FromMicroseconds(median * window.Medians / 1e3);
        return new(cell, TimeSpan.FromMicroseconds(median / 1e3), window.Duration.Value, lengths[cell.Index]);
    }

    private async Task WarmServerUpAsync(
        PlannedCell cell, LoadGenerator generator, TimeSpan time, double? rate, CancellationToken cancellation)
    {
        if (time <= TimeSpan.Zero)
            return;
        // Code compiled ahead of time needs no JIT warm-up.
        using var warmup = RuntimeFacts.IsCompiledAhead ? null : new JitWarmup(CountersOf(cell, generator));
        await WarmUpAsync(generator, time, rate, 0, cancellation);
    }

    private async Task<LoadResult> WarmUpAsync(
        LoadGenerator generator, TimeSpan time, double? rate, int number, CancellationToken cancellation)
    {
        // In the first half of the warm-up there is only load, and the second half is a window. Thus the code that
        // runs when a window begins is compiled too.
        var warm = await generator.RunAsync(Window(time / 2, rate, number) with { Lead = time / 2 }, cancellation);
        cancellation.ThrowIfCancellationRequested();
        if (warm.ServerLost is { } lost)
            throw new IOException(lost);
        return warm;
    }

    private LoadWindow Window(TimeSpan? duration, double? rate, int number) => new()
    {
        Duration = duration,
        Rate = rate,
        Poisson = options.Poisson,
        Seed = options.Seed + number,
    };
}
