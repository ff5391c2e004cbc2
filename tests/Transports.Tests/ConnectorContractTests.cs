using System.Diagnostics;
using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;
using System.Runtime.Versioning;
using IpcBench.Transports.Loop;

namespace IpcBench.Transports.Tests;

/// <summary>Checks every connector of the framework and of the event loop over real sockets and pipes.</summary>
[SupportedOSPlatform("linux")] // for the compiler: other systems leave out or skip the cases with a loop
public class ConnectorContractTests
{
    // Who connects: the framework, an event loop whose thread owns the stream, or an event loop behind pipes that any thread may use.
    private const string Framework = "framework", Loop = "loop", Piped = "piped";

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    public static TheoryData<string, string> All { get; } = Cases();

    private static TheoryData<string, string> Cases()
    {
        var cases = new TheoryData<string, string>
        {
            { "tcp", Framework }, { "tls", Framework }, { "unix", Framework }, { "pipe", Framework },
        };
        if (!EventLoop.IsSupported)
            return cases;
        cases.Add("unix-abstract", Framework);
        foreach (var kind in new[] { "tcp", "tls", "unix", "unix-abstract" })
        {
            cases.Add(kind, Loop);
            cases.Add(kind, Piped);
        }
        return cases;
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task Bytes_pass_unchanged_in_both_directions(string kind, string by)
    {
        await using var server = EchoServer.Start(kind);
        await OnAsync(by, async loop =>
        {
            await using var stream = await ConnectAsync(server.Address, by, loop);
            var random = new Random(1);
            foreach (var size in new[] { 1, 10, 4096, 1_000_000 })
            {
                var sent = new byte[size];
                random.NextBytes(sent);
                var received = new byte[size];
                var writing = stream.WriteAsync(sent).AsTask(); // a full socket delays the write
                await stream.ReadExactlyAsync(received);
                await writing;
                Assert.Equal(sent, received);
            }
        });
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task Bytes_of_several_connections_do_not_mix(string kind, string by)
    {
        await using var server = EchoServer.Start(kind);
        await OnAsync(by, async loop =>
        {
            var streams = new List<Stream>();
            for (var i = 0; i < 5; i++)
                streams.Add(await ConnectAsync(server.Address, by, loop));
            foreach (var (i, stream) in streams.Index())
                await stream.WriteAsync(new[] { (byte)i });
            foreach (var (i, stream) in streams.Index())
            {
                var answer = new byte[1];
                await stream.ReadExactlyAsync(answer);
                Assert.Equal(i, answer[0]);
                await stream.DisposeAsync();
            }
        });
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task The_stream_ends_when_the_server_closes_the_connection(string kind, string by)
    {
        var server = EchoServer.Start(kind);
        await OnAsync(by, async loop =>
        {
            await using var stream = await ConnectAsync(server.Address, by, loop);
            await stream.WriteAsync(new byte[] { 1 });
            await stream.ReadExactlyAsync(new byte[1]);
            var reading = ReadToEndAsync(stream);
            await server.DisposeAsync();
            await reading;
        });
    }

    [Theory]
    [InlineData(Framework, true)]
    [InlineData(Framework, false)]
    [InlineData(Loop, true)]
    [InlineData(Loop, false)]
    public async Task A_closed_connection_is_in_TIME_WAIT_unless_it_was_reset(string by, bool resets)
    {
        if (by == Loop && !EventLoop.IsSupported)
            Assert.Skip("there is no event loop on this system");
        await using var server = EchoServer.Start("tcp");
        var port = ((Address.Tcp)server.Address).Port;
        // Older connections to this port may be in TIME_WAIT, so the test finds its own by the local port.
        var own = 0;
        await OnAsync(by, async loop =>
        {
            await using var stream = await ConnectAsync(server.Address, by, loop, new() { ResetOnClose = resets });
            await stream.WriteAsync(new byte[] { 1 });
            await stream.ReadExactlyAsync(new byte[1]);
            own = Connections().Single(connection => connection.State == TcpState.Established).LocalEndPoint.Port;
        });
        var left = States();
        for (var begun = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(begun) < Patience; left = States())
        {
            if (left.All(state => state == TcpState.TimeWait) && (resets || left.Count > 0))
                break;
            await Task.Delay(20);
        }
        Assert.Equal(resets ? [] : [TcpState.TimeWait], left);

        List<TcpState> States() =>
            [.. Connections().Where(connection => connection.LocalEndPoint.Port == own).Select(connection => connection.State)];

        IEnumerable<TcpConnectionInformation> Connections() => IPGlobalProperties.GetIPGlobalProperties().GetActiveTcpConnections()
            .Where(connection => connection.RemoteEndPoint.Port == port);
    }

    [Theory]
    [MemberData(nameof(All))]
    public async Task Connecting_to_an_address_without_a_server_fails_with_the_reason(string kind, string by)
    {
        if (kind == "pipe" && OperatingSystem.IsWindows())
            Assert.Skip("a Windows pipe may appear at any time, so it is waited for");
        Address address = kind switch
        {
            "tcp" => new Address.Tcp("127.0.0.1", Ports.Unused()),
            "tls" => new Address.Tls("localhost", Ports.Unused()),
            "unix" => new Address.Unix(Path.Combine(Path.GetTempPath(), Guid.NewGuid() + ".sock")),
            "unix-abstract" => new Address.UnixAbstract($"{Guid.NewGuid()}"),
            _ => new Address.Pipe($"{Guid.NewGuid()}"),
        };
        var why = kind switch
        {
            "unix" => "there is no such file",
            "pipe" => "no server listens at this name",
            _ => new SocketException((int)SocketError.ConnectionRefused).Message,
        };
        await OnAsync(by, async loop =>
        {
            var refused = await Assert.ThrowsAsync<CannotConnectException>(async () => await ConnectAsync(address, by, loop));
            Assert.Equal($"cannot connect to {address}: {why}", refused.Message);
        });
    }

    [Theory]
    [InlineData(Framework)]
    [InlineData(Loop)]
    [InlineData(Piped)]
    public async Task Connection_attempts_to_a_full_accept_queue_are_retried_and_counted(string by)
    {
        if (!EventLoop.IsSupported)
            Assert.Skip("only Linux refuses when the queue of a Unix socket is full");
        var path = Path.Combine(Path.GetTempPath(), $"ipcbench-{Guid.NewGuid():N}.sock");
        using var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(new UnixDomainSocketEndPoint(path));
        listener.Listen(1);
        await OnAsync(by, async loop =>
        {
            var sockets = loop is null ? null : await LoopConnector.ForAsync(new Address.Unix(path), new(), CancellationToken.None);
            Connector connector = by == Piped ? new PipedConnector(new Address.Unix(path), new())
                : loop is null ? Connector.For(new Address.Unix(path), new()) : new LoopStreamConnector(loop, sockets!);
            long Retries() => loop is null ? connector.Retries : sockets!.Retries;
            // On a busy machine the event loops may connect so late that the queue is never full.
            for (var attempt = 0; attempt < 20 && Retries() == 0; attempt++)
            {
                var connects = Enumerable.Range(0, 6).Select(_ => connector.ConnectAsync(CancellationToken.None).AsTask()).ToList();
                await Task.Delay(30);
                for (var i = 0; i < 6; i++)
                    (await listener.AcceptAsync()).Dispose();
                foreach (var connect in connects)
                    await (await connect).DisposeAsync();
            }
            Assert.InRange(Retries(), 1, long.MaxValue);
        });
        File.Delete(path);
    }

    [Fact]
    public async Task A_connect_to_a_pipe_that_nobody_accepts_ends_at_its_deadline()
    {
        if (OperatingSystem.IsWindows())
            Assert.Skip("only on Unix is a pipe a socket with an accept queue");
        var name = $"ipcbench-{Guid.NewGuid():N}";
        var path = NamedPipeConnector.UnixSocketPath(name);
        using var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(new UnixDomainSocketEndPoint(path));
        listener.Listen(0);
        using var limit = new CancellationTokenSource(TimeSpan.FromMilliseconds(300));
        var connector = Connector.For(new Address.Pipe(name), new());
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            for (var i = 0; i < 10; i++)
                await connector.ConnectAsync(limit.Token);
        }).WaitAsync(Patience);
        File.Delete(path);
    }

    [Fact]
    public async Task A_stream_on_a_loop_reads_128_KiB_in_a_turn()
    {
        if (!EventLoop.IsSupported)
            Assert.Skip("there is no event loop on this system");
        var path = Path.Combine(Path.GetTempPath(), $"ipcbench-{Guid.NewGuid():N}.sock");
        using var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(new UnixDomainSocketEndPoint(path));
        listener.Listen(1);
        await OnAsync(Loop, async loop =>
        {
            await using var stream = await ConnectAsync(new Address.Unix(path), Loop, loop);
            using var other = await listener.AcceptAsync();
            (other.Blocking, other.SendBufferSize) = (false, 1 << 20);
            var filled = 0;
            for (var sent = 1; sent > 0; filled += sent)
            {
                var count = other.Send(new byte[16 << 10], SocketFlags.None, out var error);
                sent = error == SocketError.Success ? count : 0;
            }
            Assert.InRange(filled, 160_000, int.MaxValue);
            var (buffer, read) = (new byte[4096], 0);
            var reading = stream.ReadAsync(buffer);
            for (; reading.IsCompleted; reading = stream.ReadAsync(buffer))
                read += await reading;
            Assert.InRange(read, 4096, 132 << 10);
            for (read += await reading; read < filled;)
                read += await stream.ReadAsync(buffer);
            Assert.Equal(filled, read);
        });
        File.Delete(path);
    }

    [Fact]
    public async Task A_connect_that_nobody_accepts_ends_at_its_deadline()
    {
        if (!EventLoop.IsSupported)
            Assert.Skip("only Linux refuses when the queue of a Unix socket is full");
        var path = Path.Combine(Path.GetTempPath(), $"ipcbench-{Guid.NewGuid():N}.sock");
        using var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(new UnixDomainSocketEndPoint(path));
        listener.Listen(0);
        using var limit = new CancellationTokenSource(TimeSpan.FromMilliseconds(200));
        await OnAsync(Loop, async loop =>
        {
            var connector = (await LoopConnector.ForAsync(new Address.Unix(path), new(), CancellationToken.None))!;
            await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
            {
                for (var i = 0; i < 10; i++)
                    await new LoopStreamConnector(loop!, connector).ConnectAsync(limit.Token);
            });
        });
        File.Delete(path);
    }

