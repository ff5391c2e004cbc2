using IpcBench.Server.Endpoints;
using IpcBench.Server.Options;
using IpcBench.Server.Tests.Support;
using IpcBench.Transports;

namespace IpcBench.Server.Tests;

public class EchoTests
{
    public static MatrixTheoryData<string, string> Kinds => new(Addresses.Kinds, Engines.OfEcho);

    public static TheoryData<string> Sockets => [.. Engines.OfEcho];

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task An_echo_endpoint_returns_every_byte_on_every_transport_and_counts_connections(string kind, string sockets)
    {
        await using var server = await StartAsync(Addresses.Of(kind), sockets);
        var echo = server.Endpoints[1];
        await using (var stream = await ConnectAsync(echo.Address))
        {
            foreach (var size in (int[])[1, 3, 16_384, 1_000_000])
                await PingAsync(stream, size);
            Assert.Equal((1L, 1L, 0L), (echo.Counters.ConnectionsOpened, echo.Counters.ConnectionsOpen, echo.Counters.Calls));
        }
        await AwaitAsync(() => echo.Counters.ConnectionsOpen == 0);
    }

    [Theory]
    [MemberData(nameof(Sockets))]
    public async Task An_echo_endpoint_answers_before_the_input_ends_and_after_a_half_close(string sockets)
    {
        await using var server = await StartAsync(Addresses.Unix(), sockets);
        await using var stream = await ConnectAsync(server.Endpoints[1].Address);
        await PingAsync(stream, 5);
        await stream.WriteAsync("last"u8.ToArray()).AsTask().WaitAsync(Limits.Wait);
        ((System.Net.Sockets.NetworkStream)stream).Socket.Shutdown(System.Net.Sockets.SocketShutdown.Send);
        var rest = new MemoryStream();
        await stream.CopyToAsync(rest).WaitAsync(Limits.Wait);
        Assert.Equal("last"u8, rest.ToArray());
    }

    [Theory]
    [MemberData(nameof(Sockets))]
    public async Task Clients_that_never_read_take_limited_memory_of_the_server_and_block_no_other_client(string sockets)
    {
        const int clients = 100, offered = 4 << 20;
        const long allowed = 120L << 20;
        await using var child = await ServerChild.StartAsync(
            "--stack", "built-in", "--listen", Addresses.Unix().ToString(), "--echo", Addresses.Unix().ToString(), "--sockets", sockets);
        using var observer = new GrpcClient(child.Addresses[0]);
        await using var honest = await ConnectAsync(child.Addresses[1]);
        await PingAsync(honest, 10);
        var before = (await observer.UsageAsync()).WorkingSetBytes;
        using var end = new CancellationTokenSource();
        var streams = new List<Stream>();
        var offers = new List<Task>();
        for (var client = 0; client < clients; client++)
        {
            streams.Add(await ConnectAsync(child.Addresses[1]));
            offers.Add(OfferAsync(streams[^1], offered, end.Token));
        }
        await Task.Delay(1_500);
        await PingAsync(honest, 100_000);
        Assert.DoesNotContain(offers, offer => offer.IsCompleted);
        Assert.InRange((await observer.UsageAsync()).WorkingSetBytes - before, long.MinValue, allowed);
        await end.CancelAsync();
        foreach (var stream in streams)
            await stream.DisposeAsync();
        await Task.WhenAll(offers).WaitAsync(Limits.Wait);
        await PingAsync(honest, 10);
    }

    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    [InlineData("pipe")]
    public async Task An_address_in_use_is_rejected_and_the_server_that_uses_the_address_continues(string kind)
    {
        await using var first = await StartAsync(Addresses.Of(kind));
        var taken = first.Endpoints[1].Address;
        var refused = await Assert.ThrowsAsync<CannotListenException>(() => StartAsync(taken));
        Assert.Equal(
            $"cannot listen on {taken}: " + kind switch
            {
                "tcp" => "the port is in use by another program: stop that program or choose another port with --echo",
                "pipe" when OperatingSystem.IsWindows() => "another server answers at this name: stop that server or choose another "
                    + "name with --echo",
                _ => "another server answers at this path: stop that server or choose another path with --echo",
            },
            refused.Message);
        await using var stream = await ConnectAsync(taken);
        await PingAsync(stream, 10);
    }

    [Fact]
    public async Task An_echo_endpoint_beyond_loopback_gives_a_warning()
    {
        await using var open = await StartAsync(new Address.Tcp("0.0.0.0", 0));
        Assert.Equal($"warning: {open.Endpoints[1].Address} can be reached from other machines, and this server has no access control\n",
            open.Warnings);
    }

