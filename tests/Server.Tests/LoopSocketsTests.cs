using System.Buffers;
using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;
using System.Runtime.Versioning;
using System.Text;
using IpcBench.LoopSockets;
using IpcBench.Server.Tests.Support;
using IpcBench.Transports;
using IpcBench.Transports.Loop;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.Logging.Abstractions;
using Loops = IpcBench.LoopSockets.LoopSockets;

namespace IpcBench.Server.Tests;

/// <summary>Checks the package's server transport and client streams with a plain Kestrel and HttpClient.</summary>
public class LoopSocketsTests
{
    private const string NoEpoll = "there is no epoll here";

    [Theory]
    [InlineData("1.1")]
    [InlineData("2.0")]
    public async Task HttpClient_and_Kestrel_exchange_small_and_large_bodies_over_loops_from_many_threads(string version)
    {
        Assert.SkipUnless(Loops.IsSupported, NoEpoll);
        await using var application = await StartAsync(version == "2.0" ? HttpProtocols.Http2 : HttpProtocols.Http1);
        using var client = Client(application.Path);
        var sizes = Enumerable.Range(0, 200).Select(call => call * call * 29).ToArray();
        var lengths = await Task.WhenAll(sizes.Select(size => Task.Run(async () =>
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, "/echo")
            {
                Version = Version.Parse(version),
                VersionPolicy = HttpVersionPolicy.RequestVersionExact,
                Content = new ByteArrayContent(Bytes(size)),
            };
            using var response = await client.SendAsync(request);
            var body = await response.Content.ReadAsByteArrayAsync();
            Assert.Equal(Bytes(size), body);
            return body.Length;
        })));
        Assert.Equal(sizes, lengths);
    }

    [Fact]
    public async Task An_exception_on_a_loops_thread_is_logged_and_the_loop_continues()
    {
        Assert.SkipUnless(Loops.IsSupported, NoEpoll);
        if (Loops.IsSupported)
            Assert.Equal(["posted", "inline"], await FaultsAsync());
    }

    [Fact]
    public async Task An_aborted_connection_ends_and_the_next_connection_is_served()
    {
        Assert.SkipUnless(Loops.IsSupported, NoEpoll);
        await using var application = await StartAsync();
        using var client = Client(application.Path);
        await Assert.ThrowsAsync<HttpRequestException>(() => client.GetAsync("/abort"));
        Assert.Equal("pong", await client.GetStringAsync("/ping"));
    }

    [Fact]
    public async Task A_flush_of_an_aborted_connection_completes_without_an_exception()
    {
        Assert.SkipUnless(Loops.IsSupported, NoEpoll);
        if (Loops.IsSupported)
            Assert.True(await FlushOfAbortedAsync());
    }

    [Fact]
    public async Task Unread_bytes_pause_the_application_until_the_client_reads()
    {
        Assert.SkipUnless(Loops.IsSupported, NoEpoll);
        const int total = 32 << 20;
        await using var application = await StartAsync();
        using var client = Client(application.Path);
        using var response = await client.GetAsync($"/many/{total}", HttpCompletionOption.ResponseHeadersRead);
        await using var stream = await response.Content.ReadAsStreamAsync();
        Assert.InRange(await Limits.StalledAsync(() => application.Written), 1, total / 2);
        var (read, buffer) = (0L, new byte[100_000]);
        for (int count; (count = await stream.ReadAsync(buffer).AsTask().WaitAsync(Limits.Wait)) > 0;)
            read += count;
        Assert.Equal(((long)total, (long)total), (read, application.Written));
    }

    // Each reply is many times larger than the socket buffers, so a lost wake-up would leave the call waiting for ever.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Many_readers_of_all_speeds_get_every_byte_over_full_sockets(bool overUnix)
    {
        Assert.SkipUnless(Loops.IsSupported, NoEpoll);
        const int calls = 240, size = 700_000;
        await using var application = await StartAsync(HttpProtocols.Http2);
        EndPoint endPoint = overUnix ? new UnixDomainSocketEndPoint(application.Path) : application.Tcp;
        using var client = Client(endPoint);
        var lengths = await Task.WhenAll(Enumerable.Range(0, calls).Select(call => Task.Run(async () =>
        {
            using var request = new HttpRequestMessage(HttpMethod.Get, $"/many/{size + call}")
            {
                Version = HttpVersion.Version20,
                VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            };
            using var response = await client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);
            await using var stream = await response.Content.ReadAsStreamAsync();
            var (read, buffer, random) = (0, new byte[100_000], new Random(call));
            for (int count; (count = await stream.ReadAsync(buffer.AsMemory(0, random.Next(1, 100_000)))) > 0; read += count)
            {
                if (random.Next(20) == 0)
                    await Task.Delay(random.Next(3));
            }
            return read;
        })));
        Assert.Equal(Enumerable.Range(0, calls).Select(call => size + call), lengths);
    }

    // An application that asks for Request.Form blocks its thread until the body has arrived.
    [Fact]
    public async Task Blocked_handlers_block_neither_other_connections_nor_the_server_stop()
    {
        Assert.SkipUnless(Loops.IsSupported, NoEpoll);
        await using var application = await StartAsync();
        var slow = await SendHeadersAsync(application, count: 4);
        using var limit = new CancellationTokenSource(Limits.Wait);
        while (application.Blocked < 4)
            await Task.Delay(10, limit.Token);
        for (var neighbour = 0; neighbour < 8; neighbour++)
        {
            using var client = Client(application.Tcp);
            Assert.Equal("pong", await client.GetStringAsync("/ping", limit.Token));
        }
        await application.StopSoonAsync().WaitAsync(Limits.Wait);
        while (application.Blocked > 0)
            await Task.Delay(10, limit.Token);
        slow.ForEach(socket => socket.Dispose());
    }

    [Fact]
    public async Task A_server_with_blocked_loop_threads_stops_and_names_the_threads()
    {
        Assert.SkipUnless(Loops.IsSupported, NoEpoll);
        var application = await StartAsync(configure: static options => options.UnsafePreferInlineScheduling = true);
        var slow = await SendHeadersAsync(application, count: 4);
        using var limit = new CancellationTokenSource(Limits.Wait);
        while (application.Blocked < 2)
            await Task.Delay(10, limit.Token);
        await application.StopSoonAsync().WaitAsync(Limits.Wait);
        await application.DisposeAsync().AsTask().WaitAsync(Limits.Wait);
        Assert.Contains("The threads of loop 0, loop 1 did not end within 3 s: the application blocks these threads, "
            + "on which UnsafePreferInlineScheduling runs the application.", application.Log.Lines);
        // The threads continue when the request bodies of their handlers end.
        slow.ForEach(socket => socket.Dispose());
    }

    [Theory]
    [InlineData(16 << 10, 20 << 10)]
    [InlineData(64 << 10, 72 << 10)]
    public async Task Unread_input_stays_below_the_limit_plus_one_receive(int asked, int most)
    {
        Assert.SkipUnless(Loops.IsSupported, NoEpoll);
        if (Loops.IsSupported)
            Assert.InRange(await FirstReadAsync(asked), 1, most);
    }

    [Fact]
    public async Task A_reset_by_the_client_aborts_its_request()
    {
        Assert.SkipUnless(Loops.IsSupported, NoEpoll);
        await using var application = await StartAsync();
        using var reset = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { LingerState = new(true, 0) };
        await reset.ConnectAsync(application.Tcp);
        await reset.SendAsync(Encoding.ASCII.GetBytes("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n"));
        using var limit = new CancellationTokenSource(Limits.Wait);
        while (application.Waiting == 0)
            await Task.Delay(10, limit.Token);
        reset.Close();
        while (application.Waiting > 0)
            await Task.Delay(10, limit.Token);
    }

    [Fact]
    public async Task The_error_distinguishes_an_abstract_socket_from_a_file_name_with_an_at_sign()
    {
        var name = $"gb-{Guid.NewGuid():N}";
        var refused = await Assert.ThrowsAsync<CannotConnectException>(
            () => Loops.Connect(new UnixDomainSocketEndPoint("@" + name)).AsTask());
        Assert.Contains($"unix:@{name}", refused.Message, StringComparison.Ordinal);
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux has abstract sockets");
        refused = await Assert.ThrowsAsync<CannotConnectException>(() => Loops.Connect(new UnixDomainSocketEndPoint("\0" + name)).AsTask());
        Assert.Contains($"unix-abstract:{name}", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_connect_without_a_server_fails_and_a_waiting_read_can_be_cancelled()
    {
        await Assert.ThrowsAsync<CannotConnectException>(() => Loops.Connect(new UnixDomainSocketEndPoint(Addresses.Unix().Path)).AsTask());
        Assert.SkipUnless(Loops.IsSupported, NoEpoll);
        await using var application = await StartAsync();
        await using var stream = await Loops.Connect(new UnixDomainSocketEndPoint(application.Path));
        using var soon = new CancellationTokenSource(TimeSpan.FromMilliseconds(50));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => stream.ReadAsync(new byte[1], soon.Token).AsTask());
        var reading = stream.ReadAsync(new byte[1]).AsTask();
        await stream.DisposeAsync();
        await Assert.ThrowsAnyAsync<IOException>(() => reading.WaitAsync(Limits.Wait));
    }

    // As with a NetworkStream, bytes that the system has accepted arrive, even if the other side reads late.
    [Fact]
    public async Task Bytes_written_before_a_dispose_reach_a_slow_reader()
    {
        using var listener = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = 4096 };
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        var (there, written) = ((IPEndPoint)listener.LocalEndPoint!, Bytes(16_000));
        var stream = await Loops.Connect(there);
        using var peer = await listener.AcceptAsync();
        await stream.WriteAsync(written);
        await stream.DisposeAsync();
        using var limit = new CancellationTokenSource(Limits.Wait);
        while (IPGlobalProperties.GetIPGlobalProperties().GetActiveTcpConnections()
            .Any(one => one.RemoteEndPoint.Equals(there) && one.State == TcpState.Established))
            await Task.Delay(10, limit.Token);
        using var received = new MemoryStream();
        await using var reading = new NetworkStream(peer);
        await reading.CopyToAsync(received, limit.Token);
        Assert.Equal(written, received.ToArray());
    }

    [Fact]
    public async Task The_method_Describe_reports_that_a_server_uses_event_loops()
    {
        Assert.SkipUnless(Loops.IsSupported, NoEpoll);
        // The server is a process of its own, because this process has the loops of other tests.
        await using var server = await ServerChild.StartAsync(
            "--listen", Addresses.Unix().ToString(), "--sockets", "loop", "--io-queues", "3");
        using var client = new GrpcClient(server.Addresses[0]);
        Assert.Equal("loop", (await client.DescribeAsync()).Settings["sockets"]);
        // A new thread names itself, on a busy machine after the server is ready.
        using var limit = new CancellationTokenSource(Limits.Wait);
        while (LoopsOf(server.Id).Count < 3)
            await Task.Delay(10, limit.Token);
        Assert.Equal(["loop 0\n", "loop 1\n", "loop 2\n"], LoopsOf(server.Id));
    }

    private static List<string> LoopsOf(int process) =>
        [.. Directory.GetDirectories($"/proc/{process}/task").Select(task => TryRead(task + "/comm"))
            .Where(name => name.StartsWith("loop ", StringComparison.Ordinal)).Order(StringComparer.Ordinal)];

    [SupportedOSPlatform("linux")]
    private static async Task<List<string>> FaultsAsync()
    {
        var faults = new List<string>();
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var thread = new LoopThread("test", MemoryPool<byte>.Shared, (null, null), inline: true, e => faults.Add(e.Message));
        thread.Loop.Post(_ => throw new InvalidOperationException("posted"), null);
        thread.Loop.Post(
            _ =>
            {
                thread.Input.ReaderScheduler.Schedule(_ => throw new InvalidOperationException("inline"), null);
                done.SetResult();
            }, null);
        await done.Task.WaitAsync(Limits.Wait);
        return faults;
    }

    // Aborts a connection while a flush waits for a client that does not read, as WholeReplies does with such clients.
    [SupportedOSPlatform("linux")]
    private static async Task<bool> FlushOfAbortedAsync()
    {
        var path = Addresses.Unix().Path;
        using var factory = new LoopTransportFactory(Microsoft.Extensions.Options.Options.Create(new LoopTransportOptions { Loops = 1 }),
            new PlainPools(), NullLogger<LoopTransportFactory>.Instance);
        await using var listener = await factory.BindAsync(new UnixDomainSocketEndPoint(path));
        using var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await client.ConnectAsync(new UnixDomainSocketEndPoint(path));
        var connection = await listener.AcceptAsync().AsTask().WaitAsync(Limits.Wait);
        try
        {
            var flushing = connection!.Transport.Output.WriteAsync(new byte[8 << 20]).AsTask();
            connection.Abort(new ConnectionAbortedException("the test aborts it"));
            var isOver = (await flushing.WaitAsync(Limits.Wait)).IsCompleted;
            // The waiting flush ends because its bytes are dropped. A later flush reports that the connection has ended.
            using var limit = new CancellationTokenSource(Limits.Wait);
            for (; !isOver; isOver = (await connection.Transport.Output.WriteAsync(new byte[1], limit.Token)).IsCompleted)
                await Task.Delay(5, limit.Token);
            return isOver;
        }
        finally
        {
            await connection!.DisposeAsync();
            File.Delete(path);
        }
    }

    // Returns the length of the first read from a client that filled the system's buffers before the accept.
    [SupportedOSPlatform("linux")]
    private static async Task<long> FirstReadAsync(int mostWaiting)
    {
        var path = Addresses.Unix().Path;
        using var factory = new LoopTransportFactory(
            Microsoft.Extensions.Options.Options.Create(new LoopTransportOptions { Loops = 1, MaxReadBufferSize = mostWaiting }),
            new PlainPools(), NullLogger<LoopTransportFactory>.Instance);
        await using var listener = await factory.BindAsync(new UnixDomainSocketEndPoint(path));
        using var client = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        await client.ConnectAsync(new UnixDomainSocketEndPoint(path));
        client.Blocking = false;
        var sent = client.Send(new byte[1 << 20]);
        Assert.InRange(sent, mostWaiting + 1, int.MaxValue);
        var connection = await listener.AcceptAsync().AsTask().WaitAsync(Limits.Wait);
        var read = await connection!.Transport.Input.ReadAtLeastAsync(mostWaiting).AsTask().WaitAsync(Limits.Wait);
        var waiting = read.Buffer.Length;
        connection.Transport.Input.AdvanceTo(read.Buffer.End);
        connection.Abort();
        await connection.DisposeAsync();
        File.Delete(path);
        return waiting;
    }

    private static string TryRead(string file)
    {
        try
        {
            return File.ReadAllText(file);
        }
        catch (IOException)
        {
            return "";
        }
    }

    private static byte[] Bytes(int size)
    {
        var bytes = new byte[size];
        new Random(size).NextBytes(bytes);
        return bytes;
    }

    private static HttpClient Client(string path) => Client(new UnixDomainSocketEndPoint(path));

    private static HttpClient Client(EndPoint endPoint) => new(new SocketsHttpHandler
    {
        EnableMultipleHttp2Connections = true,
        ConnectCallback = (_, cancellation) => Loops.Connect(endPoint, cancellation),
    })
    { BaseAddress = new Uri("http://localhost"), Timeout = Limits.Wait };

    /// <summary>Sends requests whose bodies never arrive.</summary>
    private static async Task<List<Socket>> SendHeadersAsync(LoopApplication application, int count)
    {
        var sockets = new List<Socket>();
        while (sockets.Count < count)
        {
            var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            sockets.Add(socket);
            await socket.ConnectAsync(application.Tcp);
            // After a first request the connection waits for bytes, so the transport's scheduler decides where the next request runs.
            await socket.SendAsync(Encoding.ASCII.GetBytes("GET /ping HTTP/1.1\r\nHost: x\r\n\r\n"));
            var reply = "";
            for (var buffer = new byte[1000]; !reply.EndsWith("pong\r\n0\r\n\r\n", StringComparison.Ordinal);)
                reply += Encoding.ASCII.GetString(buffer, 0, await socket.ReceiveAsync(buffer).WaitAsync(Limits.Wait));
        }
        foreach (var socket in sockets)
        {
            await socket.SendAsync(Encoding.ASCII.GetBytes("POST /form HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\n\r\n"));
        }
        return sockets;
    }

    private static async Task<LoopApplication> StartAsync(
        HttpProtocols protocols = HttpProtocols.Http1, Action<LoopTransportOptions>? configure = null)
    {
        var application = new LoopApplication(protocols, configure);
        await application.StartAsync();
        return application;
    }

    private sealed class PlainPools : IMemoryPoolFactory<byte>
    {
        public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => MemoryPool<byte>.Shared;
    }
}
