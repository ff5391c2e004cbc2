using System.Diagnostics;

namespace IpcBench.Server.Hosting;

/// <summary>
/// Hears in the transports' logs that accepting fails. Kestrel's own listener tries again at once and without end: without a free file
/// descriptor it would keep a CPU busy and say so nowhere else. It waits while its log is written, so this is where it is slowed down.
/// </summary>
internal sealed class AcceptFailures(AcceptGate gate) : ILoggerProvider
{
    private const string Sockets = "Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets";
    private static readonly string Loops = typeof(LoopSockets.LoopTransportFactory).FullName!;

    /// <summary>Its logs, and nothing else that a host may log.</summary>
    public static bool Listens(string? category, LogLevel level) =>
        (category == Sockets && level == LogLevel.Debug) || (category == Loops && level == LogLevel.Warning);

    public ILogger CreateLogger(string categoryName) => new Listener(gate, categoryName == Sockets);

    public void Dispose()
    {
    }

    private sealed class Listener(AcceptGate gate, bool isOfSockets) : ILogger
    {
        // Of SocketsLog.ConnectionReset; where it is an accept that failed, no connection is named.
        private const int ConnectionReset = 19;
        private const string NoConnection = "(null)";

        private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(50);

        private long last;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(
            LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (!isOfSockets)
            {
                gate.TellStuck();
                return;
            }
            if (eventId.Id != ConnectionReset || !IsOfNone(state))
                return;
            // A single one is a connection that was reset before it was accepted, as on Windows.
            var before = Interlocked.Exchange(ref last, Stopwatch.GetTimestamp());
            if (before == 0 || Stopwatch.GetElapsedTime(before) > 2 * Pause)
                return;
            gate.TellStuck();
            Thread.Sleep(Pause);
        }

        private static bool IsOfNone<TState>(TState state) => state is IEnumerable<KeyValuePair<string, object?>> values
            && values.Any(static value => value is { Key: "ConnectionId", Value: NoConnection });
    }
}
