using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using Google.Protobuf;
using IpcBench.Http2;
using IpcBench.Protocol.V1;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>
/// Asks a server about itself, outside the measured windows. It deliberately is .NET's own HTTP/2 client and not the
/// engine that is being measured: what the server counts then checks what the engine counts.
/// </summary>
internal sealed class ControlClient : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);
    private readonly HttpClient http;

    public ControlClient(Address address, ConnectorOptions options)
    {
        Address = address;
        // TLS is the handler's: over a connector that speaks it the handler would call the scheme http, which Kestrel refuses.
        var tls = address as Address.Tls;
        var connector = Connector.For(tls is null ? address : new Address.Tcp(tls.Host, tls.Port), options);
        http = new HttpClient(new SocketsHttpHandler
        {
            SslOptions = tls is null ? new() : TlsConnector.Authentication(tls.Host, options),
            ConnectCallback = async (_, cancellation) => await connector.ConnectAsync(cancellation),
            UseProxy = false,
            PooledConnectionIdleTimeout = System.Threading.Timeout.InfiniteTimeSpan,
        })
        {
            BaseAddress = new Uri(tls is null ? "http://localhost" : "https://localhost"),
            Timeout = Patience,
        };
    }

    public Address Address { get; }

    /// <summary>What the server is; null when it has no Control service.</summary>
    /// <exception cref="IOException">Nobody answers there.</exception>
    public Task<DescribeReply?> DescribeAsync(CancellationToken cancellation) =>
        CallAsync("Describe", new DescribeRequest(), DescribeReply.Parser, cancellation);

    /// <summary>What the server has used and served; null when it does not tell.</summary>
    /// <exception cref="IOException">Nobody answers there.</exception>
    public Task<UsageReply?> UsageAsync(CancellationToken cancellation) =>
        CallAsync("Usage", new UsageRequest(), UsageReply.Parser, cancellation);

    public void Dispose() => http.Dispose();

    private async Task<T?> CallAsync<T>(string method, IMessage request, MessageParser<T> parser, CancellationToken cancellation)
        where T : class, IMessage<T>
    {
        using var message = new HttpRequestMessage(HttpMethod.Post, "/ipcbench.v1.Control/" + method)
        {
            // The client's own default versions do not hold for a message that is made by hand.
            Version = HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = new ByteArrayContent(GrpcFraming.Frame(request.ToByteArray())),
        };
        message.Content.Headers.ContentType = new MediaTypeHeaderValue("application/grpc");
        message.Headers.TE.Add(new TransferCodingWithQualityHeaderValue("trailers"));
        try
        {
            using var response = await http.SendAsync(message, cancellation);
            var body = await response.Content.ReadAsByteArrayAsync(cancellation);
            return response.StatusCode == HttpStatusCode.OK && GrpcStatus(response) == "0" && body.Length >= GrpcFraming.PrefixLength && body[0] == 0
                ? parser.ParseFrom(body.AsSpan(GrpcFraming.PrefixLength))
                : null;
        }
        catch (InvalidProtocolBufferException)
        {
            return null;
        }
        catch (HttpRequestException e)
        {
            throw new IOException($"{Address} does not answer: {e.InnerException?.Message ?? e.Message}", e);
        }
        catch (SocketException e)
        {
            // SocketsHttpHandler asks a connection that was reset as soon as it was open for its other end, and lets out what that throws.
            throw new IOException($"{Address} does not answer: {e.Message}", e);
        }
        catch (OperationCanceledException e) when (!cancellation.IsCancellationRequested)
        {
            throw new IOException($"{Address} accepts connections but gave no HTTP/2 answer within {Patience.TotalSeconds:0} s", e);
        }
    }

    private static string? GrpcStatus(HttpResponseMessage response) =>
        response.TrailingHeaders.TryGetValues("grpc-status", out var values) || response.Headers.TryGetValues("grpc-status", out values)
            ? values.FirstOrDefault()
            : null;
}
