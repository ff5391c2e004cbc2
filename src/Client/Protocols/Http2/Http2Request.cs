using System.Text;
using Google.Protobuf;
using IpcBench.Http2;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>
/// One request, encoded once for all connections: the field block in three forms, and the DATA frame's payload, which a request that is not gRPC
/// does not have. The first request of a connection makes the server remember the fields, all others name them by a byte each.
/// </summary>
internal sealed class Http2Request
{
    private const byte IndexedField = 0x80, WithIndexing = 0x40, WithoutIndexing = 0x00;
    private const int MethodGet = 2, MethodPost = 3, SchemeHttp = 6, SchemeHttps = 7, Path = 4, Authority = 1, ContentType = 31, UserAgent = 58;

    private readonly (int NameIndex, string Name, string Value)[] fields;
    private readonly int scheme;
    private readonly int httpMethod;

    public Http2Request(string authority, bool tls, string method, IMessage message)
        : this(tls, MethodPost, Prefixed(message.ToByteArray()),
        [
            (Path, ":path", method),
            (Authority, ":authority", authority),
            (ContentType, "content-type", "application/grpc"),
            (0, "te", "trailers"),
            (UserAgent, "user-agent", "grpc-ipcbench-wire"),
        ])
    {
    }

    private Http2Request(bool tls, int httpMethod, byte[] message, (int NameIndex, string Name, string Value)[] fields)
    {
        (this.httpMethod, this.fields, Message) = (httpMethod, fields, message);
        scheme = tls ? SchemeHttps : SchemeHttp;
        TableSize = fields.Sum(field => field.Name.Length + field.Value.Length + 32);
        FirstBlock = Literal(WithIndexing);
        PlainBlock = Literal(WithoutIndexing);
        IndexedBlock = Indexed();
        IndexedFrames = Frames(IndexedBlock);
    }

    /// <summary>Field block that inserts into the server's dynamic table.</summary>
    public byte[] FirstBlock { get; }

    /// <summary>Field block for a connection on which <see cref="FirstBlock"/> was sent.</summary>
    public byte[] IndexedBlock { get; }

    /// <summary>Field block that leaves the dynamic table alone.</summary>
    public byte[] PlainBlock { get; }

    /// <summary>Room in the server's table that <see cref="FirstBlock"/> needs.</summary>
    public int TableSize { get; }

    /// <summary>The length-prefixed message; empty when the request has no body.</summary>
    public byte[] Message { get; }

    /// <summary>Not gRPC: a reply is a status and a body.</summary>
    public bool IsBare => Message.Length == 0;

    /// <summary>HEADERS and, unless it has no body, DATA frame of a whole request with <see cref="IndexedBlock"/>, stream identifiers left 0.</summary>
    public byte[] IndexedFrames { get; }

    /// <summary>Where in <see cref="IndexedFrames"/> the second stream identifier is; the first is at 5.</summary>
    public int SecondIdOffset => FrameHeader.Size + IndexedBlock.Length + 5;

    /// <summary>A request of <c>Bench.Download</c>.</summary>
    public static Http2Request Download(string authority, bool tls, long size) =>
        new(authority, tls, "/ipcbench.v1.Bench/Download", new DownloadRequest { Size = size });

    /// <summary>A request for so many bytes without gRPC.</summary>
    public static Http2Request Bare(string authority, bool tls, long size) => new(tls, MethodGet, [],
    [
        (Path, ":path", FormattableString.Invariant($"/bytes/{size}")),
        (Authority, ":authority", authority),
        (UserAgent, "user-agent", "ipcbench-wire"),
    ]);

    private static byte[] Prefixed(byte[] body) =>
        [0, (byte)(body.Length >> 24), (byte)(body.Length >> 16), (byte)(body.Length >> 8), (byte)body.Length, .. body];

    private byte[] Literal(byte representation)
    {
        var output = Prelude();
        foreach (var (nameIndex, name, value) in fields)
        {
            HpackInteger.Write(output, nameIndex, representation == WithIndexing ? 6 : 4, representation);
            if (nameIndex == 0)
                WriteString(output, name);
            WriteString(output, value);
        }
        return [.. output];
    }

    private byte[] Indexed()
    {
        var output = Prelude();
        for (var i = 0; i < fields.Length; i++)
            HpackInteger.Write(output, StaticTable.Count + fields.Length - i, 7, IndexedField); // the last inserted is the first
        return [.. output];
    }

    private List<byte> Prelude() => [(byte)(IndexedField | httpMethod), (byte)(IndexedField | scheme)];

    private static void WriteString(List<byte> output, string text)
    {
        HpackInteger.Write(output, text.Length, 7, 0);
        output.AddRange(Encoding.ASCII.GetBytes(text));
    }

    private byte[] Frames(byte[] block)
    {
        if (IsBare)
        {
            var only = new byte[FrameHeader.Size + block.Length];
            new FrameHeader(block.Length, FrameType.Headers, FrameFlags.EndHeaders | FrameFlags.EndStream, 0).Write(only);
            block.CopyTo(only, FrameHeader.Size);
            return only;
        }
        var frames = new byte[2 * FrameHeader.Size + block.Length + Message.Length];
        new FrameHeader(block.Length, FrameType.Headers, FrameFlags.EndHeaders, 0).Write(frames);
        block.CopyTo(frames, FrameHeader.Size);
        new FrameHeader(Message.Length, FrameType.Data, FrameFlags.EndStream, 0).Write(frames.AsSpan(FrameHeader.Size + block.Length));
        Message.CopyTo(frames, frames.Length - Message.Length);
        return frames;
    }
}
