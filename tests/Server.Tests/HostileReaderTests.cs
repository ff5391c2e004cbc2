using Google.Protobuf;
using IpcBench.Protocol;
using IpcBench.Protocol.Reflection.V1;
using IpcBench.Protocol.V1;
using IpcBench.Server.Services;
using IpcBench.Server.Tests.Support;

namespace IpcBench.Server.Tests;

/// <summary>Checks the server against clients that request many bytes and read few.</summary>
public abstract class HostileReaderTests(HostileServer server)
{
    private const int Streams = RawHttp2.ManyStreams;

    [Theory]
    [InlineData(1_000_000)]
    [InlineData(60_000)]
    [InlineData(10_000)]
    public Task Clients_that_never_read_take_limited_memory_of_the_server(int size) => server.SurviveAsync(async () =>
    {
        var clients = await RawHttp2.AskWithoutReadingAsync(server.Target, connections: 30, size);
        await Task.Delay(500);
        foreach (var client in clients)
            await client.DisposeAsync();
        await server.AwaitAsync(usage => usage.ConnectionsOpen == 0);
    });

    // The grpc-dotnet stack writes a reply in one piece. So a call waits for memory before its write begins.
    [Fact]
    public async Task Unread_replies_of_the_stack_grpc_dotnet_take_limited_memory_and_block_no_client()
    {
        server.SkipWhereItIsNot();
        const int size = 8_000_000;
        const long allowed = 450L << 20;
        await using var child = await ServerChild.StartAsync(
            "--stack", IGrpcStack.GrpcDotnet, "--listen", Addresses.Unix().ToString(), "--sockets", server.Sockets);
        using var honest = new GrpcClient(child.Addresses[0]);
        Assert.Equal(size, (await honest.DownloadAsync(size)).Length);
        var before = (await honest.UsageAsync()).WorkingSetBytes;
        var clients = await RawHttp2.AskWithoutReadingAsync(child.Addresses[0], connections: 2, size);
        for (var look = 0; look < 30; look++)
        {
            Assert.InRange((await honest.UsageAsync()).WorkingSetBytes - before, long.MinValue, allowed);
            await Task.Delay(100);
        }
        Assert.Equal(10, (await honest.DownloadAsync(10)).Length);
        Assert.Equal(size, (await honest.DownloadAsync(size)).Length);
        foreach (var client in clients)
            await client.DisposeAsync();
    }

    [Fact]
    public Task Clients_with_closed_windows_take_limited_memory_of_the_server() => server.SurviveAsync(async () =>
    {
        const int connections = 30;
        var clients = new List<RawHttp2>();
        for (var connection = 0; connection < connections; connection++)
        {
            var raw = await RawHttp2.ConnectAsync(server.Target, initialWindow: 0);
            for (var call = 0; call < Streams; call++)
                raw.AddDownload((2 * call) + 1, 1_000_000);
            await raw.FlushAsync();
            clients.Add(raw);
        }
        foreach (var client in clients)
            Assert.NotNull(await client.ReadUntilAsync(RawHttp2.HeadersType));
        await Task.Delay(500);
        foreach (var client in clients)
            await client.DisposeAsync();
        await server.AwaitAsync(usage => usage.ConnectionsOpen == 0);
    });

    // Small requests have large answers. Without back-pressure, all answers would stand in the server's memory.
    [Fact]
    public Task Reflection_answers_no_faster_than_the_client_reads() =>
        server.SurviveAsync(async () =>
        {
            byte[] question = GrpcClient.Frame(new ServerReflectionRequest { FileByFilename = "bench.proto" });
            byte[] many = [.. Enumerable.Repeat(question, 16_000 / question.Length).SelectMany(bytes => bytes)];
            var clients = new List<RawHttp2>();
            for (var connection = 0; connection < 16; connection++)
            {
                var raw = await RawHttp2.ConnectAsync(server.Target, initialWindow: 0);
                raw.Add(RawHttp2.HeadersType, RawHttp2.EndHeaders, 1,
                    RawHttp2.Headers("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"));
                raw.Add(RawHttp2.Data, 0, 1, question);
                await raw.FlushAsync();
                Assert.NotNull(await raw.ReadUntilAsync(RawHttp2.HeadersType)); // the answer waits for the window
                for (var sent = 0; sent < 700_000; sent += many.Length)
                    raw.Add(RawHttp2.Data, 0, 1, many);
                raw.Add(RawHttp2.WindowUpdate, 0, 1, RawHttp2.Big(16_384));
                await raw.FlushAsync();
                clients.Add(raw);
            }
            await Task.Delay(1500);
            foreach (var client in clients)
                await client.DisposeAsync();
            await server.AwaitAsync(usage => usage.ConnectionsOpen == 0);
        });

    [Fact]
    public Task A_client_that_opens_its_window_byte_by_byte_receives_every_byte() => server.SurviveAsync(async () =>
    {
        var payload = new byte[200];
        PayloadPattern.Fill(payload);
        var reply = GrpcClient.Frame(new DownloadReply { Payload = ByteString.CopyFrom(payload) });
        await using var raw = await RawHttp2.ConnectAsync(server.Target, initialWindow: 0);
        raw.AddDownload(1, payload.Length);
        await raw.FlushAsync();
        var received = new List<byte>();
        for (var credit = 0; credit < reply.Length; credit++)
        {
            raw.Add(RawHttp2.WindowUpdate, 0, 1, RawHttp2.Big(1));
            await raw.FlushAsync();
            received.AddRange((await raw.ReadUntilAsync(RawHttp2.Data))!);
        }
        Assert.Equal(reply, received.ToArray());
    });

    [Fact]
    public Task The_server_stops_reading_pings_and_settings_if_answers_stay_unread() => server.SurviveAsync(async () =>
    {
        foreach (var type in (byte[])[RawHttp2.Ping, RawHttp2.Settings])
        {
            await using var raw = await RawHttp2.ConnectAsync(server.Target);
            var stopped = false;
            for (var burst = 0; burst < 200 && !stopped; burst++)
            {
                for (var frame = 0; frame < 1_000; frame++)
                    raw.Add(type, 0, 0, type == RawHttp2.Ping ? new byte[8] : [0, 3, 0, 0, 0, 100]);
                stopped = !await raw.TryFlushAsync(TimeSpan.FromSeconds(2));
            }
            // Either the server has stopped reading, or it has closed the connection.
            Assert.True(stopped);
        }
    });
}

/// <summary>Runs <see cref="HostileReaderTests"/> against .NET's sockets.</summary>
public class HostileReaderDotNetTests(HostileDotNetServer server) : HostileReaderTests(server), IClassFixture<HostileDotNetServer>;

/// <summary>Runs <see cref="HostileReaderTests"/> against event loops.</summary>
public class HostileReaderLoopTests(HostileLoopServer server) : HostileReaderTests(server), IClassFixture<HostileLoopServer>;