    [Fact]
    public async Task The_framework_and_the_loop_resolve_localhost_alike()
    {
        await using var server = EchoServer.Start("tcp");
        var address = new Address.Tcp("localhost", ((Address.Tcp)server.Address).Port);
        foreach (var by in EventLoop.IsSupported ? new[] { Framework, Loop, Piped } : [Framework])
        {
            await OnAsync(by, async loop =>
            {
                await using var stream = await ConnectAsync(address, by, loop);
                await stream.WriteAsync(new byte[] { 7 });
                await stream.ReadExactlyAsync(new byte[1]);
            });
        }
    }

    // After the cancelled write, disposing of the stream ends the connection for the other side too.
    [Theory]
    [InlineData("tcp", Framework)]
    [InlineData("unix", Framework)]
    [InlineData("tcp", Piped)]
    [InlineData("unix", Piped)]
    public async Task A_write_that_nobody_reads_can_be_cancelled(string kind, string by)
    {
        if (by != Framework && !EventLoop.IsSupported)
            Assert.Skip("there is no event loop on this system");
        var path = Path.Combine(Path.GetTempPath(), $"ipcbench-{Guid.NewGuid():N}.sock");
        EndPoint endPoint = kind == "tcp" ? new IPEndPoint(IPAddress.Loopback, 0) : new UnixDomainSocketEndPoint(path);
        using var listener = new Socket(endPoint.AddressFamily, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(endPoint);
        listener.Listen(1);
        Address address = kind == "tcp" ? new Address.Tcp("127.0.0.1", ((IPEndPoint)listener.LocalEndPoint!).Port) : new Address.Unix(path);
        var stream = await ConnectAsync(address, by, null);
        using var other = new NetworkStream(await listener.AcceptAsync(), ownsSocket: true);
        using var soon = new CancellationTokenSource(TimeSpan.FromMilliseconds(200));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () =>
        {
            while (true)
                await stream.WriteAsync(new byte[1 << 20], soon.Token);
        }).WaitAsync(Patience);
        var reading = ReadToEndAsync(stream);
        await stream.DisposeAsync();
        await reading.WaitAsync(Patience);
        await ReadToEndAsync(other).WaitAsync(Patience);
        File.Delete(path);
    }

