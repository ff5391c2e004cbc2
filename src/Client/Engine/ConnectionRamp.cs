using System.Globalization;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Engine;

/// <summary>Opens the connections of a cell, about 128 at a time, so that accept queues rarely overflow.</summary>
internal sealed class ConnectionRamp
{
    private const int AtOnce = 128;

    private readonly CancellationTokenSource limit;
    private readonly Lock gate = new();
    private readonly List<long> times = [];
    private Exception? error;

    private ConnectionRamp(CancellationTokenSource limit) => this.limit = limit;

    /// <returns>The connect time of each connection in ns, ascending.</returns>
    public static async Task<long[]> OpenAsync(IReadOnlyList<Scheduler> schedulers, EngineOptions options, CancellationToken cancellation)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        limit.CancelAfter(options.ConnectDeadline);
        var (ramp, atOnce) = (new ConnectionRamp(limit), Math.Max(1, AtOnce / schedulers.Count));
        await Task.WhenAll(schedulers.Select(scheduler => scheduler.RunAsync(() => ramp.OpenAsync(scheduler.Connections, atOnce))));
        cancellation.ThrowIfCancellationRequested();
        if (ramp.times.Count < options.Connections)
            throw new IOException(ramp.Message(options), ramp.error);
        ramp.times.Sort();
        return [.. ramp.times];
    }

    private Task OpenAsync(IReadOnlyList<IConnection> connections, int atOnce)
    {
        var next = -1;
        return Task.WhenAll(Enumerable.Range(0, Math.Min(atOnce, connections.Count)).Select(_ => OpenSomeAsync()).ToArray());

        async Task OpenSomeAsync()
        {
            while (Interlocked.Increment(ref next) is var i && i < connections.Count && !limit.IsCancellationRequested)
            {
                var started = MonotonicClock.NowNs;
                try
                {
                    await connections[i].OpenAsync(limit.Token);
                    lock (gate)
                        times.Add(MonotonicClock.NowNs - started);
                }
                catch (Exception e)
                {
                    // OpenAsync may throw any exception of the system or of a library. The error message gives its text as the reason.
                    lock (gate)
                    {
                        if (error is null or OperationCanceledException && e is not OperationCanceledException)
                            error = e;
                    }
                    await limit.CancelAsync();
                }
            }
        }
    }

    private string Message(EngineOptions options)
    {
        var answers = error is not (null or OperationCanceledException);
        var said = answers ? error!.Message.TrimEnd('.') : "the server does not answer";
        if (times.Count == 0 && answers)
            return error is CannotConnectException ? said : $"cannot connect to {options.Address}: {said}";
        return string.Create(CultureInfo.InvariantCulture,
            $"only {times.Count} of {options.Connections} connections to {options.Address} could be opened "
            + $"within {options.ConnectDeadline.TotalSeconds:0.#} s: {said}")
            + (answers && error is not NoLocalPortException
                ? ": the server may have reached its limit of connections or open files (ulimit -n where the server was started)" : "");
    }
}
