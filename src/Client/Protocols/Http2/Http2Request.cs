using System.Buffers;
using Google.Protobuf;
using IpcBench.Http2;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>What is asked on all connections of a cell, encoded once: the fields of every request, and bodies taken in turn.</summary>
internal sealed class Http2Request
{
    private int connections = -1;

    private Http2Request((string Name, string Value)[] fields, IEnumerable<byte[]> bodies)
    {
        Fields = new RepeatedFields(fields);
        Bodies = [.. bodies.Select(body => new RequestBody(Fields.IndexedBlock, body))];
        LongestBody = Bodies.Max(body => body.Message.Length);
    }

    public RepeatedFields Fields { get; }

    /// <summary>At least one.</summary>
    public RequestBody[] Bodies { get; }

    /// <summary>Bytes of the largest.</summary>
    public long LongestBody { get; }

    /// <summary>Not gRPC: a request has no body, a reply is a status and a body.</summary>
    public bool IsBare => Bodies[0].Message.Length == 0;

    /// <summary>Where among the bodies the next connection begins: each elsewhere, so that all are out. From any thread.</summary>
    public int FirstTurn() => (int)((uint)Interlocked.Increment(ref connections) % Bodies.Length);

    /// <summary>A gRPC request.</summary>
    /// <param name="authority">The server's name.</param>
    /// <param name="tls">The scheme is https.</param>
    /// <param name="path"><c>/package.Service/Method</c>.</param>
    /// <param name="messages">Without their prefix, taken in turn; at least one.</param>
    /// <param name="metadata">Fields beyond gRPC's own.</param>
    public static Http2Request Grpc(
        string authority, bool tls, string path, IEnumerable<byte[]> messages, IEnumerable<(string Name, string Value)>? metadata = null) =>
        new([.. GrpcFields(authority, tls, path), .. metadata ?? []], messages.Select(message => GrpcFraming.Frame(message)));

    /// <summary>A request of <c>Bench.Download</c>.</summary>
    public static Http2Request Download(string authority, bool tls, long size) =>
        Grpc(authority, tls, "/ipcbench.v1.Bench/Download", [new DownloadRequest { Size = size }.ToByteArray()]);

    /// <summary>A request with so many bytes of payload, or the first message of a stream of such.</summary>
    public static Http2Request Payload(string authority, bool tls, string path, long size) =>
        new(GrpcFields(authority, tls, path), [PayloadFrame.Of((int)size)]);

    /// <summary>A request for so many bytes without gRPC.</summary>
    public static Http2Request Bare(string authority, bool tls, long size) => new(
        [
            (":method", "GET"),
            (":scheme", Scheme(tls)),
            (":path", FormattableString.Invariant($"/bytes/{size}")),
            (":authority", authority),
            ("user-agent", "ipcbench-wire"),
        ],
        [[]]);

    private static (string Name, string Value)[] GrpcFields(string authority, bool tls, string path) =>
    [
        (":method", "POST"),
        (":scheme", Scheme(tls)),
        (":path", path),
        (":authority", authority),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
        ("user-agent", "grpc-ipcbench-wire"),
    ];

    private static string Scheme(bool tls) => tls ? "https" : "http";
}

/// <summary>One request's body, and the whole request as most are sent.</summary>
internal sealed class RequestBody
{
    /// <param name="block">The fields as a connection sends them from its second request on.</param>
    /// <param name="message">With its prefix; empty: the request has no body.</param>
    public RequestBody(byte[] block, byte[] message)
    {
        Message = message;
        var frames = new ArrayBufferWriter<byte>();
        var end = message.Length == 0 ? FrameFlags.EndStream : FrameFlags.None;
        frames.WriteFrame(FrameType.Headers, FrameFlags.EndHeaders | end, 0, block);
        SecondFrame = frames.WrittenCount;
        if (message.Length > FrameReader.MaxFrame)
            return;
        if (message.Length > 0)
            frames.WriteFrame(FrameType.Data, FrameFlags.EndStream, 0, message);
        IndexedFrames = frames.WrittenSpan.ToArray();
    }

    /// <summary>The length-prefixed message; empty when the request has no body.</summary>
    public byte[] Message { get; }

    /// <summary>
    /// HEADERS and, unless it has no body, DATA frame of the whole request, stream identifiers left 0; null when one frame is too small.
    /// </summary>
    public byte[]? IndexedFrames { get; }

    /// <summary>The DATA frame of <see cref="IndexedFrames"/>; empty when there is none.</summary>
    public ReadOnlyMemory<byte> DataFrame => IndexedFrames.AsMemory(IndexedFrames is null ? 0 : SecondFrame);

    /// <summary>Where in <see cref="IndexedFrames"/> the second frame begins, or they end.</summary>
    public int SecondFrame { get; }
}
