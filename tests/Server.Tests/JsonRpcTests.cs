using System.Globalization;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using IpcBench.Server.Options;
using IpcBench.Server.Tests.Support;
using IpcBench.Transports;

namespace IpcBench.Server.Tests;

public class JsonRpcTests
{
    private const string Ping = """{"jsonrpc":"2.0","id":1,"method":"ping"}""", Pong = """{"jsonrpc":"2.0","id":1,"result":{}}""";

    public static MatrixTheoryData<string, bool> Kinds => new(Addresses.Kinds, [false, true]);

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task A_client_lists_and_calls_the_tool_beside_a_client_of_gRPC(string kind, bool hasHeaders)
    {
        await using var server = await StartAsync(Addresses.Of(kind));
        await using var client = await Client.ConnectAsync(server.Address, hasHeaders);
        var begun = await client.AskAsync("""
            {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}
            """);
        Assert.Equal("2025-03-26", begun.GetProperty("result").GetProperty("protocolVersion").GetString());
        await client.SendAsync("""{"jsonrpc":"2.0","method":"notifications/initialized"}""");
        var tools = (await client.AskAsync("""{"jsonrpc":"2.0","id":"list","method":"tools/list"}""")).GetProperty("result");
        Assert.Equal("download", tools.GetProperty("tools")[0].GetProperty("name").GetString());
        foreach (var size in (int[])[0, 1, 70_000, 1_000_000])
        {
            var reply = await client.AskAsync(Download(size));
            Assert.Equal(size, reply.GetProperty("id").GetInt32());
            Assert.Equal(size, reply.GetProperty("result").GetProperty("content")[0].GetProperty("text").GetString()!.Length);
        }
        Assert.Equal(4, server.Endpoints[0].Counters.Calls);
        using var other = new GrpcClient(server.Address);
        Assert.Equal(100, (await other.DownloadAsync(100)).Length);
    }

    [Theory]
    [InlineData("nonsense", "null", -32700)]
    [InlineData("[]", "null", -32600)]
    [InlineData("""{"jsonrpc":"2.0","id":7}""", "null", -32600)]
    [InlineData("""{"jsonrpc":"2.0","id":7,"method":5}""", "null", -32600)]
    [InlineData("""{"jsonrpc":"2.0","id":7,"method":"\ud800"}""", "null", -32600)]
    [InlineData("""{"id":7,"method":"ping","\ud800":1}""", "null", -32600)]
    [InlineData("""{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\ud800","arguments":{"size":1}}}""", "7", -32602)]
    [InlineData("""{"jsonrpc":"2.0","id":7,"method":"resources/list"}""", "7", -32601)]
    [InlineData("""{"jsonrpc":"2.0","id":"a","method":"tools/call"}""", "\"a\"", -32602)]
    [InlineData("""{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"upload","arguments":{"size":1}}}""", "7", -32602)]
    [InlineData("""{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"download","arguments":{"size":"1"}}}""", "7", -32602)]
    [InlineData("""{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"download","arguments":{"size":-1}}}""", "7", -32602)]
    [InlineData("""{"id":7,"method":"tools/call","params":{"name":"download","arguments":{"size":99999999}}}""", "7", -32602)]
    public async Task A_wrong_request_gets_an_error_and_the_connection_continues(string request, string id, int code)
    {
        await using var server = await StartAsync(Addresses.Unix());
        await using var client = await Client.ConnectAsync(server.Address);
        Assert.Equal(Pong, (await client.AskAsync(Ping)).GetRawText());
        var reply = await client.AskAsync(request);
        Assert.Equal((id, code), (reply.GetProperty("id").GetRawText(), reply.GetProperty("error").GetProperty("code").GetInt32()));
        Assert.Equal(Pong, (await client.AskAsync(Ping)).GetRawText());
        Assert.Equal(0, server.Endpoints[0].Counters.Calls);
    }

