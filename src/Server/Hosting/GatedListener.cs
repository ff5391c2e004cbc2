using System.Net;
using Microsoft.AspNetCore.Connections;

namespace IpcBench.Server.Hosting;

/// <summary>
/// Makes listeners whose connections the gate counts. Connections for which the gate has no room are closed at once.
/// </summary>
internal sealed class GatedListenerFactory(IConnectionListenerFactory inner, AcceptGate gate)
    : IConnectionListenerFactory, IConnectionListenerFactorySelector
{
    public bool CanBind(EndPoint endpoint) => inner is not IConnectionListenerFactorySelector selector || selector.CanBind(endpoint);

    public async ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default) =>
        new GatedListener(await inner.BindAsync(endpoint, cancellationToken), gate);
}

/// <summary>
/// Accepts connections, and gives Kestrel those for which the gate has room. A rejected connection is closed before the next
/// connection is accepted. So even a flood of connections takes only one more descriptor for each listener.
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
