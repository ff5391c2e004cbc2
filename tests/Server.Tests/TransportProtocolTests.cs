using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Net.WebSockets;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Hosting;
using IpcBench.Server.Tests.Support;

namespace IpcBench.Server.Tests;

/// <summary>Checks HTTP over Kestrel's own transport and over the transport on event loops.</summary>
public sealed class TransportProtocolTests : IDisposable
{
    private readonly X509Certificate2 certificate = SelfSigned.Create("localhost");

    public static TheoryData<string> Sockets => Support.Transports.Theory;

    public static TheoryData<string, string> SocketsAndProtocols =>
    [
        .. from sockets in Sockets.Select(row => row.Data)
           from protocol in new[] { "http", "h2c", "https", "unix" }
           select (sockets, protocol),
    ];

    public void Dispose() => certificate.Dispose();

    [Theory]
    [MemberData(nameof(SocketsAndProtocols))]
    public async Task Bodies_of_all_sizes_are_echoed_to_many_clients(string sockets, string protocol)
    {
        await using var application = await KestrelApplication.StartAsync(sockets, certificate);
        using var client = new HttpClient(HandlerFor(protocol, application)) { Timeout = Limits.Wait };
        var (url, version) = protocol switch
        {
            "h2c" => (application.Http2, HttpVersion.Version20),
            "https" => (application.Https, HttpVersion.Version20),
            _ => (application.Http, HttpVersion.Version11),
        };
        await Task.WhenAll(Enumerable.Range(0, 20).Select(async call =>
        {
            var sent = new byte[call * call * 4500];
            new Random(call).NextBytes(sent);
            using var request = new HttpRequestMessage(HttpMethod.Post, url)
            {
                Version = version,
                VersionPolicy = HttpVersionPolicy.RequestVersionExact,
                Content = new ByteArrayContent(sent),
            };
            using var response = await client.SendAsync(request);
            Assert.Equal(sent, await response.Content.ReadAsByteArrayAsync());
        }));
        Assert.Empty(application.Log.Lines);
    }

    [Theory]
    [MemberData(nameof(Sockets))]
    public async Task A_stopping_server_sends_the_rest_of_an_answer_to_a_slow_client(string sockets)
    {
        const int size = 16 << 20;
        var application = await KestrelApplication.StartAsync(sockets, certificate);
        using var client = new HttpClient(HandlerFor("http", application)) { Timeout = Limits.Wait };
        using var request = new HttpRequestMessage(HttpMethod.Post, application.Http) { Content = new ByteArrayContent(new byte[size]) };
        using var response = await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
        var stopping = application.DisposeAsync().AsTask();
        Assert.False(stopping.IsCompleted);
        Assert.Equal(size, (await response.Content.ReadAsByteArrayAsync()).Length);
        await stopping.WaitAsync(Limits.Wait);
    }

    [Theory]
    [MemberData(nameof(Sockets))]
    public async Task A_WebSocket_echoes_its_messages(string sockets)
    {
        await using var application = await KestrelApplication.StartAsync(sockets, certificate);
        using var limit = new CancellationTokenSource(Limits.Wait);
        using var client = new ClientWebSocket();
        await client.ConnectAsync(new UriBuilder(application.Http) { Scheme = "ws" }.Uri, limit.Token);
        foreach (var size in new[] { 1, 100, 60_000 })
        {
            var (sent, received, count) = (new byte[size], new byte[100_000], 0);
            new Random(size).NextBytes(sent);
            await client.SendAsync(sent, WebSocketMessageType.Binary, endOfMessage: true, limit.Token);
            for (var isWhole = false; !isWhole;)
            {
                var part = await client.ReceiveAsync(received.AsMemory(count), limit.Token);
                (count, isWhole) = (count + part.Count, part.EndOfMessage);
                Assert.InRange(count, 0, size);
            }
            Assert.Equal(sent, received[..count]);
        }
        await client.CloseAsync(WebSocketCloseStatus.NormalClosure, null, limit.Token);
        Assert.Empty(application.Log.Lines);
    }

