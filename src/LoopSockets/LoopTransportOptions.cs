using System.Net;
using System.Net.Sockets;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;

namespace IpcBench.LoopSockets;

/// <summary>Settings of <see cref="LoopTransportExtensions.UseLoopTransport"/>, named like those of Kestrel's socket transport.</summary>
public sealed class LoopTransportOptions
{
    /// <summary>
    /// The number of event loops, each on its own thread. Connections go to the loops in turn. Default: half the number
    /// of CPUs, but at least 1 and at most 16.
    /// </summary>
    public int Loops { get; set; } = Math.Clamp(Environment.ProcessorCount / 2, 1, 16);

    /// <summary>The number of connections that may wait to be accepted. The system limits this number (net.core.somaxconn).</summary>
    public int Backlog { get; set; } = 512;

    /// <summary>
    /// The number of received bytes of a connection that may wait for the application. At this limit, reading pauses.
    /// Null for no limit.
    /// </summary>
    public long? MaxReadBufferSize { get; set; } = 1024 * 1024;

    /// <summary>
    /// The number of bytes of a connection that may wait to be sent. At this limit, the application's flushes wait.
    /// Null for no limit.
    /// </summary>
    public long? MaxWriteBufferSize { get; set; } = 64 * 1024;

    /// <summary>Whether to set TCP_NODELAY.</summary>
    public bool NoDelay { get; set; } = true;

    /// <summary>
    /// Whether the application runs on the loop's thread until its first await, which saves a hop to the thread pool.
    /// Set this only for applications that never block. A blocked thread stops all connections of its loop, and may
    /// wait for bytes that only this thread could read.
    /// </summary>
    public bool UnsafePreferInlineScheduling { get; set; }

    /// <summary>Creates and binds the socket for an end point. The socket may listen already.</summary>
    public Func<EndPoint, Socket> CreateBoundListenSocket { get; set; } = SocketTransportOptions.CreateDefaultBoundListenSocket;
}
