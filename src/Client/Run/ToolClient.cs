using System.Globalization;
using System.Net.Http.Headers;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using IpcBench.Client.Engine;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols.Http1;
using IpcBench.Client.Protocols.JsonRpc;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>
/// Lists and calls the tools of a server of the Model Context Protocol before anything is measured. Speed does not matter here.
/// </summary>
internal sealed class ToolClient : IAsyncDisposable
{
    private const string ProtocolHeader = "MCP-Protocol-Version", SessionHeader = "Mcp-Session-Id", Version = "2025-06-18";
    private const long MostBytes = 256 << 20, FirstOfConnections = 1_000_000;

    private const int MostPages = 1000;

    private readonly ToolArm arm;
    private readonly Stream? stream;
    private readonly HttpClient? http;
    private readonly MessageReader reader = new(hasHeaders: false, MostBytes);
    private readonly byte[] buffer = new byte[64 << 10];
    private readonly Queue<byte[]> replies = new();
    private int begin, end;
    private long ids;
    private bool isBegun;
    private string? session;

    private ToolClient(ToolArm arm, Stream? stream, HttpClient? http) => (this.arm, this.stream, this.http) = (arm, stream, http);

    /// <summary>Connects, and initializes the session.</summary>
    /// <exception cref="IOException">There is no server, or the server does not speak the protocol.</exception>
    public static async Task<ToolClient> OpenAsync(ToolArm arm, ConnectorOptions connector, CancellationToken cancellation)
    {
        var dialing = Connector.For(arm.Address, arm.Path is null ? connector : connector with { Alpn = "http/1.1" });
        var client = arm.Path is null ? new ToolClient(arm, await dialing.ConnectAsync(cancellation), null)
            : new ToolClient(arm, null, OverHttp(dialing));
        try
        {
            await client.AskAsync("initialize",
                $"{{\"protocolVersion\":\"{Version}\",\"capabilities\":{{}},\"clientInfo\":{{\"name\":\"GrpcBench\",\"version\":\"1\"}}}}",
                cancellation);
            client.isBegun = true;
            await client.SendAsync("""{"jsonrpc":"2.0","method":"notifications/initialized"}""", cancellation);
            return client;
        }
        catch
        {
            await client.DisposeAsync();
            throw;
        }
    }

    /// <summary>Returns the tools of the server.</summary>
    /// <exception cref="IOException">The server does not answer, or answers with an error.</exception>
    public async Task<IReadOnlyList<JsonElement>> ListAsync(CancellationToken cancellation)
    {
        var all = new List<JsonElement>();
        var (parameters, pages) = ("{}", 0);
        while (true)
        {
            var result = await AskAsync("tools/list", parameters, cancellation);
            if (result.ValueKind == JsonValueKind.Object && result.TryGetProperty("tools", out var tools)
                && tools.ValueKind == JsonValueKind.Array)
                all.AddRange(tools.EnumerateArray().Where(tool => NameOf(tool).Length > 0));
            if (TextOf(result, "nextCursor") is not { Length: > 0 } next)
                return all;
            if (++pages > MostPages)
                throw Says("the server lists tools without end");
            parameters = $"{{\"cursor\":{JsonSerializer.Serialize(next, JsonNames.Default.String)}}}";
        }
    }

    /// <summary>Returns the name of a tool of <see cref="ListAsync"/>. Empty for a tool without a name.</summary>
    public static string NameOf(JsonElement tool) => TextOf(tool, "name");

    /// <summary>Returns a member of a tool's JSON, such as its description. Empty when the member is missing or no string.</summary>
    public static string TextOf(JsonElement tool, string member) =>
        tool.ValueKind == JsonValueKind.Object && tool.TryGetProperty(member, out var text) && text.ValueKind == JsonValueKind.String
            ? text.GetString()! : "";

    /// <summary>Calls a tool and returns the number of bytes of text in the result.</summary>
    /// <exception cref="IOException">The server does not answer, or the tool fails.</exception>
    public async Task<long> CallAsync(ToolCall call, CancellationToken cancellation)
    {
        var result = await AskAsync("tools/call", call.Parameters, cancellation, call.Secrets);
        JsonRpcMessage.TryParse(Encoding.UTF8.GetBytes($"{{\"result\":{result.GetRawText()}}}"), out var message);
        return !message.IsToolError ? message.TextBytes
            : throw Says($"the tool {call.Name} fails: {ServerWords.OneLine(message.ErrorText, call.Secrets)}");
    }

    /// <summary>Returns the HTTP/1.1 request that calls the tool in this session.</summary>
    /// <param name="payload">The bytes of text in each reply.</param>
    public HttpRequest ToRequest(ToolCall call, long payload)
    {
        var parameters = call.Parameters;
        string[] headers =
        [
            "Content-Type: application/json", "Accept: application/json, text/event-stream", $"{ProtocolHeader}: {Version}",
            .. session is null ? (string[])[] : [$"{SessionHeader}: {session}"],
        ];
        return new HttpRequest
        {
            Url = arm.Shown,
            Method = "POST",
            Path = arm.Path!,
            Host = arm.Address.Authority,
            Headers = headers,
            // Concurrent requests in a session must have different ids. The ids have equal lengths, so that all replies have equal lengths.
            BodyOf = connection => Encoding.UTF8.GetBytes(Request(FirstOfConnections + connection, "tools/call", parameters)),
            Payload = payload,
        };
    }