    [Theory]
    [MemberData(nameof(Sockets))]
    public async Task An_upgraded_connection_echoes_bytes_until_its_client_half_closes(string sockets)
    {
        await using var application = await KestrelApplication.StartAsync(sockets, certificate);
        using var client = new TcpClient();
        await client.ConnectAsync(application.Http.Host, application.Http.Port);
        await using var stream = client.GetStream();
        await stream.WriteAsync("GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: bytes\r\n\r\nearly"u8.ToArray());
        var text = "";
        for (var buffer = new byte[1000]; !text.EndsWith("\r\n\r\nearly", StringComparison.Ordinal);)
            text += Encoding.ASCII.GetString(buffer, 0, await stream.ReadAsync(buffer).AsTask().WaitAsync(Limits.Wait));
        Assert.StartsWith("HTTP/1.1 101", text, StringComparison.Ordinal);
        await stream.WriteAsync(Encoding.ASCII.GetBytes("late"));
        var late = new byte[4];
        await stream.ReadExactlyAsync(late).AsTask().WaitAsync(Limits.Wait);
        Assert.Equal("late", Encoding.ASCII.GetString(late));
        // The client half-closes only now, because Kestrel may then end an upgraded connection at once.
        client.Client.Shutdown(SocketShutdown.Send);
        Assert.Equal(0, await stream.ReadAsync(late).AsTask().WaitAsync(Limits.Wait));
    }

    // Kestrel's middleware asks for the end points of a connection when it begins, and the connection may have ended by then.
    [Theory]
    [MemberData(nameof(Sockets))]
    public async Task The_server_logs_no_error_if_a_client_resets_right_after_the_TLS_handshake(string sockets)
    {
        await using var application = await KestrelApplication.StartAsync(sockets, certificate);
        await Parallel.ForEachAsync(Enumerable.Range(0, 200), async (_, cancellation) =>
        {
            using var client = new TcpClient { LingerState = new LingerOption(true, 0) };
            await client.ConnectAsync(application.Https.Host, application.Https.Port, cancellation);
            await using var tls = new SslStream(client.GetStream(), leaveInnerStreamOpen: true);
            await tls.AuthenticateAsClientAsync(
                new() { TargetHost = "localhost", RemoteCertificateValidationCallback = (_, _, _, _) => true }, cancellation);
            client.Close();
        }).WaitAsync(Limits.Wait);
        using var next = new HttpClient(HandlerFor("https", application)) { Timeout = Limits.Wait };
        using var response = await next.PostAsync(application.Https, new ByteArrayContent(new byte[10]));
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Empty(application.Log.Lines);
    }

    [Theory]
    [MemberData(nameof(Sockets))]
    public async Task A_half_closed_connection_counts_against_the_connection_limit_until_its_disposal(string sockets)
    {
        var gate = new AcceptGate(static () => 1, TextWriter.Null);
        var factory = new GatedListenerFactory(Support.Transports.Create(sockets), gate);
        await using var listener = await factory.BindAsync(new IPEndPoint(IPAddress.Loopback, 0));
        using var client = new TcpClient();
        await client.ConnectAsync((IPEndPoint)listener.EndPoint);
        var connection = (await listener.AcceptAsync().AsTask().WaitAsync(Limits.Wait))!;
        var ended = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        connection.ConnectionClosed.UnsafeRegister(_ => ended.SetResult(), null);
        client.Client.Shutdown(SocketShutdown.Send);
        Assert.True((await connection.Transport.Input.ReadAsync().AsTask().WaitAsync(Limits.Wait)).IsCompleted);
        await ended.Task.WaitAsync(Limits.Wait);
        Assert.False(gate.TryEnter());
        await connection.DisposeAsync().AsTask().WaitAsync(Limits.Wait);
        Assert.True(gate.TryEnter());
    }

    private static SocketsHttpHandler HandlerFor(string protocol, KestrelApplication application) => new()
    {
        EnableMultipleHttp2Connections = true,
        SslOptions = new SslClientAuthenticationOptions { RemoteCertificateValidationCallback = (_, _, _, _) => true },
        ConnectCallback = protocol != "unix" ? null : async (_, cancellation) =>
        {
            var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(application.Path), cancellation);
            return new NetworkStream(socket, ownsSocket: true);
        },
    };
}