    [Fact]
    public async Task The_method_Describe_names_the_protocol_of_each_endpoint()
    {
        await using var server = await StartAsync(Addresses.Unix());
        using var client = new GrpcClient(server.Address);
        Assert.Equal(["grpc", "echo"], (await client.DescribeAsync()).Endpoints.Select(endpoint => endpoint.Protocol));
    }

    [Fact]
    public async Task A_signal_ends_an_echo_server_with_open_connections()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "no signals to send on Windows");
        var address = Addresses.Unix();
        await using var child = await ServerChild.StartAsync("--echo", address.ToString());
        Assert.Equal([$"listening on {address} (unix, echo)", "GrpcBench server ready"], child.Lines);
        await using var idle = await ConnectAsync(address);
        await PingAsync(idle, 10);
        await using var stuck = await ConnectAsync(address);
        using var end = new CancellationTokenSource();
        var offer = OfferAsync(stuck, 8 << 20, end.Token);
        await child.SignalAsync("TERM");
        var (exitCode, took) = await child.EndAsync();
        Assert.Equal(0, exitCode);
        Assert.InRange(took, TimeSpan.Zero, Limits.Wait / 2);
        Assert.False(File.Exists(address.Path));
        await offer.WaitAsync(Limits.Wait);
    }

    [Fact]
    public async Task An_echo_endpoint_with_other_sockets_than_the_default_has_a_note()
    {
        await using var server = await ServerUnderTest.StartAsync(
            new ServerOptions { Listen = [Addresses.Unix()], Echo = [Addresses.Tcp, Addresses.Tls] });
        var usual = OperatingSystem.IsLinux() ? null : "through .NET's sockets and Kestrel";
        Assert.Equal([null, usual, "through .NET's sockets and Kestrel"], server.Endpoints.Select(endpoint => endpoint.Note));
        using var client = new GrpcClient(server.Address);
        Assert.Equal(OperatingSystem.IsLinux() ? "loop dotnet" : "dotnet", (await client.DescribeAsync()).Settings["echo-sockets"]);
    }

    [Fact]
    public async Task An_unknown_or_unsupported_value_of_sockets_is_rejected()
    {
        var (value, sentence) = OperatingSystem.IsLinux()
            ? ("fast", "'fast' is not a value for --sockets: write loop, dotnet or bare")
            : ("loop", "--sockets loop needs epoll, which this system does not have: leave out --sockets, or write dotnet");
        var (exitCode, _, error) = await ServerChild.RunAsync("--sockets", value);
        Assert.Equal((1, $"{sentence} (GrpcBenchServer --help)"), (exitCode, error.TrimEnd()));
    }

    [Fact]
    public async Task A_delayed_echo_answers_later_and_completely()
    {
        var slow = new ServerOptions { Listen = [], Echo = [Addresses.Unix()], Behaviors = new() { DelayUs = ["20000"] } };
        await using var server = await ServerUnderTest.StartAsync(slow);
        await using var stream = await ConnectAsync(server.Endpoints[0].Address);
        var clock = System.Diagnostics.Stopwatch.StartNew();
        await PingAsync(stream, 10);
        Assert.InRange(clock.Elapsed, TimeSpan.FromMilliseconds(20), Limits.Wait);
        await PingAsync(stream, 300_000);
    }

    private static Task<ServerUnderTest> StartAsync(Address echo, string? sockets = null)
    {
        var engine = sockets is null ? (SocketEngine?)null : Engines.Of(sockets);
        return ServerUnderTest.StartAsync(new ServerOptions { Listen = [Addresses.Unix()], Echo = [echo], Sockets = engine });
    }

    private static async Task<Stream> ConnectAsync(Address address)
    {
        using var limit = new CancellationTokenSource(Limits.Wait);
        return await Connector.For(address, new ConnectorOptions { Insecure = true }).ConnectAsync(limit.Token);
    }

    private static async Task PingAsync(Stream stream, int size)
    {
        using var limit = new CancellationTokenSource(Limits.Wait);
        var (sent, back) = (new byte[size], new byte[size]);
        Random.Shared.NextBytes(sent);
        var writing = stream.WriteAsync(sent, limit.Token);
        await stream.ReadExactlyAsync(back, limit.Token);
        await writing;
        Assert.Equal(sent, back);
    }

    // Ends when all bytes are written, when the server closes the connection, or when the test cancels.
    private static async Task OfferAsync(Stream stream, int bytes, CancellationToken end)
    {
        try
        {
            await stream.WriteAsync(new byte[bytes], end);
        }
        catch (Exception e) when (e is IOException or OperationCanceledException or ObjectDisposedException)
        {
        }
    }

    private static async Task AwaitAsync(Func<bool> condition)
    {
        using var limit = new CancellationTokenSource(Limits.Wait);
        while (!condition())
            await Task.Delay(10, limit.Token);
    }
}
