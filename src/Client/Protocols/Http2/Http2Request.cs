using System.Buffers;
using Google.Protobuf;
using IpcBench.Http2;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>
/// One request, encoded once for all connections: its fields, and the DATA frame's payload, which a request that is not gRPC does not have.
/// </summary>
internal sealed class Http2Request
{
    public Http2Request(string authority, bool tls, string method, IMessage message)
        : this(
            GrpcFraming.Frame(message.ToByteArray()),
            [
                (":method", "POST"),
                (":scheme", Scheme(tls)),
                (":path", method),
                (":authority", authority),
                ("content-type", "application/grpc"),
                ("te", "trailers"),
                ("user-agent", "grpc-ipcbench-wire"),
            ])
    {
    }

    private Http2Request(byte[] message, (string Name, string Value)[] fields)
    {
        (Message, Fields) = (message, new RepeatedFields(fields));
        var block = Fields.IndexedBlock;
        var frames = new ArrayBufferWriter<byte>();
        var end = IsBare ? FrameFlags.EndStream : FrameFlags.None;
        frames.WriteFrame(FrameType.Headers, FrameFlags.EndHeaders | end, 0, block);
        if (!IsBare)
            frames.WriteFrame(FrameType.Data, FrameFlags.EndStream, 0, message);
        IndexedFrames = frames.WrittenSpan.ToArray();
    }

    public RepeatedFields Fields { get; }

    /// <summary>The length-prefixed message; empty when the request has no body.</summary>
    public byte[] Message { get; }

    /// <summary>Not gRPC: a reply is a status and a body.</summary>
    public bool IsBare => Message.Length == 0;

    /// <summary>HEADERS and, unless it has no body, DATA frame of a whole request, stream identifiers left 0.</summary>
    public byte[] IndexedFrames { get; }

    /// <summary>Where in <see cref="IndexedFrames"/> the second frame begins.</summary>
    public int SecondFrame => FrameHeader.Size + Fields.IndexedBlock.Length;

    /// <summary>A request of <c>Bench.Download</c>.</summary>
    public static Http2Request Download(string authority, bool tls, long size) =>
        new(authority, tls, "/ipcbench.v1.Bench/Download", new DownloadRequest { Size = size });

    /// <summary>A request for so many bytes without gRPC.</summary>
    public static Http2Request Bare(string authority, bool tls, long size) => new(
        [],
        [
            (":method", "GET"),
            (":scheme", Scheme(tls)),
            (":path", FormattableString.Invariant($"/bytes/{size}")),
            (":authority", authority),
            ("user-agent", "ipcbench-wire"),
        ]);

    private static string Scheme(bool tls) => tls ? "https" : "http";
}
