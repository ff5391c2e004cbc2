using System.Net;
using Microsoft.AspNetCore.Connections;

namespace IpcBench.Server.Hosting;

/// <summary>A transport whose connections are counted by the gate, and closed at once where it has no room.</summary>
internal sealed class GatedListenerFactory(IConnectionListenerFactory inner, AcceptGate gate)
    : IConnectionListenerFactory, IConnectionListenerFactorySelector
{
    public bool CanBind(EndPoint endpoint) => inner is not IConnectionListenerFactorySelector selector || selector.CanBind(endpoint);

    public async ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default) =>
        new GatedListener(await inner.BindAsync(endpoint, cancellationToken), gate);
}

/// <summary>
/// Hands on the connections for which the gate has room. It closes one before it accepts the next, so a flood of connections takes one
/// file descriptor more than those that are served.
/// </summary>
internal sealed class GatedListener(IConnectionListener inner, AcceptGate gate) : IConnectionListener
{
    public EndPoint EndPoint => inner.EndPoint;

    public async ValueTask<ConnectionContext?> AcceptAsync(CancellationToken cancellationToken = default)
    {
        while (await inner.AcceptAsync(cancellationToken) is { } accepted)
        {
            if (gate.TryEnter())
                return new GatedConnection(accepted, gate);
            accepted.Abort(new ConnectionAbortedException("too many connections"));
            await accepted.DisposeAsync();
        }
        return null;
    }

    public ValueTask UnbindAsync(CancellationToken cancellationToken = default) => inner.UnbindAsync(cancellationToken);

    public ValueTask DisposeAsync() => inner.DisposeAsync();
}
