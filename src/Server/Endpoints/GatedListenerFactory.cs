using System.Net;
using Microsoft.AspNetCore.Connections;

namespace IpcBench.Server.Endpoints;

/// <summary>A transport that accepts no connection for which there is no file descriptor: Kestrel retries such an accept without end, and the runtime breaks.</summary>
internal sealed class GatedListenerFactory(IConnectionListenerFactory inner, AcceptGate gate) : IConnectionListenerFactory, IConnectionListenerFactorySelector
{
    public bool CanBind(EndPoint endpoint) => inner is not IConnectionListenerFactorySelector selector || selector.CanBind(endpoint);

    public async ValueTask<IConnectionListener> BindAsync(EndPoint endpoint, CancellationToken cancellationToken = default) =>
        new GatedListener(await inner.BindAsync(endpoint, cancellationToken), gate);
}
