using System.Net;
using Google.Protobuf;
using IpcBench.Http2;
using IpcBench.Protocol.V1;
using IpcBench.Transports;

namespace IpcBench.Server.Tests.Support;

/// <summary>
/// Calls unary gRPC methods with .NET's HttpClient over one HTTP/2 connection. Only the connectors are the product's.
/// </summary>
internal sealed class GrpcClient : IDisposable
{
    public const string Download = "/ipcbench.v1.Bench/Download";
    public const string Describe = "/ipcbench.v1.Control/Describe";
    public const string Usage = "/ipcbench.v1.Control/Usage";

    private readonly HttpClient http;

    public GrpcClient(Address address)
    {
        var handler = new SocketsHttpHandler
        {
            ConnectCallback = (_, cancellation) => Connector.For(address, new ConnectorOptions()).ConnectAsync(cancellation),
        };
        // The connector does the TLS, so every transport is cleartext for HttpClient.
        http = new HttpClient(handler) { BaseAddress = new Uri("http://localhost"), Timeout = Limits.Wait };
    }

    public static byte[] Frame(IMessage message) => Frame(message.ToByteArray());

    public static byte[] Frame(byte[] message, byte flag = 0) => GrpcFraming.Frame(message, flag);

    public async Task<byte[]> DownloadAsync(long size)
    {
        var reply = await PostAsync(Download, Frame(new DownloadRequest { Size = size }));
        Assert.Equal(GrpcStatusCode.Ok, reply.Status);
        return DownloadReply.Parser.ParseFrom(reply.Message.Span).Payload.ToByteArray();
    }

    public async Task<DescribeReply> DescribeAsync() =>
        DescribeReply.Parser.ParseFrom((await PostAsync(Describe, Frame([]))).Message.Span);

    public async Task<UsageReply> UsageAsync() => UsageReply.Parser.ParseFrom((await PostAsync(Usage, Frame([]))).Message.Span);

    public Task<GrpcReply> PostAsync(string path, byte[] body, string? contentType = "application/grpc") =>
        SendAsync(HttpMethod.Post, path, body, contentType);

    public async Task<GrpcReply> SendAsync(HttpMethod method, string path, byte[]? body, string? contentType)
    {
        using var request = new HttpRequestMessage(method, path)
        {
            Version = HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        request.Headers.TE.ParseAdd("trailers");
        if (body is not null)
            request.Content = new ByteArrayContent(body);
        if (contentType is not null)
            request.Content?.Headers.TryAddWithoutValidation("content-type", contentType);
        using var response = await http.SendAsync(request);
        var content = await response.Content.ReadAsByteArrayAsync();
        var trailersOnly = response.Headers.Contains("grpc-status");
        var headers = trailersOnly ? response.Headers : response.TrailingHeaders;
        var status = headers.TryGetValues("grpc-status", out var values) ? (GrpcStatusCode?)int.Parse(values.Single()) : null;
        var message = headers.TryGetValues("grpc-message", out var texts) ? texts.Single() : null;
        return new GrpcReply(
            (int)response.StatusCode, status, message, trailersOnly, response.Content.Headers.ContentType?.ToString(), content);
    }

    public void Dispose() => http.Dispose();
}
