using System.Collections.Concurrent;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Net;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Win32.SafeHandles;

namespace IpcBench.Server.Hosting;

/// <summary>Holds how many accepted connections there may be at a time, over all listeners. Others wait in the system's queue.</summary>
/// <param name="served">As many are served at the most; more are closed at once.</param>
/// <param name="servedNow">As many are served by the limits of this moment, which somebody may change while the server runs.</param>
/// <param name="beingClosed">As many more are accepted, to be closed.</param>
/// <param name="warnings">Is told once, when the first is closed, and once, when none can be accepted.</param>
internal sealed class AcceptGate(long served, Func<long> servedNow, int beingClosed, TextWriter warnings) : IDisposable
{
    private readonly SemaphoreSlim free = new((int)served + beingClosed);
    private readonly SpareDescriptors spare = new();
    private int open;
    private int isFull;
    private int isStuck;

    public Task EnterAsync(CancellationToken cancellation) => free.WaitAsync(cancellation);

    /// <summary>A connection has been accepted; <see cref="Closed"/> gives its place back.</summary>
    /// <returns>False when it is to be closed at once, and Kestrel, which knows the limit of the start alone, would not.</returns>
    public bool Keep()
    {
        var count = Interlocked.Increment(ref open);
        var limit = LimitNow();
        if (count <= limit)
            return true;
        TellFull(limit);
        return limit == served;
    }

    /// <summary>Takes a place for one that Kestrel does not count, and never waits; <see cref="Closed"/> gives it back.</summary>
    /// <returns>False when it is to be closed at once.</returns>
    public bool TryEnter()
    {
        var limit = LimitNow();
        if (Volatile.Read(ref open) >= limit || !free.Wait(0))
        {
            TellFull(limit);
            return false;
        }
        Interlocked.Increment(ref open);
        return true;
    }

    public void Leave() => free.Release();

    public void Dispose()
    {
        spare.Release();
        free.Dispose();
    }

    /// <summary>One that was accepted is closed.</summary>
    public void Closed()
    {
        Interlocked.Decrement(ref open);
        Leave();
    }

    /// <summary>The system lets no connection be accepted, and it is tried again before long.</summary>
    public void TellStuck()
    {
        if (Interlocked.Exchange(ref isStuck, 1) != 0)
            return;
        spare.Release();
        warnings.WriteLine("no connection could be accepted, for want of file descriptors as a rule: tried again until one can; "
            + "allow more with ulimit -n, or prlimit --nofile while it runs");
    }

    private long LimitNow()
    {
        var now = servedNow();
        if (now < served)
            spare.Release(); // somebody has lowered the limit of open files: soon there may be no others
        return Math.Min(served, now);
    }

    private void TellFull(long limit)
    {
        if (Interlocked.Exchange(ref isFull, 1) == 0)
            warnings.WriteLine($"more than {limit} connections: others are closed at once; allow more with ulimit -n");
    }
}

/// <summary>
/// File descriptors that are of no use but to be free when no others are. The runtime needs two for each thread that it starts and one for
/// each part of the program that it loads, and ends the process without them; the fewest connections that are served need theirs.
/// </summary>
internal sealed class SpareDescriptors
{
    private const int Threads = 16;

    private readonly ConcurrentBag<SafeFileHandle> kept = [];

    public SpareDescriptors()
    {
        while (OperatingSystem.IsLinux() && kept.Count < KestrelLimits.FewestConnections + (2 * Threads))
            kept.Add(File.OpenHandle("/dev/null"));
    }

    /// <summary>Frees them for good. From any thread.</summary>
    public void Release()
    {
        while (kept.TryTake(out var descriptor))
            descriptor.Dispose();
    }
}

/// <summary>
/// A connection that gives its place back when it is closed. Its ConnectionClosed tells that the client has ended its side alone: the
/// descriptor and the answers under way are still there.
/// </summary>
internal sealed class GatedConnection(ConnectionContext inner, AcceptGate gate) : ConnectionContext
{
    private int isClosed;

    public override string ConnectionId { get => inner.ConnectionId; set => inner.ConnectionId = value; }

    public override IFeatureCollection Features => inner.Features;

    public override IDictionary<object, object?> Items { get => inner.Items; set => inner.Items = value; }

    public override IDuplexPipe Transport { get => inner.Transport; set => inner.Transport = value; }

    public override CancellationToken ConnectionClosed { get => inner.ConnectionClosed; set => inner.ConnectionClosed = value; }

    public override EndPoint? LocalEndPoint { get => inner.LocalEndPoint; set => inner.LocalEndPoint = value; }

    public override EndPoint? RemoteEndPoint { get => inner.RemoteEndPoint; set => inner.RemoteEndPoint = value; }

    public override void Abort() => inner.Abort();

    public override void Abort(ConnectionAbortedException abortReason) => inner.Abort(abortReason);

    public override async ValueTask DisposeAsync()
    {
        await inner.DisposeAsync();
        if (Interlocked.Exchange(ref isClosed, 1) == 0)
            gate.Closed();
    }
}

/// <summary>Accepts one connection after the other while the gate has room.</summary>
internal sealed class GatedListener(IConnectionListener inner, AcceptGate gate) : IConnectionListener
{
    private readonly CancellationTokenSource unbound = new();

    public EndPoint EndPoint => inner.EndPoint;

    public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
    {
        while (true)
        {
            try
            {
                await gate.EnterAsync(unbound.Token);
            }
            catch (OperationCanceledException)
            {
                return null;
            }
            if (await AcceptOneAsync(cancellationToken) is not { } accepted)
                return null;
            var connection = new GatedConnection(accepted, gate);
            if (gate.Keep())
                return connection;
            connection.Abort(new ConnectionAbortedException("too many connections"));
            await connection.DisposeAsync();
        }
    }

    private async ValueTask<ConnectionContext?> AcceptOneAsync(CancellationToken cancellationToken)
    {
        ConnectionContext? connection = null;
        try
        {
            return connection = await inner.AcceptAsync(cancellationToken);
        }
        finally
        {
            if (connection is null)
                gate.Leave();
        }
    }

    public async ValueTask UnbindAsync(CancellationToken cancellationToken = default)
    {
        await unbound.CancelAsync();
        await inner.UnbindAsync(cancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        await unbound.CancelAsync();
        await inner.DisposeAsync();
    }
}

/// <summary>
/// A transport that accepts no connection for which there is no file descriptor: Kestrel retries such an accept without end, and the
/// runtime breaks.
/// </summary>
internal sealed class GatedListenerFactory(IConnectionListenerFactory inner, AcceptGate gate)
    : IConnectionListenerFactory, IConnectionListenerFactorySelector
{
    public bool CanBind(EndPoint endpoint) => inner is not IConnectionListenerFactorySelector selector || selector.CanBind(endpoint);

    public async ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default) =>
        new GatedListener(await inner.BindAsync(endpoint, cancellationToken), gate);
}

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
