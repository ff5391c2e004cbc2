using System.Buffers;
using System.Runtime.InteropServices;
using Google.Protobuf;
using IpcBench.Client.Engine;
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

    /// <summary>The same request with another message, which comes without its prefix.</summary>
    public RequestBody With(byte[] message) => new(Fields.IndexedBlock, GrpcFraming.Frame(message));

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
    /// <summary>Below that a copy costs less than one more segment of a send.</summary>
    public const int FewestBorrowed = 4096;

    /// <param name="block">The fields as a connection sends them from its second request on.</param>
    /// <param name="message">With its prefix; empty: the request has no body.</param>
    public RequestBody(byte[] block, byte[] message)
    {
        Message = message.Length < FewestBorrowed ? message : Pinned(message);
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

    /// <summary>A part of the message that is sent from where it lies: of at least <see cref="FewestBorrowed"/> bytes.</summary>
    public ReadOnlyMemory<byte> Part(int from, int count) => MemoryMarshal.CreateFromPinnedArray(Message, from, count);

    /// <summary>Where in <see cref="IndexedFrames"/> the second frame begins, or they end.</summary>
    public int SecondFrame { get; }

    private static byte[] Pinned(byte[] message)
    {
        var there = GC.AllocateUninitializedArray<byte>(message.Length, pinned: true);
        message.CopyTo(there, 0);
        return there;
    }
}

/// <summary>What the connections of one cell have in common.</summary>
internal sealed record Http2Options
{
    public required Http2Request Request { get; init; }

    /// <summary>Payload bytes that a right reply has, or says to have received.</summary>
    public long Size { get; init; }

    public ReplyKind Reply { get; init; }

    /// <summary>After this time a call has failed, whatever comes then; 0: never.</summary>
    public long DeadlineNs { get; init; }

    /// <summary>What is wrong with a message, where a connection's first reply of each window is looked at; null: it is right.</summary>
    public Func<byte[], string?>? Expect { get; init; }

    /// <summary>What servers say of calls that fail.</summary>
    public FailureNotes Notes { get; init; } = new();

    /// <summary>Calls are messages on streams that outlive them.</summary>
    public bool IsStream { get; init; }

    /// <summary>The method is somebody's own: its messages are sent as they are and told apart by their lengths alone.</summary>
    public bool IsUserMethod { get; init; }

    /// <summary>A pulled payload comes in messages of so many bytes, the last of them shorter; 0: in one.</summary>
    public long Chunk { get; init; }

    /// <summary>Which way they go; of those that are not answered each is a message of a stream.</summary>
    public Flow Flow { get; init; }

    /// <summary>Messages of a stream, of which the next opens another; 0: as many as there are.</summary>
    public long Messages { get; init; }

    /// <summary>Calls that may be out at a time.</summary>
    public required int Streams { get; init; }

    /// <summary>Receive window in bytes, of a stream and of the connection.</summary>
    public int Window { get; init; } = ReceiveWindow.Ample;

    /// <summary>The first stream identifier; another than 1 only to see what happens when they run out.</summary>
    public int FirstId { get; init; } = 1;
}
