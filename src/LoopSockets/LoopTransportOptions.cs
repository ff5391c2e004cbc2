using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;

namespace IpcBench.LoopSockets;

/// <summary>Settings of <see cref="LoopTransportExtensions.UseLoopTransport"/>, named as those of Kestrel's own sockets are.</summary>
public sealed class LoopTransportOptions
{
    /// <summary>Event loops, a thread each; connections are spread over them in turn. Default: one for two CPUs, at least one.</summary>
    public int Loops { get; set; } = Math.Clamp(Environment.ProcessorCount / 2, 1, 16);

    /// <summary>Connections that may wait to be accepted; the system caps it (net.core.somaxconn).</summary>
    public int Backlog { get; set; } = 512;

    /// <summary>Bytes of a connection that may wait to be read by the application; the socket is read no further. Null: no limit.</summary>
    public long? MaxReadBufferSize { get; set; } = 1024 * 1024;

    /// <summary>Bytes of a connection that may wait to be sent; the application's flushes wait. Null: no limit.</summary>
    public long? MaxWriteBufferSize { get; set; } = 64 * 1024;

    /// <summary>TCP_NODELAY.</summary>
    public bool NoDelay { get; set; } = true;

    /// <summary>Makes the socket that listens at an end point, bound; it may be listening already.</summary>
    public Func<EndPoint, Socket> CreateBoundListenSocket { get; set; } = SocketTransportOptions.CreateDefaultBoundListenSocket;
}
