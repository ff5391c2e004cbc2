using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>Opens streams on one event loop, for layers that need a <see cref="Stream"/>. Call it on the loop's thread.</summary>
[SupportedOSPlatform("linux")]
public sealed class LoopStreamConnector(EventLoop loop, LoopConnector connector) : Connector
{
    public override async ValueTask<Stream> ConnectAsync(CancellationToken cancellation)
    {
        var stream = new LoopStream();
        stream.Attach(await connector.ConnectAsync(loop, stream, cancellation));
        return stream;
    }
}
