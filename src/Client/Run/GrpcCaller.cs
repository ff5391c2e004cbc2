using System.Net;
using System.Net.Http.Headers;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Text;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Http2;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>
/// Makes single gRPC calls outside the measured windows. The calls deliberately use .NET's own HTTP/2 client and not
/// the engine that makes the load.
/// </summary>
internal sealed class GrpcCaller : IDisposable
{
    // The limit keeps a server from filling this process's memory.
    private const int MostBytes = 64 << 20;

    // When a server allows no stream, SocketsHttpHandler only reports a connection that ended early, or a time-out.
    // This text adds the possible reason.
    private const string NoStream = ", or allows no stream (SETTINGS_MAX_CONCURRENT_STREAMS 0)";

    private readonly HttpClient http;
    private readonly Connector connector;
    private readonly Address dialed;
    private readonly IReadOnlyList<MetadataEntry> metadata;
    private readonly string? authority;

    /// <param name="authority">The :authority of calls. Null means the TLS host, else localhost. Unused for TLS with a server name.</param>
    public GrpcCaller(
        Address address, ConnectorOptions options, IReadOnlyList<MetadataEntry>? metadata = null, string? authority = null)
    {
        (Address, this.metadata) = (address, metadata ?? []);
        this.authority = address is Address.Tls && options.ServerName is not null ? null : authority;
        // SocketsHttpHandler does the TLS. If the connector did the TLS, the handler would send the scheme http, which Kestrel
        // rejects.
        var tls = address as Address.Tls;
        // Connections are closed with FIN, as applications do it, since some servers log a reset as an error.
        dialed = tls is null ? address : new Address.Tcp(tls.Host, tls.Port);
        connector = Connector.For(dialed, options with { ResetOnClose = false });
        http = new HttpClient(new SocketsHttpHandler
        {
            SslOptions = tls is null ? new() : TlsConnector.Authentication(tls.Host, options),
            ConnectCallback = async (_, cancellation) => await connector.ConnectAsync(cancellation),
            UseProxy = false,
            PooledConnectionIdleTimeout = System.Threading.Timeout.InfiniteTimeSpan,
        })
        {
            // The handler sends the host of the request as the server name of TLS, and ignores the name in SslOptions.
            // Therefore a given server name becomes the host here.
            BaseAddress = tls is null
                ? new Uri("http://localhost")
                : new UriBuilder(Uri.UriSchemeHttps, options.ServerName ?? tls.Host, tls.Port).Uri,
            Timeout = System.Threading.Timeout.InfiniteTimeSpan, // each call has its own time-out
        };
    }

    /// <summary>Makes a caller with the metadata and :authority of the calls of the run.</summary>
    public GrpcCaller(Address address, ConnectorOptions options, GrpcCall call)
        : this(address, options, [.. call.Fields.Select(field => new MetadataEntry(field.Name, field.Value))], call.Authority)
    {
    }

    public Address Address { get; }

    /// <summary>The time-out of a call if <see cref="Patience"/> is not set.</summary>
    public static TimeSpan DefaultPatience { get; } = TimeSpan.FromSeconds(5);

    public TimeSpan Patience { get; init; } = DefaultPatience;

