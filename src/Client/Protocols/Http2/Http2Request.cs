using System.Buffers;
using System.Runtime.InteropServices;
using Google.Protobuf;
using IpcBench.Client.Engine;
using IpcBench.Http2;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>The request of a cell, encoded once for all connections: the header fields, and the bodies, which are sent in turn.</summary>
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

    public RequestBody[] Bodies { get; }

    /// <summary>Bytes of the largest body.</summary>
    public long LongestBody { get; }

    /// <summary>True when the request is not gRPC, so that it has no body and the reply is a status and a body.</summary>
    public bool IsBare => Bodies[0].Message.Length == 0;

    /// <summary>
    /// Returns the index of the body with which the next connection begins. Each connection begins with the body after
    /// that of the connection before, so that all bodies are sent. May be called from any thread.
    /// </summary>
    public int FirstTurn() => (int)((uint)Interlocked.Increment(ref connections) % Bodies.Length);

    /// <summary>Makes a body for another message. <paramref name="message"/> has no length prefix yet.</summary>
    public RequestBody With(byte[] message) => new(Fields.IndexedBlock, GrpcFraming.Frame(message));

    /// <summary>Makes a gRPC request.</summary>
    /// <param name="tls">True when the scheme is https.</param>
    /// <param name="path"><c>/package.Service/Method</c>.</param>
    /// <param name="messages">Messages without gRPC's length prefix, at least one. They are sent in turn.</param>
    /// <param name="metadata">Fields besides the fields of gRPC.</param>
    public static Http2Request Grpc(
        string authority, bool tls, string path, IEnumerable<byte[]> messages, IEnumerable<(string Name, string Value)>? metadata = null) =>
        new([.. GrpcFields(authority, tls, path), .. metadata ?? []], messages.Select(message => GrpcFraming.Frame(message)));

    /// <summary>Makes a request of <c>Bench.Download</c>.</summary>
    public static Http2Request Download(string authority, bool tls, long size) =>
        Grpc(authority, tls, "/ipcbench.v1.Bench/Download", [new DownloadRequest { Size = size }.ToByteArray()]);

    /// <summary>Makes a request with one message whose payload has this size. On a stream, each message is like this one.</summary>
    public static Http2Request Payload(string authority, bool tls, string path, long size) =>
        new(GrpcFields(authority, tls, path), [PayloadFrame.ForSize((int)size)]);

    /// <summary>Makes a plain HTTP/2 request, without gRPC, for a reply with this many bytes.</summary>
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

/// <summary>The body of a request. It also keeps the whole request, encoded in the form that most calls send.</summary>
internal sealed class RequestBody
{
    /// <summary>
    /// The smallest part of a message, in bytes, that is sent without a copy. For a smaller part, a copy costs less
    /// than an additional segment in the system call.
    /// </summary>
    public const int FewestBorrowed = 4096;

    /// <param name="block">The encoded fields that a connection sends with every request except its first.</param>
    /// <param name="message">The message with its prefix. Empty when the request has no body.</param>
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

    /// <summary>The message with its prefix. Empty when the request has no body.</summary>
    public byte[] Message { get; }

    /// <summary>
    /// The whole request with stream identifier 0: a HEADERS frame, and a DATA frame if there is a body. Null when the
    /// body needs more than one DATA frame.
    /// </summary>
    public byte[]? IndexedFrames { get; }

    /// <summary>The DATA frame of <see cref="IndexedFrames"/>. Empty when there is none.</summary>
    public ReadOnlyMemory<byte> DataFrame => IndexedFrames.AsMemory(IndexedFrames is null ? 0 : SecondFrame);

    /// <summary>Returns a part of the message to send without a copy, of at least <see cref="FewestBorrowed"/> bytes.</summary>
    public ReadOnlyMemory<byte> Part(int from, int count) => MemoryMarshal.CreateFromPinnedArray(Message, from, count);

    /// <summary>The offset in <see cref="IndexedFrames"/> at which the HEADERS frame ends and a DATA frame may follow.</summary>
    public int SecondFrame { get; }

    private static byte[] Pinned(byte[] message)
    {
        var there = GC.AllocateUninitializedArray<byte>(message.Length, pinned: true);
        message.CopyTo(there, 0);
        return there;
    }
}

/// <summary>Options that the connections of a cell share.</summary>
internal sealed record Http2Options
{
    public required Http2Request Request { get; init; }

    /// <summary>Payload bytes of a correct reply, or of a request if the reply must confirm how many arrived.</summary>
    public long Size { get; init; }

    public ReplyKind Reply { get; init; }

    /// <summary>The deadline. A call that takes longer has failed, whatever its reply. 0 means no deadline.</summary>
    public long DeadlineNs { get; init; }

    /// <summary>
    /// Checks a message of the first reply that a connection receives in each window. Returns the error, or null for a
    /// correct message. Without this function, replies are not checked.
    /// </summary>
    public Func<byte[], string?>? Expect { get; init; }

    /// <summary>The servers' messages about failed calls.</summary>
    public FailureNotes Notes { get; init; } = new();

    /// <summary>True when each call is a message on a stream that stays open after the call.</summary>
    public bool IsStream { get; init; }

    /// <summary>
    /// True when the method is the user's. Its messages are sent unchanged, and only the lengths of its replies are read.
    /// </summary>
    public bool IsUserMethod { get; init; }

    /// <summary>Bytes of each message of a pulled payload. The last may have fewer. 0 means one message per payload.</summary>
    public long Chunk { get; init; }

    /// <summary>The direction of the messages. In a one-way flow, each message or pulled payload of a stream is a call.</summary>
    public Flow Flow { get; init; }

    /// <summary>The number of messages after which a new stream is opened. 0 means no limit.</summary>
    public long Messages { get; init; }

    /// <summary>The largest number of calls in flight.</summary>
    public required int Streams { get; init; }

    /// <summary>The receive window of each stream and of the connection, in bytes.</summary>
    public int Window { get; init; } = ReceiveWindow.Ample;

    /// <summary>The first stream identifier. It is 1 except in tests of exhausted identifiers.</summary>
    public int FirstId { get; init; } = 1;
}
