using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>Opens streams on one event loop, for layers that need a <see cref="Stream"/>. Call it on the loop's thread.</summary>
[SupportedOSPlatform("linux")]
public sealed class LoopStreamConnector(EventLoop loop, LoopConnector connector) : Connector
{
    private LoopStream? last;

    /// <summary>Ends the stream opened last, whatever is being done with it: how a handshake that never ends is given up.</summary>
    public void Abort() => last?.Abort();

    public override async ValueTask<Stream> ConnectAsync(CancellationToken cancellation)
    {
        var stream = last = new LoopStream();
        stream.Attach(await connector.ConnectAsync(loop, stream, cancellation));
        return stream;
    }
}
