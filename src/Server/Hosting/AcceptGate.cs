using System.Net;
using Microsoft.AspNetCore.Connections;

namespace IpcBench.Server.Hosting;

/// <summary>Holds how many accepted connections there may be at a time, over all listeners. Others wait in the system's queue.</summary>
/// <param name="served">As many are served; more are closed at once.</param>
/// <param name="beingClosed">As many more are accepted, to be closed.</param>
/// <param name="warnings">Is told once, when the first is closed.</param>
internal sealed class AcceptGate(int served, int beingClosed, TextWriter warnings) : IDisposable
{
    private readonly SemaphoreSlim free = new(served + beingClosed);
    private int open;
    private int isTold;

    public Task EnterAsync(CancellationToken cancellation) => free.WaitAsync(cancellation);

    /// <summary>One has been accepted; it leaves when it is closed.</summary>
    public void Keep(ConnectionContext connection)
    {
        if (Interlocked.Increment(ref open) > served)
            Tell();
        connection.ConnectionClosed.UnsafeRegister(static state => ((AcceptGate)state!).Closed(), this);
    }

    /// <summary>Takes a place for one that Kestrel does not count, and never waits; <see cref="Closed"/> gives it back.</summary>
    /// <returns>False when it is to be closed at once.</returns>
    public bool TryEnter()
    {
        if (Volatile.Read(ref open) >= served || !free.Wait(0))
        {
            Tell();
            return false;
        }
        Interlocked.Increment(ref open);
        return true;
    }

    public void Leave() => free.Release();

    public void Dispose() => free.Dispose();

    /// <summary>One that was accepted is closed.</summary>
    public void Closed()
    {
        Interlocked.Decrement(ref open);
        Leave();
    }

    private void Tell()
    {
        if (Interlocked.Exchange(ref isTold, 1) == 0)
            warnings.WriteLine($"more than {served} connections: others are closed at once; allow more with ulimit -n");
    }
}

/// <summary>Accepts one connection after the other while the gate has room.</summary>
internal sealed class GatedListener(IConnectionListener inner, AcceptGate gate) : IConnectionListener
{
    private readonly CancellationTokenSource unbound = new();

    public EndPoint EndPoint => inner.EndPoint;

    public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
    {
        try
        {
            await gate.EnterAsync(unbound.Token);
        }
        catch (OperationCanceledException)
        {
            return null;
        }
        ConnectionContext? connection = null;
        try
        {
            connection = await inner.AcceptAsync(cancellationToken);
            return connection;
        }
        finally
        {
            if (connection is null)
                gate.Leave();
            else
                gate.Keep(connection);
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