    private static async Task<Stream> ConnectAsync(Address address, string by, EventLoop? loop, ConnectorOptions? options = null)
    {
        options ??= new();
        if (by == Piped)
        {
            var piped = new PipedConnector(address, options);
            return address is Address.Tls secure
                ? await new TlsConnector(piped, secure.Host, options).ConnectAsync(CancellationToken.None)
                : await piped.ConnectAsync(CancellationToken.None);
        }
        if (loop is null || !OperatingSystem.IsLinux())
            return await Connector.For(address, options).ConnectAsync(CancellationToken.None);
        var plain = new LoopStreamConnector(loop, (await LoopConnector.ForAsync(address, options, CancellationToken.None))!);
        return address is Address.Tls tls
            ? await new TlsConnector(plain, tls.Host, options).ConnectAsync(CancellationToken.None)
            : await plain.ConnectAsync(CancellationToken.None);
    }

    /// <summary>Runs the body. The Loop cases run on an event loop's thread, to which every await returns.</summary>
    private static async Task OnAsync(string by, Func<EventLoop?, Task> body)
    {
        if (by != Loop || !OperatingSystem.IsLinux())
        {
            await body(null).WaitAsync(Patience);
            return;
        }
        using var loop = new EventLoop("test");
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var context = new LoopContext(loop);
        context.Post(async _ =>
        {
            try
            {
                await body(loop);
                done.SetResult();
            }
            catch (Exception e)
            {
                done.SetException(e);
            }
        }, null);
        await done.Task.WaitAsync(Patience);
    }

    private static async Task ReadToEndAsync(Stream stream)
    {
        try
        {
            var bytes = new byte[100_000];
            while (await stream.ReadAsync(bytes) > 0)
            {
            }
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException)
        {
            // A reset ends the stream too, and so does disposing of the stream.
        }
    }

    /// <summary>Brings a test's awaits back to the loop's thread. The engine's completions run there anyway.</summary>
    private sealed class LoopContext(EventLoop loop) : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state) => loop.Post(_ =>
        {
            SetSynchronizationContext(this);
            d(state);
        }, null);
    }
}
