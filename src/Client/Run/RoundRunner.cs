using IpcBench.Analysis.Results;
using IpcBench.Client.Callers;
using IpcBench.Client.Load;
using IpcBench.Client.Plan;
using IpcBench.Host;
using IpcBench.Protocol.V1;
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
            await using var generator = await LoadGenerator.OpenAsync(cell.Load, cancellation);
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
            await using var generator = await LoadGenerator.OpenAsync(cell.Load, cancellation);
            return await MeasureAsync(generator, cell, (number, attempt, rate, fixedLoop), cancellation);
        }
        finally
        {
            progress.Leave();
        }
    }

    private async Task<MeasuredRound> MeasureAsync(
        LoadGenerator generator, PlannedCell cell, (int Number, int Attempt, double? Rate, long FixedLoopNs) turn, CancellationToken cancellation)
    {
        var (number, attempt, rate, fixedLoop) = turn;
        var link = links[cell.Target.Address];
        progress.Enter(cell, "warming up", generator);
        if (options.Warmup > TimeSpan.Zero)
            await WarmUpAsync(generator, options.Warmup, rate, number, cancellation);

        progress.Enter(cell, "measuring", generator);
        var at = RunClock.Now;
        var serverBefore = await link.UsageAsync(cancellation);
        var treeBefore = ProcessTree.Take(options.ServerPids);
        using var sampler = ConnectionSampler.Begin(options.Watches);
        var machineBefore = MachineSnapshot.Take();
        var before = ProcessSnapshot.Take();
        var result = await generator.RunAsync(Window(options.Calls is null ? options.Duration : null, rate, number) with { Calls = options.Calls }, cancellation);
        var after = ProcessSnapshot.Take();
        var watched = sampler?.Stop() ?? [];
        var machineAfter = MachineSnapshot.Take();
        var treeAfter = ProcessTree.Take(options.ServerPids);
        var serverAfter = await link.UsageAsync(CancellationToken.None);
        progress.Enter(cell, "saving", null);

        var round = new Measurement
        {
            Cell = cell.Index,
            Number = number,
            Attempt = attempt,
            At = at,
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
            AskedRate = rate ?? 0,
            Client = Usage.Between(before, after, result.Ok),
            Server = ServerUsage.Between(serverBefore, serverAfter) ?? Usage.Between(treeBefore, treeAfter, result.Ok),
            Machine = Usage.Between(machineBefore, machineAfter),
            Connections = Truth(result.Connections, link, serverBefore, serverAfter, cell.Target),
            Watched = watched,
            ThreadCalls = result.ThreadCalls,
            Buckets = result.Buckets,
            MethodsCompiled = after.MethodsCompiled - before.MethodsCompiled,
            FixedLoopNs = fixedLoop,
        };
        var spoiled = ForeignLoad.Reason(round.Machine, round.Client, round.Server, fixedLoop, loops);
        return new MeasuredRound(round with { Spoiled = spoiled }, result.ServerLost);
    }

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

    private static ConnectionStats Truth(ConnectionStats own, ServerLink link, UsageReply? before, UsageReply? after, Target target)
    {
        var (first, last) = before is null || after is null || ServerUsage.IsAnother(before, after)
            ? (null, null)
            : (ServerLink.EndpointOf(before, target.Address), ServerLink.EndpointOf(after, target.Address));
        return first is null || last is null ? own : own with
        {
            ServerOpen = own.OpenedInAll is not null ? null : first.ConnectionsOpen - link.OwnConnections(target.Address),
            // Bytes that come back are no calls to an echo.
            ServerCalls = target.Protocol == Catalogue.Echo ? null : last.Calls - first.Calls,
        };
    }
}
