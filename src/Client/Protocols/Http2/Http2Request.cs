using Google.Protobuf;
using IpcBench.Http2;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>
/// What the calls of a cell send, encoded once for all connections: the header fields, which all calls share, and the
/// bodies, which the calls send in turn.
/// </summary>
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

    /// <summary>True when the request is not gRPC. It then has no body, and the reply is an HTTP status and a body.</summary>
    public bool IsBare => Bodies[0].Message.Length == 0;

    /// <summary>
    /// Returns the index of the body with which a new connection begins. The next connection begins with the next body,
    /// so that all bodies are sent. May be called from any thread.
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

    /// <summary>Makes a request with one message whose payload has this size. On a stream, each message has this form.</summary>
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
