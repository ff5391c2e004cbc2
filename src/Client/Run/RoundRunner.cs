using IpcBench.Analysis.Results;
using IpcBench.Client.Engine;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>Measures one cell once: connect, warm up, read all counters, measure, read them again.</summary>
internal sealed class RoundRunner(RunOptions options, IReadOnlyDictionary<Address, ServerLink> links, RunProgress progress) : IRoundRunner
{
    private readonly List<long> loops = [];

    /// <summary>Warms the servers up: see <see cref="ServerWarmup"/>.</summary>
    /// <param name="cells">The cells that will be measured first.</param>
    /// <param name="rate">Calls per second to offer; null saturates.</param>
    /// <param name="cancellation">Ends it early.</param>
    /// <exception cref="IOException">The connections could not be opened, or a server is gone.</exception>
    /// <exception cref="OperationCanceledException">Cancelled.</exception>
    public async Task WarmServersUpAsync(IEnumerable<PlannedCell> cells, double? rate, CancellationToken cancellation)
    {
        foreach (var (cell, time) in ServerWarmup.Plan(options, cells, cell => links[cell.Target.Address]))
        {
            progress.Enter(cell, "warming up the server", null);
            await using var generator = await ProtocolTable.OpenAsync(cell.Load, cancellation);
            progress.Enter(cell, "warming up the server", generator);
            await WarmUpAsync(generator, time, rate, 0, cancellation);
        }
    }

    /// <summary>One measurement.</summary>
    /// <param name="cell">The cell.</param>
    /// <param name="number">1-based number of the round.</param>
    /// <param name="attempt">0, or above when the round is repeated.</param>
    /// <param name="rate">Calls per second to offer; null saturates.</param>
    /// <param name="cancellation">Ends the window early; what was measured until then is returned.</param>
    /// <exception cref="IOException">The connections could not be opened, or the server is gone before the window began.</exception>
    /// <exception cref="OperationCanceledException">Cancelled before anything was measured.</exception>
    public async Task<MeasuredRound> MeasureAsync(PlannedCell cell, int number, int attempt, double? rate, CancellationToken cancellation)
    {
        var fixedLoop = SpeedProbe.Time();
        loops.Add(fixedLoop);
        progress.Enter(cell, "connecting", null);
        try
        {
            await using var generator = await ProtocolTable.OpenAsync(cell.Load, cancellation);
            return await MeasureAsync(generator, cell, new Turn(number, attempt, rate, fixedLoop), cancellation);
        }
        finally
        {
            progress.Leave();
        }
    }

    private async Task<MeasuredRound> MeasureAsync(LoadGenerator generator, PlannedCell cell, Turn turn, CancellationToken cancellation)
    {
        progress.Enter(cell, "warming up", generator);
        if (options.Warmup > TimeSpan.Zero)
            await WarmUpAsync(generator, options.Warmup, turn.Rate, turn.Number, cancellation);

        progress.Enter(cell, "measuring", generator);
        var at = RunClock.Now;
        using var counters = await WindowCounters.BeginAsync(options, links[cell.Target.Address], cancellation);
        var window = Window(options.Calls is null ? options.Duration : null, turn.Rate, turn.Number) with { Calls = options.Calls };
        var result = await generator.RunAsync(window, cancellation);
        await counters.EndAsync();
        progress.Enter(cell, "saving", null);

        var round = Record(cell, turn, result, counters) with { At = at };
        var spoiled = ForeignLoad.Reason(round.Machine, round.Client, round.Server, turn.FixedLoopNs, loops);
        return new MeasuredRound(round with { Spoiled = spoiled }, result.ServerLost);
    }

    // The file's shape is a promise to its readers (docs/results.schema.json) and histograms are text there, so this is a copy, in one
    // place.
    private static Measurement Record(PlannedCell cell, Turn turn, LoadResult result, WindowCounters counters) => new()
    {
        Cell = cell.Index,
        Number = turn.Number,
        Attempt = turn.Attempt,
        At = default,
        WindowNs = result.WindowNs,
        Started = result.Started,
        Ok = result.Ok,
        Failed = result.Failed,
        CutOff = result.CutOff,
        Completed = result.Completed,
        PayloadBytes = result.PayloadBytes,
        ReceivedBytes = result.ReceivedBytes,
        Latency = result.Latency.Encode(),
        LatencySumNs = result.Latency.Sum,
        CutOffLatency = result.CutOff == 0 ? "" : result.CutOffLatency.Encode(),
        NotSent = result.NotSent,
        NotSentLatency = result.NotSent == 0 ? "" : result.NotSentLatency.Encode(),
        ServiceTime = result.ServiceTime?.Encode() ?? "",
        SendLateness = result.SendLateness?.Encode() ?? "",
        AskedRate = turn.Rate ?? 0,
        Client = counters.Client(result.Ok),
        Server = counters.Server(result.Ok),
        Machine = counters.Machine,
        Connections = counters.Connections(result.Connections, cell.Target),
        Watched = counters.Watched,
        ThreadCalls = result.ThreadCalls,
        Buckets = result.Buckets,
        MethodsCompiled = counters.MethodsCompiled,
        FixedLoopNs = turn.FixedLoopNs,
    };

    private async Task WarmUpAsync(LoadGenerator generator, TimeSpan time, double? rate, int number, CancellationToken cancellation)
    {
        var warm = await generator.RunAsync(Window(time, rate, number), cancellation);
        cancellation.ThrowIfCancellationRequested();
        if (warm.ServerLost is { } lost)
            throw new IOException(lost);
    }

    private LoadWindow Window(TimeSpan? duration, double? rate, int number) => new()
    {
        Duration = duration,
        Rate = rate,
        Poisson = options.Poisson,
        Seed = options.Seed + number,
    };

    /// <summary>Which measurement of a cell it is.</summary>
    /// <param name="Number">1-based number of the round.</param>
    /// <param name="Attempt">0, or above when the round is repeated.</param>
    /// <param name="Rate">Calls per second to offer; null saturates.</param>
    /// <param name="FixedLoopNs">How long a known piece of work took just before.</param>
    private sealed record Turn(int Number, int Attempt, double? Rate, long FixedLoopNs);
}

/// <summary>Measures one cell once; tests of the schedule put a made-up one in its place.</summary>
internal interface IRoundRunner
{
    /// <summary>See <see cref="RoundRunner"/>.</summary>
    Task WarmServersUpAsync(IEnumerable<PlannedCell> cells, double? rate, CancellationToken cancellation);

    /// <summary>See <see cref="RoundRunner"/>.</summary>
    Task<MeasuredRound> MeasureAsync(PlannedCell cell, int number, int attempt, double? rate, CancellationToken cancellation);
}

/// <summary>A measurement and whether the server survived it.</summary>
/// <param name="Round">For the file.</param>
/// <param name="ServerLost">One sentence when it is gone; null when all is well.</param>
internal sealed record MeasuredRound(Measurement Round, string? ServerLost);