    [Theory]
    [InlineData(false, "{", 70_000)]
    [InlineData(true, "Content-Length: 70000\r\n\r\n", 0)]
    [InlineData(true, "Content-Length: -1\r\n\r\n", 0)]
    [InlineData(true, "Content-Length: many\r\n\r\n", 0)]
    [InlineData(true, "Content", 70_000)]
    public async Task A_message_that_is_too_long_or_has_a_wrong_header_ends_the_connection(bool hasHeaders, string begin, int more)
    {
        await using var server = await StartAsync(Addresses.Unix());
        await using var client = await Client.ConnectAsync(server.Address, hasHeaders);
        await client.WriteAsync(begin + new string(' ', more));
        Assert.Equal(-32600, (await client.ReadAsync()).GetProperty("error").GetProperty("code").GetInt32());
        Assert.True(await client.HasEndedAsync());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Requests_may_arrive_byte_by_byte_or_many_at_once(bool hasHeaders)
    {
        await using var server = await StartAsync(Addresses.Unix());
        await using var client = await Client.ConnectAsync(server.Address, hasHeaders);
        foreach (var letter in client.Framed(Download(3)))
            await client.WriteAsync(letter.ToString());
        Assert.Equal(3, (await client.ReadAsync()).GetProperty("id").GetInt32());
        await client.WriteAsync(string.Concat(Enumerable.Range(0, 1_000).Select(number => client.Framed(Download(number)))));
        for (var number = 0; number < 1_000; number++)
            Assert.Equal(number, (await client.ReadAsync()).GetProperty("id").GetInt32());
    }

    [Fact]
    public async Task A_connection_that_sends_nothing_is_closed()
    {
        await using var server = await StartAsync(Addresses.Unix());
        await using var silent = await Client.ConnectAsync(server.Address);
        Assert.True(await silent.HasEndedAsync());
    }

    [Fact]
    public async Task Clients_that_never_read_take_limited_memory_of_the_server_and_block_no_other_client()
    {
        const int clients = 100;
        const long allowed = 120L << 20;
        await using var child = await ServerChild.StartAsync(
            "--stack", "built-in", "--listen", Addresses.Unix().ToString(), "--jsonrpc");
        using var observer = new GrpcClient(child.Addresses[0]);
        await using var honest = await Client.ConnectAsync(child.Addresses[0]);
        await honest.AskAsync(Download(1_000_000));
        var before = (await observer.UsageAsync()).WorkingSetBytes;
        var idle = new List<Client>();
        for (var client = 0; client < clients; client++)
        {
            idle.Add(await Client.ConnectAsync(child.Addresses[0]));
            // Half of the clients ask for one long text, half for many texts of 60,000 B.
            var asked = client % 2 == 0 ? [Download(16 << 20)] : Enumerable.Repeat(Download(60_000), 1_000);
            await idle[^1].OfferAsync(string.Concat(asked.Select(idle[^1].Framed)));
        }
        await Task.Delay(1_500);
        await honest.AskAsync(Download(1_000_000));
        Assert.InRange((await observer.UsageAsync()).WorkingSetBytes - before, long.MinValue, allowed);
        foreach (var client in idle)
            await client.DisposeAsync();
    }

    [Fact]
    public async Task A_request_is_answered_long_after_the_client_has_ended_its_side()
    {
        // The server stops waiting for HTTP/2 ten seconds after the client has ended its side.
        var options = new ServerOptions { Listen = [Addresses.Unix()], JsonRpc = true, Behaviors = new() { DelayUs = ["11000000"] } };
        await using var server = await ServerUnderTest.StartAsync(options);
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await socket.ConnectAsync(new UnixDomainSocketEndPoint(((Address.Unix)server.Address).Path), TestContext.Current.CancellationToken);
        await using var client = new Client(new NetworkStream(socket), hasHeaders: false);
        await client.SendAsync(Download(10));
        socket.Shutdown(SocketShutdown.Send);
        Assert.Equal(10, (await client.ReadAsync()).GetProperty("id").GetInt32());
    }

    private static Task<ServerUnderTest> StartAsync(Address address) =>
        ServerUnderTest.StartAsync(new ServerOptions { Listen = [address], JsonRpc = true });

    private static string Download(int size) => string.Create(CultureInfo.InvariantCulture,
        $$$$"""{"jsonrpc":"2.0","id":{{{{size}}}},"method":"tools/call","params":{"name":"download","arguments":{"size":{{{{size}}}}}}}""");

    private sealed class Client(Stream stream, bool hasHeaders) : IAsyncDisposable
    {
        public static async Task<Client> ConnectAsync(Address address, bool hasHeaders = false)
        {
            using var limit = new CancellationTokenSource(Limits.Wait);
            return new(await Connector.For(address, new ConnectorOptions { Insecure = true }).ConnectAsync(limit.Token), hasHeaders);
        }

        public string Framed(string json) => !hasHeaders ? json + "\n"
            : string.Create(CultureInfo.InvariantCulture, $"Content-Length: {Encoding.UTF8.GetByteCount(json)}\r\n\r\n{json}");

        public Task SendAsync(string json) => WriteAsync(Framed(json));

        public async Task WriteAsync(string text) => await stream.WriteAsync(Encoding.UTF8.GetBytes(text)).AsTask().WaitAsync(Limits.Wait);

        /// <summary>Writes as much as the connection takes at once.</summary>
        public async Task OfferAsync(string text)
        {
            using var limit = new CancellationTokenSource(TimeSpan.FromMilliseconds(100));
            await stream.WriteAsync(Encoding.UTF8.GetBytes(text), limit.Token).AsTask().ContinueWith(_ => { }, TaskScheduler.Default);
        }

        public async Task<JsonElement> AskAsync(string json)
        {
            await SendAsync(json);
            return await ReadAsync();
        }

        public async Task<JsonElement> ReadAsync()
        {
            if (!hasHeaders)
                return JsonDocument.Parse(await UntilAsync("\n")).RootElement;
            var header = await UntilAsync("\r\n\r\n");
            var body = new byte[int.Parse(header["Content-Length: ".Length..^4], CultureInfo.InvariantCulture)];
            await stream.ReadExactlyAsync(body).AsTask().WaitAsync(Limits.Wait);
            return JsonDocument.Parse(body).RootElement;
        }

        public async Task<bool> HasEndedAsync()
        {
            try
            {
                return await stream.ReadAsync(new byte[1]).AsTask().WaitAsync(Limits.Wait) == 0;
            }
            catch (IOException)
            {
                return true; // the server has reset the connection
            }
        }

        public ValueTask DisposeAsync() => stream.DisposeAsync();

        private async Task<string> UntilAsync(string end)
        {
            var (read, one) = (new MemoryStream(), new byte[1]);
            var last = Encoding.ASCII.GetBytes(end);
            while (!read.GetBuffer().AsSpan(0, (int)read.Length).EndsWith(last))
            {
                await stream.ReadExactlyAsync(one).AsTask().WaitAsync(Limits.Wait);
                read.Write(one);
            }
            return Encoding.UTF8.GetString(read.ToArray());
        }
    }
}
