using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace IpcBench.Server.Tests.Support;

/// <summary>Keeps what a host logs at the level of a warning or above.</summary>
internal sealed class CollectedLog : ILoggerProvider, ILogger
{
    private readonly ConcurrentQueue<string> lines = new();

    public IReadOnlyCollection<string> Lines => lines;

    public ILogger CreateLogger(string categoryName) => this;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Warning;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        // On a busy machine Kestrel warns that its heartbeat took longer than a second, which says nothing about the connections.
        if (IsEnabled(logLevel) && eventId.Name != "HeartbeatSlow")
            lines.Enqueue($"{formatter(state, exception)} {exception?.Message}".TrimEnd());
    }

    public void Dispose()
    {
    }
}