    /// <summary>Sends one message to <paramref name="path"/> and waits for the end of the reply.</summary>
    /// <param name="message">The message without its prefix.</param>
    /// <param name="firstAlone">
    /// True to wait for the first message only, since the stream may be endless. A whole first message then counts as status OK.
    /// </param>
    /// <exception cref="IOException">There was no answer in time, or the answer was incomplete or too large.</exception>
    public async Task<GrpcAnswer> CallAsync(
        string path, ReadOnlyMemory<byte> message, CancellationToken cancellation, bool firstAlone = false)
    {
        using var request = Request(path, message);
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        patience.CancelAfter(Patience);
        var (name, begun) = (path[1..], false);
        try
        {
            using var response = await http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, patience.Token);
            begun = true;
            var body = await ReadAsync(response.Content, name, firstAlone, patience.Token);
            var first = First(body);
            var other = OtherType(response.Content.Headers.ContentType?.MediaType);
            GrpcStatusCode? status = firstAlone && IsWhole(body) ? GrpcStatusCode.Ok
                : int.TryParse(Header(response, "grpc-status"), out var code) ? (GrpcStatusCode)code : null;
            var text = GrpcStatus.DecodeMessage(Encoding.ASCII.GetBytes(Header(response, "grpc-message") ?? ""));
            // A reply with another content type is no gRPC. An error status of such a reply is kept, but an OK is not trusted.
            return new GrpcAnswer((int)response.StatusCode, other is null || status > 0 ? status : null, text, first) { OtherType = other };
        }
        catch (HttpRequestException e) when (!begun)
        {
            var silent = $"{Address} does not answer: ";
            // With TLS, ALPN has already shown whether the server has HTTP/2.
            var isWithout = IsWithoutHttp2(e.InnerException)
                || Address is not Address.Tls && await Http1Question.IsAnsweredAsync(connector, patience.Token);
            cancellation.ThrowIfCancellationRequested();
            throw isWithout
                ? new WithoutHttp2Exception(silent + "HTTP_1_1_REQUIRED", e)
                : new IOException(silent + Reason(e), e);
        }
        catch (HttpRequestException e)
        {
            throw new IOException($"{Address} ended its answer to {name} early: {Reason(e)}", e);
        }
        catch (SocketException e)
        {
            // SocketsHttpHandler reads the remote end point of a new connection. The read throws if the connection was
            // reset directly after it opened.
            throw new IOException($"{Address} does not answer: {e.Message.TrimEnd('.')}", e);
        }
        catch (OperationCanceledException e) when (!cancellation.IsCancellationRequested)
        {
            var late = (begun, firstAlone) switch
            {
                (_, true) => $"sent no message of {name}",
                (true, _) => $"began to answer {name} but did not end",
                _ => $"accepts connections but gave no HTTP/2 answer to {name}",
            };
            throw new IOException($"{Address} {late} within {Patience.TotalSeconds:0} s{(begun ? "" : NoStream)}", e);
        }
        catch (HttpIOException e)
        {
            throw new IOException($"{Address} ended its answer to {name} early: {Reason(e)}", e);
        }
    }

    /// <summary>
    /// Returns the error of a call with advice. There is special advice for a server without HTTP/2: the usual advice asks
    /// whether a server runs at all, but such a server has answered.
    /// </summary>
    /// <param name="usual">The advice for all other errors. It begins with a full stop or a colon.</param>
    public static string Advised(IOException e, string usual) => e is WithoutHttp2Exception
        ? $"{e.Message}. The server speaks HTTP/1.1 here, and gRPC needs HTTP/2: try https:// for a port with TLS, or in ASP.NET Core add "
            + "--Kestrel:EndpointDefaults:Protocols Http2 to the command of the server, or --contentRoot . if appsettings.json "
            + "beside the program turns on HTTP/2"
        : e.Message + usual;

    public void Dispose() => http.Dispose();

    private HttpRequestMessage Request(string path, ReadOnlyMemory<byte> message)
    {
        var request = new HttpRequestMessage(HttpMethod.Post, path)
        {
            // HttpClient.DefaultRequestVersion does not apply to an HttpRequestMessage that the caller makes.
            Version = HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            Content = new ByteArrayContent(GrpcFraming.Frame(message.Span)),
        };
        request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/grpc");
        request.Headers.TE.Add(new TransferCodingWithQualityHeaderValue("trailers"));
        request.Headers.Host = authority;
        foreach (var (name, value) in metadata)
            request.Headers.TryAddWithoutValidation(name, value);
        return request;
    }

    private static string? OtherType(string? type) => type is null or "application/grpc"
        || type.StartsWith("application/grpc+", StringComparison.OrdinalIgnoreCase) ? null : type;

    /// <summary>Reads a reply to its end, or to the end of its first message.</summary>
    private async Task<ReadOnlyMemory<byte>> ReadAsync(HttpContent reply, string name, bool firstAlone, CancellationToken cancellation)
    {
        await using var stream = await reply.ReadAsStreamAsync(cancellation);
        var (bytes, count) = (new byte[16 << 10], 0);
        while (!firstAlone || !IsWhole(bytes.AsMemory(0, count)))
        {
            if (count == bytes.Length)
                Array.Resize(ref bytes, 2 * count);
            var more = await stream.ReadAsync(bytes.AsMemory(count), cancellation);
            if (more == 0)
                break;
            if ((count += more) > MostBytes)
            {
                throw new IOException(
                    $"{Address} answers {name} with more than {MostBytes >> 20} MiB, the limit of this tool");
            }
        }
        return bytes.AsMemory(0, count);
    }

    /// <summary>True when the whole first message, compressed or not, has arrived.</summary>
    private static bool IsWhole(ReadOnlyMemory<byte> body) => body.Length >= GrpcFraming.PrefixLength && Prefix(body).Length <= Room(body);

    private static ReadOnlyMemory<byte>? First(ReadOnlyMemory<byte> body)
    {
        if (!IsWhole(body) || Prefix(body) is not { Flag: 0 } prefix)
            return null; // a conditional expression would turn null into an empty message
        return body.Slice(GrpcFraming.PrefixLength, (int)prefix.Length);
    }

    private static (byte Flag, uint Length) Prefix(ReadOnlyMemory<byte> body)
    {
        GrpcFraming.ReadPrefix(body.Span, out var flag, out var length);
        return (flag, length);
    }

    private static int Room(ReadOnlyMemory<byte> body) => body.Length - GrpcFraming.PrefixLength;

    /// <summary>Returns the message of the exception or of its inner exception, whichever tells the reason.</summary>
    private string Reason(Exception e)
    {
        if (e.InnerException is AuthenticationException noTls)
            return TlsConnector.Reason(noTls);
        var inner = e.InnerException is IOException { InnerException: HttpRequestException or HttpIOException } wrapped
            ? wrapped.InnerException : e.InnerException;
        // The connection below TLS is TCP, so its errors contain the TCP address.
        var reason = (inner?.Message ?? e.Message).TrimEnd('.').Replace($"to {dialed}:", $"to {Address}:", StringComparison.Ordinal);
        var isHandshake = reason.EndsWith("did not complete the HTTP/2 handshake", StringComparison.Ordinal);
        var isEnded = isHandshake || inner is HttpIOException { HttpRequestError: HttpRequestError.ResponseEnded };
        return reason + (isHandshake ? NoStream : "")
            + (isEnded && Address is Address.Tcp ? " (a TLS server also ends a plaintext connection like this: try https://)" : "");
    }

    private static bool IsWithoutHttp2(Exception? e) => e is HttpProtocolException { ErrorCode: (long)Http2Error.Http11Required };

    private static string? Header(HttpResponseMessage response, string name) =>
        response.TrailingHeaders.TryGetValues(name, out var values) || response.Headers.TryGetValues(name, out values)
            ? values.FirstOrDefault()
            : null;

    private sealed class WithoutHttp2Exception(string message, Exception inner) : IOException(message, inner);
}
