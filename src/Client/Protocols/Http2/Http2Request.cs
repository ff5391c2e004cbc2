using System.Buffers;
using System.Runtime.InteropServices;
using Google.Protobuf;
using IpcBench.Client.Engine;
using IpcBench.Http2;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>The request of a cell, encoded once for all connections: the fields, and the bodies that are sent in turn.</summary>
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

    /// <summary>Not gRPC: the request has no body, and the reply is a status and a body.</summary>
    public bool IsBare => Bodies[0].Message.Length == 0;

    /// <summary>The body with which the next connection begins: each begins with another, so that all are sent. From any thread.</summary>
    public int FirstTurn() => (int)((uint)Interlocked.Increment(ref connections) % Bodies.Length);

    /// <summary>The body for another message, which is given without its prefix.</summary>
    public RequestBody With(byte[] message) => new(Fields.IndexedBlock, GrpcFraming.Frame(message));

    /// <summary>A gRPC request.</summary>
    /// <param name="tls">The scheme is https.</param>
    /// <param name="path"><c>/package.Service/Method</c>.</param>
    /// <param name="messages">Messages without their prefix, sent in turn; at least one.</param>
    /// <param name="metadata">Fields besides those of gRPC.</param>
    public static Http2Request Grpc(
        string authority, bool tls, string path, IEnumerable<byte[]> messages, IEnumerable<(string Name, string Value)>? metadata = null) =>
        new([.. GrpcFields(authority, tls, path), .. metadata ?? []], messages.Select(message => GrpcFraming.Frame(message)));

    /// <summary>A request of <c>Bench.Download</c>.</summary>
    public static Http2Request Download(string authority, bool tls, long size) =>
        Grpc(authority, tls, "/ipcbench.v1.Bench/Download", [new DownloadRequest { Size = size }.ToByteArray()]);

    /// <summary>A request with a payload of this size, or the first message of a stream of such messages.</summary>
    public static Http2Request Payload(string authority, bool tls, string path, long size) =>
        new(GrpcFields(authority, tls, path), [PayloadFrame.ForSize((int)size)]);

    /// <summary>A request for this many bytes, without gRPC.</summary>
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

/// <summary>The body of a request, and the whole request as most are sent.</summary>
internal sealed class RequestBody
{
    /// <summary>A smaller part is copied, since a copy then costs less than one more segment of a send.</summary>
    public const int FewestBorrowed = 4096;

    /// <param name="block">The encoded fields from the second request of a connection on.</param>
    /// <param name="message">The message with its prefix; empty: no body.</param>
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

    /// <summary>The message with its prefix; empty without a body.</summary>
    public byte[] Message { get; }

    /// <summary>
    /// HEADERS and DATA frame (none without a body) of the whole request, with stream identifier 0; null when it needs
    /// more than one DATA frame.
    /// </summary>
    public byte[]? IndexedFrames { get; }

    /// <summary>The DATA frame of <see cref="IndexedFrames"/>; empty without one.</summary>
    public ReadOnlyMemory<byte> DataFrame => IndexedFrames.AsMemory(IndexedFrames is null ? 0 : SecondFrame);

    /// <summary>A part of the message that is sent without a copy, of at least <see cref="FewestBorrowed"/> bytes.</summary>
    public ReadOnlyMemory<byte> Part(int from, int count) => MemoryMarshal.CreateFromPinnedArray(Message, from, count);

    /// <summary>The offset of the second frame in <see cref="IndexedFrames"/>, or their length.</summary>
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

    /// <summary>Payload bytes of a correct reply, or the number of bytes that the reply must confirm.</summary>
    public long Size { get; init; }

    public ReplyKind Reply { get; init; }

    /// <summary>A call that takes longer has failed, whatever its reply; 0: no deadline.</summary>
    public long DeadlineNs { get; init; }

    /// <summary>
    /// Tells what is wrong with a message, for a connection's first reply of each window; null from it: the message is correct.
    /// </summary>
    public Func<byte[], string?>? Expect { get; init; }

    /// <summary>The servers' messages about failed calls.</summary>
    public FailureNotes Notes { get; init; } = new();

    /// <summary>Calls are messages on streams that outlive them.</summary>
    public bool IsStream { get; init; }

    /// <summary>The method is the user's: its messages are sent unchanged, and only their lengths are read.</summary>
    public bool IsUserMethod { get; init; }

    /// <summary>A pulled payload comes in messages of this size, the last one shorter; 0: in one message.</summary>
    public long Chunk { get; init; }

    /// <summary>The direction of the messages; in one direction, each message of a stream is a call.</summary>
    public Flow Flow { get; init; }

    /// <summary>Messages of a stream, after which a new stream is opened; 0: no limit.</summary>
    public long Messages { get; init; }

    /// <summary>The most calls in flight.</summary>
    public required int Streams { get; init; }

    /// <summary>Receive window of a stream and of the connection, in bytes.</summary>
    public int Window { get; init; } = ReceiveWindow.Ample;

    /// <summary>The first stream identifier; not 1 only in tests of exhausted identifiers.</summary>
    public int FirstId { get; init; } = 1;
}