    public async ValueTask DisposeAsync()
    {
        http?.Dispose();
        if (stream is not null)
            await stream.DisposeAsync();
    }

    private static HttpClient OverHttp(Connector dialing)
    {
        var handler = new SocketsHttpHandler
        {
            ConnectCallback = async (_, token) => await dialing.ConnectAsync(token),
            UseProxy = false,
            AllowAutoRedirect = false,
        };
        return new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan, MaxResponseContentBufferSize = MostBytes };
    }

    private static string Request(long id, string method, string parameters) => string.Create(
        CultureInfo.InvariantCulture, $"{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{parameters}}}");

    /// <param name="secrets">Texts of the parameters that a message must not show, even if the server repeats them.</param>
    private async Task<JsonElement> AskAsync(
        string method, string parameters, CancellationToken cancellation, IReadOnlyList<string>? secrets = null)
    {
        var id = ++ids;
        await SendAsync(Request(id, method, parameters), cancellation);
        while (true)
        {
            var json = await ReceiveAsync(cancellation);
            if (!JsonRpcMessage.TryParse(json, out var message))
            {
                var words = ServerWords.OneLine(Encoding.UTF8.GetString(json.AsSpan(0, Math.Min(json.Length, 200))), [], longest: 80);
                throw Says($"the server wrote '{words}', which is no JSON-RPC message");
            }
            if (message is { Method: "ping", IdText: { } ping })
            {
                var text = Encoding.UTF8.GetString(json.AsSpan()[ping]);
                await SendAsync($"{{\"jsonrpc\":\"2.0\",\"id\":{text},\"result\":{{}}}}", cancellation);
            }
            if (message.Method == method && message.Id == id)
                throw Says("the server sends the request back");
            if (message.Method is not null || message.Id != id)
                continue;
            if (message.ErrorCode is { } code)
            {
                throw Says(string.Create(CultureInfo.InvariantCulture,
                    $"the server answers {method} with error {code}: {ServerWords.OneLine(message.ErrorText, secrets ?? [])}"));
            }
            using var document = JsonDocument.Parse(json, new JsonDocumentOptions { MaxDepth = JsonRpcMessage.Deepest });
            return document.RootElement.TryGetProperty("result", out var result) ? result.Clone()
                : throw Says($"the server answers {method} without a result");
        }
    }

    private async Task SendAsync(string json, CancellationToken cancellation)
    {
        if (http is null)
        {
            try
            {
                await stream!.WriteAsync(Encoding.UTF8.GetBytes(json + "\n"), cancellation);
            }
            catch (IOException)
            {
                // The server has closed the connection. The server's last output says more and is read next.
            }
            return;
        }
        using var request = new HttpRequestMessage(HttpMethod.Post, $"http://{arm.Address.Authority}{arm.Path}")
        {
            Content = new StringContent(json, Encoding.UTF8, new MediaTypeHeaderValue("application/json")),
        };
        request.Headers.Accept.ParseAdd("application/json, text/event-stream");
        if (isBegun)
            request.Headers.Add(ProtocolHeader, Version);
        if (session is not null)
            request.Headers.Add(SessionHeader, session);
        try
        {
            using var response = await http.SendAsync(request, cancellation);
            var body = await response.Content.ReadAsStringAsync(cancellation);
            if (!response.IsSuccessStatusCode)
                throw Says($"the server answers HTTP status {(int)response.StatusCode}: {ServerWords.OneLine(body, [])}");
            if (response.Headers.TryGetValues(SessionHeader, out var given) && given.First() is { Length: > 0 and <= 1000 } one
                && one.All(letter => letter is >= '!' and <= '~'))
                session = one;
            foreach (var message in Messages(response.Content.Headers.ContentType?.MediaType, body))
                replies.Enqueue(Encoding.UTF8.GetBytes(message));
        }
        catch (Exception e) when (e is HttpRequestException or SocketException)
        {
            throw new IOException(e.InnerException is IOException inner ? inner.Message : $"{arm.Address}: {e.Message}", e);
        }
    }

    // Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html. Each event has one message as its data.
    private static IEnumerable<string> Messages(string? type, string body) => type != "text/event-stream"
        ? body.Length == 0 ? [] : [body]
        : body.Replace("\r\n", "\n", StringComparison.Ordinal).Replace('\r', '\n').Split("\n\n").Select(one => string.Concat(one.Split('\n')
            .Where(line => line.StartsWith("data:", StringComparison.Ordinal)).Select(line => line[5..].TrimStart(' '))))
            .Where(data => data.Length > 0);

    private async Task<byte[]> ReceiveAsync(CancellationToken cancellation)
    {
        if (http is not null)
            return replies.TryDequeue(out var reply) ? reply : throw Says("the server answers without a JSON-RPC message");
        while (true)
        {
            if (Next() is { } message)
                return message;
            if (reader.IsBroken)
                throw Says("the server wrote a message that is too long");
            (begin, end) = (0, await stream!.ReadAsync(buffer, cancellation));
            if (end == 0)
                throw Says("the server closed the connection");
        }
    }

    private byte[]? Next() => reader.TryRead(buffer.AsSpan(0, end), ref begin, out var message) ? message.ToArray() : null;

    private IOException Says(string sentence) => new($"{arm.Shown}: {sentence}");
}
