using System.Net;
using Microsoft.AspNetCore.Connections;

namespace IpcBench.Server.Hosting;

/// <summary>Holds how many accepted connections there may be at a time, over all listeners. Others wait in the system's queue.</summary>
internal sealed class AcceptGate(int most) : IDisposable
{
    private readonly SemaphoreSlim free = new(most);

    public Task EnterAsync(CancellationToken cancellation) => free.WaitAsync(cancellation);

    public void Leave() => free.Release();

    public void Dispose() => free.Dispose();
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
                connection.ConnectionClosed.UnsafeRegister(static state => ((AcceptGate)state!).Leave(), gate);
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
