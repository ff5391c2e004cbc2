using System.Globalization;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Engine;

/// <summary>Opens the connections of a cell, a few at a time, so that no accept queue overflows.</summary>
internal static class ConnectionRamp
{
    private const int AtOnce = 128;

    /// <returns>The duration of each connect in ns, ascending.</returns>
    public static async Task<long[]> OpenAsync(IReadOnlyList<Scheduler> schedulers, EngineOptions options, CancellationToken cancellation)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        limit.CancelAfter(options.ConnectDeadline);
        var opening = new Opening(limit);
        await Task.WhenAll(schedulers.Select(scheduler => OpenOfAsync(scheduler, Math.Max(1, AtOnce / schedulers.Count), opening)));
        cancellation.ThrowIfCancellationRequested();
        if (opening.Times.Count < options.Connections)
            throw new IOException(Message(opening, options), opening.Error);
        opening.Times.Sort();
        return [.. opening.Times];
    }

    private static string Message(Opening opening, EngineOptions options)
    {
        var (opened, answers) = (opening.Times.Count, opening.Error is not (null or OperationCanceledException));
        var said = answers ? opening.Error!.Message.TrimEnd('.') : "the server does not answer";
        if (opened == 0 && answers)
            return said.StartsWith("cannot connect", StringComparison.Ordinal) ? said : $"cannot connect to {options.Address}: {said}";
        return string.Create(CultureInfo.InvariantCulture,
            $"only {opened} of {options.Connections} connections to {options.Address} could be opened "
            + $"within {options.ConnectDeadline.TotalSeconds:0.#} s: {said}")
            + (answers && opening.Error is not NoLocalPortException
                ? ": the server may have reached its limit of connections or open files (ulimit -n where it was started)" : "");
    }

    private static Task OpenOfAsync(Scheduler scheduler, int atOnce, Opening opening) => scheduler.RunAsync(async () =>
    {
        var next = -1;
        await Task.WhenAll(Enumerable.Range(0, Math.Min(atOnce, scheduler.Connections.Count)).Select(_ => OpenSomeAsync()).ToArray());

        async Task OpenSomeAsync()
        {
            for (var i = Interlocked.Increment(ref next);
                i < scheduler.Connections.Count && opening.MayGoOn;
                i = Interlocked.Increment(ref next))
                await opening.OpenAsync(scheduler.Connections[i]);
        }
    });

    private sealed class Opening(CancellationTokenSource limit)
    {
        private readonly Lock gate = new();

        public List<long> Times { get; } = [];

        public Exception? Error { get; private set; }

        public bool MayGoOn => !limit.IsCancellationRequested;

        public async Task OpenAsync(IConnection connection)
        {
            var started = MonotonicClock.NowNs;
            try
            {
                await connection.OpenAsync(limit.Token);
                lock (gate)
                    Times.Add(MonotonicClock.NowNs - started);
            }
            catch (Exception e)
            {
                // Any exception of the system or a library becomes the reason in the message.
                lock (gate)
                {
                    if (Error is null or OperationCanceledException && e is not OperationCanceledException)
                        Error = e;
                }
                await limit.CancelAsync();
            }
        }
    }
}
