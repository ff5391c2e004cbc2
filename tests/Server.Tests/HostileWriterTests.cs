using IpcBench.Server.Tests.Support;
using IpcBench.Transports;

namespace IpcBench.Server.Tests;

/// <summary>Checks the server against clients that send invalid or endless input.</summary>
public abstract class HostileWriterTests(HostileServer server)
{
    private const uint ProtocolError = 1, FlowControlError = 3, FrameSizeError = 6;

    [Fact]
    public Task Rapid_resets_leave_no_connection_behind() => server.SurviveAsync(async () =>
    {
        for (var connection = 0; connection < 3; connection++)
        {
            await using var raw = await RawHttp2.ConnectAsync(server.Target);
            var alive = true;
            for (var call = 0; call < 20_000 && alive; call++)
            {
                raw.AddDownload((2 * call) + 1, 1_000_000);
                raw.Add(RawHttp2.Reset, 0, (2 * call) + 1, RawHttp2.Big(8));
                if (call % 100 == 99)
                    alive = await raw.TryFlushAsync(TimeSpan.FromSeconds(5));
            }
        }
        await server.AwaitAsync(usage => usage.ConnectionsOpen == 0);
    });

    [Fact]
    public Task Endless_CONTINUATION_frames_end_the_connection() => server.SurviveAsync(async () =>
    {
        await using var raw = await RawHttp2.ConnectAsync(server.Target);
        raw.Add(RawHttp2.HeadersType, 0, 1, RawHttp2.Headers(GrpcClient.Download));
        var header = new List<byte>();
        RawHttp2.AddLiteral(header, "x-filler", new string('a', 4_000));
        var alive = true;
        for (var frame = 0; frame < 1_000 && alive; frame++)
        {
            raw.Add(RawHttp2.Continuation, 0, 1, [.. header]);
            alive = await raw.TryFlushAsync(TimeSpan.FromSeconds(5));
        }
        Assert.False(alive && await raw.ReadGoAwayAsync() is null);
    });

    [Fact]
    public Task The_server_survives_endless_empty_CONTINUATION_frames() => server.SurviveAsync(async () =>
    {
        await using var raw = await RawHttp2.ConnectAsync(server.Target);
        raw.Add(RawHttp2.HeadersType, 0, 1, RawHttp2.Headers(GrpcClient.Download));
        var alive = true;
        for (var burst = 0; burst < 100 && alive; burst++)
        {
            for (var frame = 0; frame < 1_000; frame++)
                raw.Add(RawHttp2.Continuation, 0, 1, []);
            alive = await raw.TryFlushAsync(TimeSpan.FromSeconds(5));
        }
    });

    [Fact]
    public Task A_header_block_that_expands_to_megabytes_is_rejected() => server.SurviveAsync(async () =>
    {
        await using var raw = await RawHttp2.ConnectAsync(server.Target);
        var block = RawHttp2.Headers(GrpcClient.Download).ToList();
        // One entry of the dynamic table, then thousands of one-byte references to it (index 62, the newest entry).
        RawHttp2.AddLiteral(block, "x-bomb", new string('b', 3_900), representation: 0x40);
        block.AddRange(Enumerable.Repeat((byte)(0x80 | 62), 10_000));
        raw.Add(RawHttp2.HeadersType, RawHttp2.EndHeaders, 1, [.. block]);
        raw.Add(RawHttp2.Data, RawHttp2.EndStream, 1, GrpcClient.Frame([8, 10])); // asks for 10 bytes
        await raw.FlushAsync();
        // A response would be an error status, never the payload.
        while (await raw.ReadAsync() is { Type: not (RawHttp2.GoAway or RawHttp2.Reset) } frame
            && !(frame.Type == RawHttp2.HeadersType && (frame.Flags & RawHttp2.EndStream) != 0))
        {
            Assert.NotEqual(RawHttp2.Data, frame.Type);
        }
    });

