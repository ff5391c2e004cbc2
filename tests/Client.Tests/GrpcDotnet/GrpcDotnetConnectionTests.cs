using IpcBench.Client.Engine;
using IpcBench.Client.Protocols;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;

namespace IpcBench.Client.Tests.GrpcDotnet;

/// <summary>Checks what Grpc.Net.Client's failures are counted as, with a server that resets streams or ends connections.</summary>
public class GrpcDotnetConnectionTests
{
    [Theory]
    [InlineData(0x2, "INTERNAL_ERROR")]
    [InlineData(0x7, "REFUSED_STREAM")]
    [InlineData(0x8, "CANCEL")]
    [InlineData(0xb, "ENHANCE_YOUR_CALM")]
    public async Task A_reset_stream_is_a_failed_call_on_a_connection_that_goes_on(uint code, string name)
    {
        await using var server = new FakeServer { Answer = (stream, _) => Frames.Reset(stream, code) };
        var result = await TestLoad.MeasureAsync(Load(server, streams: 4), new LoadWindow { Calls = 20 });
        Assert.Equal([KeyValuePair.Create("reset", 20L)], result.Failed);
        Assert.Contains(name, result.FailureMessages["reset"], StringComparison.Ordinal);
        Assert.Equal((1, 0), (server.Accepted, result.Connections.Reopened));
    }

    [Fact]
    public async Task A_connection_that_dies_with_many_calls_in_flight_is_opened_again_once()
    {
        const int streams = 80;
        var release = new TaskCompletionSource();
        await using var server = new FakeServer { Release = release.Task };
        await using var generator = await TestLoad.OpenAsync(Load(server, streams));
        using var enough = new CancellationTokenSource();
        var running = TestLoad.RunAsync(generator, TestLoad.For(60), enough.Token);
        await TestLoad.UntilAsync(() => server.Calls == streams);
        server.Kill(1);
        release.SetResult();
        await TestLoad.UntilAsync(() => generator.CallsSoFar > 10 * streams);
        await enough.CancelAsync();
        var result = await running;
        Assert.Equal([KeyValuePair.Create("connection lost", (long)streams)], result.Failed);
        Assert.Equal((1, 2), (result.Connections.Reopened, server.Accepted));
    }

    [Fact]
    public async Task Open_streams_that_notice_the_death_one_after_the_other_open_the_connection_once()
    {
        const int streams = 8;
        await using var server = new FakeServer
        {
            Hears = heard =>
            [
                .. heard.Frames == 1 ? Frames.ResponseHeaders(heard.Stream) : [],
                .. heard.Ends ? Frames.Trailers(heard.Stream) : Frames.Data(heard.Stream, [.. heard.Last.SelectMany(echo => echo)]),
            ],
        };
        await using var generator = await TestLoad.OpenAsync(Load(server, streams) with { Mode = CallMode.PingPong });
        using var enough = new CancellationTokenSource();
        var running = TestLoad.RunAsync(generator, TestLoad.For(60) with { Rate = 50 }, enough.Token);
        await TestLoad.UntilAsync(() => generator.CallsSoFar >= 2 * streams);
        server.Kill(1);
        await TestLoad.UntilAsync(() => generator.CallsSoFar >= 6 * streams);
        await enough.CancelAsync();
        var result = await running;
        Assert.Equal(["connection lost"], result.Failed.Keys);
        Assert.Equal((1, 2), (result.Connections.Reopened, server.Accepted));
    }

    private static LoadOptions Load(FakeServer server, int streams) =>
        TestLoad.Options(server.Address, connections: 1, streams: streams) with { Client = ProtocolTable.GrpcDotnet };
}
