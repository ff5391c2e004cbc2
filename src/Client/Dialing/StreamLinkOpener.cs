using IpcBench.Client.Engine;
using IpcBench.Transports;

namespace IpcBench.Client.Dialing;

/// <summary>Links over the framework's streams: pipes everywhere, and everything where there is no event loop.</summary>
internal sealed class StreamLinkOpener(Connector connector, int bufferSize) : ILinkOpener
{
    public long Retries => connector.Retries;

    public async ValueTask<Link> OpenAsync(Lane lane, ILinkOwner owner, CancellationToken cancellation) =>
        new StreamLink(owner, await connector.ConnectAsync(cancellation), bufferSize);
}
