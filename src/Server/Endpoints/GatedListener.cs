using System.Net;
using Microsoft.AspNetCore.Connections;

namespace IpcBench.Server.Endpoints;

/// <summary>Accepts one connection after the other while the gate has room.</summary>
internal sealed class GatedListener(IConnectionListener inner, AcceptGate gate) : IConnectionListener
{
    private readonly CancellationTokenSource _unbound = new();

    public EndPoint EndPoint => inner.EndPoint;

    public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
    {
        try
        {
            await gate.EnterAsync(_unbound.Token);
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
        await _unbound.CancelAsync();
        await inner.UnbindAsync(cancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        await _unbound.CancelAsync();
        await inner.DisposeAsync();
    }
}