    [Fact]
    public Task The_server_survives_endless_empty_DATA_frames() => server.SurviveAsync(async () =>
    {
        await using var raw = await RawHttp2.ConnectAsync(server.Target);
        raw.Add(RawHttp2.HeadersType, RawHttp2.EndHeaders, 1, RawHttp2.Headers(GrpcClient.Download));
        for (var burst = 0; burst < 100; burst++)
        {
            for (var frame = 0; frame < 1_000; frame++)
                raw.Add(RawHttp2.Data, 0, 1, []);
            if (!await raw.TryFlushAsync(TimeSpan.FromSeconds(5)))
                return;
        }
    });

    [Fact]
    public Task An_endless_request_is_answered_or_ends_the_connection() => server.SurviveAsync(async () =>
    {
        byte[][] starts = [[0, 0x7F, 0, 0, 0], [0, 0, 0, 0x7F, 0]];
        foreach (var start in starts)
        {
            await using var raw = await RawHttp2.ConnectAsync(server.Target);
            raw.Add(RawHttp2.HeadersType, RawHttp2.EndHeaders, 1, RawHttp2.Headers(GrpcClient.Download));
            raw.Add(RawHttp2.Data, 0, 1, start);
            var alive = true;
            for (var frame = 0; frame < 1_000 && alive; frame++)
            {
                raw.Add(RawHttp2.Data, 0, 1, new byte[16 << 10]);
                alive = await raw.TryFlushAsync(TimeSpan.FromSeconds(5));
            }
            // The server has answered or ended the connection: it does not read the request forever.
            Assert.True(!alive || await raw.ReadUntilAsync(RawHttp2.HeadersType) is not null);
        }
    });

    [Fact]
    public Task A_request_that_arrives_too_slowly_ends_the_connection() => server.SurviveAsync(async () =>
    {
        await using var raw = await RawHttp2.ConnectAsync(server.Target);
        raw.Add(RawHttp2.HeadersType, RawHttp2.EndHeaders, 1, RawHttp2.Headers(GrpcClient.Download));
        raw.Add(RawHttp2.Data, 0, 1, [0, 0, 0, 0x10, 0]);
        var alive = true;
        for (var second = 0; second < 25 && alive; second++)
        {
            raw.Add(RawHttp2.Data, 0, 1, [0]);
            alive = await raw.TryFlushAsync(TimeSpan.FromSeconds(5));
            await Task.Delay(TimeSpan.FromSeconds(1));
        }
        Assert.False(alive);
    });

    [Fact]
    public Task Thousands_of_idle_and_half_open_connections_block_no_other_client() => server.SurviveAsync(async () =>
    {
        const int each = 1_000;
        var before = await server.TargetUsageAsync();
        var idle = new List<IAsyncDisposable>();
        for (var connection = 0; connection < each; connection++)
        {
            idle.Add(await RawHttp2.ConnectAsync(server.Target));
            idle.Add(await Connector.For(server.Target, new ConnectorOptions()).ConnectAsync(CancellationToken.None));
            var half = await Connector.For(server.Target, new ConnectorOptions()).ConnectAsync(CancellationToken.None);
            await half.WriteAsync("PRI * HT"u8.ToArray());
            idle.Add(half);
        }
        // Counts opened rather than open connections: on a slow machine the server closes the first half-open connections before the last
        // one connects.
        await server.AwaitAsync(usage => usage.ConnectionsOpened - before.ConnectionsOpened >= 3 * each);
        foreach (var connection in idle)
            await connection.DisposeAsync();
        await server.AwaitAsync(usage => usage.ConnectionsOpen <= before.ConnectionsOpen);
    });

    [Fact]
    public Task Garbage_on_any_transport_ends_only_its_connection() => server.SurviveAsync(async () =>
    {
        var random = new Random(7);
        // Plain TCP to the TLS port, so that the garbage reaches the handshake.
        var targets = server.Addresses
            .Select(address => address is Address.Tls tls ? new Address.Tcp(tls.Host, tls.Port) : address).ToArray();
        for (var attempt = 0; attempt < 100; attempt++)
        {
            await using var stream = await Connector.For(targets[attempt % targets.Length], new ConnectorOptions())
                .ConnectAsync(CancellationToken.None);
            var bytes = new byte[random.Next(1, 5_000)];
            random.NextBytes(bytes);
            var start = (attempt % 3) switch
            {
                0 => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8.ToArray(),
                1 => "GET / HTTP/1.1\r\nHost: x\r\n\r\n"u8.ToArray(),
                _ => [],
            };
            await WriteIgnoringAsync(stream, [.. start, .. bytes]);
        }
    });

