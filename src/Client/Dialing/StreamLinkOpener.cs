using IpcBench.Client.Engine;
using IpcBench.Transports;

namespace IpcBench.Client.Dialing;

/// <summary>Links over the framework's streams: pipes everywhere, and everything where there is no event loop.</summary>
internal sealed class StreamLinkOpener(Connector connector, int bufferSize) : ILinkOpener
{
    public long Retries => connector.Retries;

    public async ValueTask<Duplex> OpenAsync(Scheduler scheduler, IDuplexOwner owner, CancellationToken cancellation) =>
        new StreamDuplex(owner, await connector.ConnectAsync(cancellation), bufferSize);
}
