using IpcBench.Host;
using IpcBench.Server.Options;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace IpcBench.Server.Hosting;

/// <summary>
/// Limits on the memory, time and descriptors that clients can take. Every limit that matters is set here with its
/// reason, even if the value is Kestrel's default.
/// </summary>
internal static class KestrelLimits
{
    /// <summary>
    /// The fewest connections for which the server starts. It does not start if the limit of open files allows fewer.
    /// </summary>
    private const long FewestConnections = 16;

    /// <summary>
    /// The most received bytes of one connection that may wait until its protocol reads them. At this number, the
    /// server pauses reading from the socket.
    /// </summary>
    public const int MostUnread = 256 << 10;

    public const long MostConnections = 20_000;

    // Without a free file descriptor a process can neither accept nor load code. So 352 descriptors are kept back: 186 that
    // are open after the first calls with grpc-dotnet's stack, 32 that the loops keep free (LoopListener), and a margin of
    // 134 for code that is loaded later and for rejected connections until they are closed.
    private const long OwnFiles = 352;

    /// <summary>
    /// Returns the most connections over all endpoints together. Further connections are closed at once. A benchmark with
    /// 10,000 connections must work, and each idle connection costs about 35 KiB.
    /// </summary>
    public static long MaxConnections() => Math.Clamp(OpenFileLimit.Read().Soft - OwnFiles, 0, MostConnections);

    /// <summary>Returns an error message when the limit of open files is too low to serve at all. Null otherwise.</summary>
    public static string? TooFewFiles() => OpenFileLimit.Read().Soft is var files and < OwnFiles + FewestConnections
        ? FormattableString.Invariant(
            $"cannot listen: the limit of open files is {files}, but the server needs {OwnFiles + FewestConnections} ")
            + "and one more for each connection: allow more with ulimit -n"
        : null;

    public static void Apply(KestrelServerOptions kestrel, ServerOptions options, long maxConnections)
    {
        kestrel.AddServerHeader = false;
        // A client that adds TLS itself may send the scheme http on a TLS connection. Nothing in this server depends on
        // the scheme.
        kestrel.AllowAlternateSchemes = true;
        var limits = kestrel.Limits;
        limits.MaxConcurrentConnections = maxConnections;
        // While other transports are measured, a connection may wait minutes for its next calls.
        limits.KeepAliveTimeout = TimeSpan.FromMinutes(10);
        // How long a client may take to send the headers of a request.
        limits.RequestHeadersTimeout = TimeSpan.FromSeconds(10);
        // The size of all headers of a request after decompression. A gRPC request has a dozen short headers, but an
        // HPACK bomb expands to megabytes.
        limits.MaxRequestHeadersTotalSize = 16 << 10;
        limits.MaxRequestHeaderCount = 64;
        // Kestrel's limit is off, because the gRPC stack itself rejects a message that is too long (RESOURCE_EXHAUSTED).
        limits.MaxRequestBodySize = null;
        // A request whose body arrives more slowly than this rate is cut off after the grace period.
        limits.MinRequestBodyDataRate = new MinDataRate(bytesPerSecond: 240, gracePeriod: TimeSpan.FromSeconds(5));
        // A client that stops reading, or that does not enlarge its HTTP/2 window, is cut off too. Kestrel allows a
        // client as much time as the written bytes take at this rate. Each of 10,000 connections that share a slow
        // machine still reads faster than this rate. At Kestrel's default of 240 bytes a second, a client with full
        // socket buffers could stay for half an hour.
        limits.MinResponseDataRate = new MinDataRate(bytesPerSecond: 4 << 10, gracePeriod: TimeSpan.FromSeconds(5));
        // The most bytes that may wait for the socket of one connection.
        limits.MaxResponseBufferSize = 64 << 10;
        limits.MaxRequestBufferSize = 1 << 20;
        ApplyHttp2(limits.Http2, options);
    }

    private static void ApplyHttp2(Http2Limits http2, ServerOptions options)
    {
        // With the built-in stack, the waiting replies of one connection take at most this number times --write-chunk.
        http2.MaxStreamsPerConnection = options.MaxStreams;
        // The bytes that a client may send before the server reads them, on one stream and on the whole connection. A
        // small window makes an upload wait more often. The defaults are Kestrel's, 768 KiB and 1 MiB, so that the
        // server behaves like an application (https://github.com/dotnet/aspnetcore/pull/43302).
        http2.InitialStreamWindowSize = options.Http2Window ?? http2.InitialStreamWindowSize;
        http2.InitialConnectionWindowSize = options.Http2Window ?? http2.InitialConnectionWindowSize;
        http2.MaxFrameSize = 16 << 10;
        // The sizes of the decoder's dynamic table and of the longest single header. They are small, but enough for every
        // known gRPC client.
        http2.HeaderTableSize = 4 << 10;
        http2.MaxRequestHeaderFieldSize = 8 << 10;
    }
}