    [Fact]
    public Task Random_frames_end_at_most_their_own_connection() => server.SurviveAsync(async () =>
    {
        var random = new Random(11);
        for (var attempt = 0; attempt < 200; attempt++)
        {
            await using var raw = await RawHttp2.ConnectAsync(server.Target);
            for (var frame = 0; frame < 20; frame++)
            {
                var payload = new byte[random.Next(0, 100)];
                random.NextBytes(payload);
                if (frame % 2 == 0)
                    raw.AddDownload((2 * frame) + 1, random.Next(0, 100_000));
                else
                    raw.Add((byte)random.Next(0, 12), (byte)random.Next(0, 256), random.Next(0, 50), payload);
            }
            await raw.TryFlushAsync(TimeSpan.FromSeconds(5));
        }
    });

    [Theory]
    [InlineData(RawHttp2.Data, 0, 0, 10, ProtocolError)] // DATA on stream 0
    [InlineData(RawHttp2.HeadersType, 4, 2, 1, ProtocolError)] // a stream number that belongs to the server
    [InlineData(RawHttp2.Ping, 0, 0, 7, FrameSizeError)] // PING of seven bytes
    [InlineData(RawHttp2.Settings, 0, 0, 5, FrameSizeError)] // SETTINGS of five bytes
    [InlineData(RawHttp2.WindowUpdate, 0, 0, 4, ProtocolError)] // an increment of zero
    [InlineData(RawHttp2.Data, 0, 1, 20_000, FrameSizeError)] // larger than the allowed frame size
    [InlineData(RawHttp2.Continuation, 4, 1, 0, ProtocolError)] // CONTINUATION without HEADERS
    public Task A_protocol_violation_is_answered_with_its_error_code(byte type, byte flags, int streamId, int bytes, uint error) =>
        server.SurviveAsync(async () =>
    {
        await using var raw = await RawHttp2.ConnectAsync(server.Target);
        raw.Add(type, flags, streamId, new byte[bytes]);
        await raw.TryFlushAsync(TimeSpan.FromSeconds(5));
        Assert.Equal(error, await raw.ReadGoAwayAsync());
    });

    [Fact]
    public Task A_window_above_the_maximum_is_a_flow_control_error() => server.SurviveAsync(async () =>
    {
        await using var raw = await RawHttp2.ConnectAsync(server.Target);
        raw.Add(RawHttp2.WindowUpdate, 0, 0, RawHttp2.Big(int.MaxValue));
        await raw.FlushAsync();
        Assert.Equal(FlowControlError, await raw.ReadGoAwayAsync());
    });

    private static async Task WriteIgnoringAsync(Stream stream, byte[] bytes)
    {
        try
        {
            await stream.WriteAsync(bytes);
            var answer = new byte[4_096];
            using var limit = new CancellationTokenSource(TimeSpan.FromMilliseconds(50));
            while (await stream.ReadAsync(answer, limit.Token) > 0)
            {
            }
        }
        catch (Exception e) when (e is IOException or OperationCanceledException)
        {
            // The server may end the connection at any byte, or stay silent.
        }
    }
}

/// <summary>Runs <see cref="HostileWriterTests"/> against .NET's sockets.</summary>
public class HostileWriterDotNetTests(HostileDotNetServer server) : HostileWriterTests(server), IClassFixture<HostileDotNetServer>;

/// <summary>Runs <see cref="HostileWriterTests"/> against event loops.</summary>
public class HostileWriterLoopTests(HostileLoopServer server) : HostileWriterTests(server), IClassFixture<HostileLoopServer>;
