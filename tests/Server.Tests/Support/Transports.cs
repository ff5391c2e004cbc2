using System.Buffers;
using System.Net;
using System.Runtime.Versioning;
using IpcBench.LoopSockets;
using IpcBench.Transports.Loop;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.Logging.Abstractions;

namespace IpcBench.Server.Tests.Support;

/// <summary>The transports for sockets that Kestrel can use: Kestrel's own, and the transport on event loops.</summary>
internal static class Transports
{
    public const string DotNet = "dotnet", Loop = "loop", LoopInline = "loop-inline";

    public static TheoryData<string> Theory => EventLoop.IsSupported ? [DotNet, Loop, LoopInline] : [DotNet];

    /// <summary>Puts Kestrel on the transport.</summary>
    public static IWebHostBuilder UseTransport(this IWebHostBuilder builder, string sockets) => sockets == DotNet ? builder
        : builder.UseLoopTransport(options => (options.Loops, options.UnsafePreferInlineScheduling) = (2, sockets == LoopInline));

    /// <summary>Creates the transport without Kestrel above it.</summary>
    /// <param name="sockets">The name of the transport.</param>
    /// <param name="most">The most bytes of a connection that may wait to be read, and to be sent.</param>
    /// <param name="loops">The number of event loops, if the transport has them.</param>
    public static IConnectionListenerFactory Create(string sockets, int most = 64 << 10, int loops = 2)
    {
        if (EventLoop.IsSupported && sockets != DotNet)
            return OnLoops(sockets == LoopInline, most, loops);
        return new SocketTransportFactory(
            Microsoft.Extensions.Options.Options.Create(new SocketTransportOptions { MaxReadBufferSize = most, MaxWriteBufferSize = most }),
            NullLoggerFactory.Instance);
    }

    [SupportedOSPlatform("linux")]
    private static LoopTransportFactory OnLoops(bool inline, int most, int loops) => new(
        Microsoft.Extensions.Options.Options.Create(new LoopTransportOptions
        {
            Loops = loops,
            MaxReadBufferSize = most,
            MaxWriteBufferSize = most,
            UnsafePreferInlineScheduling = inline,
        }),
        new PlainPools(), NullLogger<LoopTransportFactory>.Instance);

    private sealed class PlainPools : IMemoryPoolFactory<byte>
    {
        public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => MemoryPool<byte>.Shared;
    }
}

/// <summary>One listener of a transport, and clients that are plain sockets.</summary>
internal sealed class BoundTransport : IAsyncDisposable
{
    private readonly IConnectionListenerFactory factory;
    private readonly List<IDisposable> clients = [];
    private readonly string? path;

    private BoundTransport(IConnectionListenerFactory factory, IConnectionListener listener, string? path) =>
        (this.factory, Listener, this.path) = (factory, listener, path);

    public IConnectionListener Listener { get; }

    public static async Task<BoundTransport> StartAsync(string sockets, bool overUnix, int most = 64 << 10, int loops = 2)
    {
        var factory = Transports.Create(sockets, most, loops);
        var path = overUnix ? Addresses.Unix().Path : null;
        EndPoint there = path is not null ? new System.Net.Sockets.UnixDomainSocketEndPoint(path) : new IPEndPoint(IPAddress.Loopback, 0);
        return new BoundTransport(factory, await factory.BindAsync(there), path);
    }

    /// <summary>Connects a client, which waits to be accepted.</summary>
    public async Task<System.Net.Sockets.Socket> ConnectAsync()
    {
        var there = Listener.EndPoint;
        var client = new System.Net.Sockets.Socket(
            there.AddressFamily, System.Net.Sockets.SocketType.Stream, System.Net.Sockets.ProtocolType.Unspecified);
        clients.Add(client);
        await client.ConnectAsync(there).WaitAsync(Limits.Wait);
        return client;
    }

    public async Task<ConnectionContext> AcceptAsync() =>
        (await Listener.AcceptAsync().AsTask().WaitAsync(Limits.Wait))!;

    public async ValueTask DisposeAsync()
    {
        clients.ForEach(client => client.Dispose());
        await Listener.DisposeAsync().AsTask().WaitAsync(Limits.Wait);
        (factory as IDisposable)?.Dispose();
        if (path is not null)
            File.Delete(path);
    }
}
