using IpcBench.Host;
using IpcBench.Server.Options;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace IpcBench.Server.Hosting;

/// <summary>
/// What one client, or many, may cost. Every limit that matters is set here, with its reason, even where it is Kestrel's own default.
/// </summary>
internal static class KestrelLimits
{
    /// <summary>Connections beyond the limit that may be accepted and on their way to being closed.</summary>
    public const int BeingClosed = 64;

    /// <summary>So many are served whatever the limit of open files is; a server that may have fewer does not start.</summary>
    public const long FewestConnections = 16;

    /// <summary>
    /// Bytes of one connection that may have arrived and that its protocol has not looked at yet; beyond them its socket is not read.
    /// </summary>
    public const int MostUnread = 256 << 10;

    private const long MostConnections = 20_000;

    // A process without a free file descriptor cannot even accept and close, nor load what it needs next: keep some for itself. With
    // grpc-dotnet's stack it has 234 open of its own after the first calls, and the loops keep 32 free (LoopListener).
    private const long OwnFiles = 288 + BeingClosed;

    /// <summary>
    /// Connections over all endpoints; more are closed at once. An idle one costs some 35 KiB, and a benchmark of 10,000 must pass.
    /// </summary>
    public static long MaxConnections() => Math.Clamp(OpenFileLimit.Read().Soft - OwnFiles, FewestConnections, MostConnections);

    /// <summary>One sentence when this process may have too few files open to serve at all; otherwise null.</summary>
    public static string? TooFewFiles() => OpenFileLimit.Read().Soft is var files and < OwnFiles + FewestConnections
        ? FormattableString.Invariant(
            $"cannot listen: this process may have {files} files open, and the server needs {OwnFiles + FewestConnections} ")
            + "and one more for each connection; allow more with ulimit -n"
        : null;

    public static void Apply(KestrelServerOptions kestrel, ServerOptions options, long maxConnections)
    {
        kestrel.AddServerHeader = false;
        // Nothing here depends on the scheme, and clients with a TLS layer of their own may say http.
        kestrel.AllowAlternateSchemes = true;
        var limits = kestrel.Limits;
        limits.MaxConcurrentConnections = maxConnections;
        // In an interleaved run a client's connections may wait minutes for their next round.
        limits.KeepAliveTimeout = TimeSpan.FromMinutes(10);
        // How long a request may take to send its headers.
        limits.RequestHeadersTimeout = TimeSpan.FromSeconds(10);
        // All headers of a request, after decompression: a gRPC request has a dozen short ones, an HPACK bomb expands to megabytes.
        limits.MaxRequestHeadersTotalSize = 16 << 10;
        limits.MaxRequestHeaderCount = 64;
        // No limit here: the gRPC stack refuses a message that is too long, with RESOURCE_EXHAUSTED.
        limits.MaxRequestBodySize = null;
        // A body that trickles is cut off after the grace period.
        limits.MinRequestBodyDataRate = new MinDataRate(bytesPerSecond: 240, gracePeriod: TimeSpan.FromSeconds(5));
        // So is a client that stops reading or keeps its window shut: Kestrel gives it the time that what is already written may take at
        // this rate.
        // 10,000 connections that share a slow machine still read faster; at Kestrel's own 240 bytes a second a client with full socket
        // buffers could stay for half an hour.
        limits.MinResponseDataRate = new MinDataRate(bytesPerSecond: 4 << 10, gracePeriod: TimeSpan.FromSeconds(5));
        // What may wait in memory for one connection's socket.
        limits.MaxResponseBufferSize = 64 << 10;
        limits.MaxRequestBufferSize = 1 << 20;
        ApplyHttp2(limits.Http2, options);
    }

    private static void ApplyHttp2(Http2Limits http2, ServerOptions options)
    {
        // Streams × --write-chunk is what one connection can make the server hold for it.
        http2.MaxStreamsPerConnection = options.MaxStreams;
        // What a client may send ahead of being read, of a stream and in all: Kestrel's own, as applications have them, 768 KiB and 1 MiB
        // (https://github.com/dotnet/aspnetcore/pull/43302). They decide how often an upload has to wait.
        http2.InitialStreamWindowSize = options.Http2Window ?? http2.InitialStreamWindowSize;
        http2.InitialConnectionWindowSize = options.Http2Window ?? http2.InitialConnectionWindowSize;
        http2.MaxFrameSize = 16 << 10;
        // The dynamic table of the decoder, and the longest single header: small, and enough for every gRPC client there is.
        http2.HeaderTableSize = 4 << 10;
        http2.MaxRequestHeaderFieldSize = 8 << 10;
    }
}
