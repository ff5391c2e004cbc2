using IpcBench.Client.Engine;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Engine;

public class ConnectionTruthTests
{
    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    [InlineData("pipe")]
    public async Task Connections_that_die_are_opened_again_and_counted(string kind)
    {
        await using var server = new FakeServer(kind) { Delay = TimeSpan.FromMilliseconds(1) };
        await using var generator = await TestLoad.OpenAsync(TestLoad.Options(server.Address, connections: 6));
        using var enough = new CancellationTokenSource();
        var running = TestLoad.RunAsync(generator, TestLoad.For(60), enough.Token);
        await TestLoad.UntilAsync(() => server.Asked == 6);
        server.Kill(3);
        await TestLoad.UntilAsync(() => server.Asked == 9 && generator.CallsSoFar > 0);
        await enough.CancelAsync();
        var result = await running;
        Assert.Equal(3, result.Connections.Reopened);
        Assert.Equal(9, server.Accepted);
        Assert.InRange(result.Failed.GetValueOrDefault("connection lost"), 0, 3);
        Assert.Null(result.ServerLost);
        Assert.True(result.Ok > 0);
    }

    [Fact]
    public async Task A_server_that_can_still_answer_after_GOAWAY_is_not_reported_as_gone()
    {
        using var silence = new ManualResetEventSlim();
        await using var server = new FakeServer
        {
            Answer = (stream, number) =>
            {
                if (number == 1)
                    return Frames.GoAway(stream + 2); // the second stream is the last
                silence.Wait(2_500); // longer than the time after which a server counts as gone
                return [.. Frames.Reply(stream - 2, 10), .. Frames.Reply(stream, 10)];
            },
        };
        var load = TestLoad.Options(server.Address, connections: 1, streams: 2, threads: 1);
        var result = await TestLoad.MeasureAsync(load, new LoadWindow { Calls = 2 });
        Assert.Equal((2, null), (result.Ok, result.ServerLost));
    }

    [Fact]
    public async Task A_server_that_disappears_ends_the_window_within_seconds()
    {
        var server = new FakeServer();
        await using var generator = await TestLoad.OpenAsync(TestLoad.Options(server.Address));
        var running = TestLoad.RunAsync(generator, TestLoad.For(60));
        await TestLoad.UntilAsync(() => server.Calls > 20);
        await server.DisposeAsync();
        var result = await running;
        Assert.Equal($"the server at {server.Address} is gone: within 2 s no lost connection could be reopened", result.ServerLost);
        Assert.InRange(result.WindowNs, 2_000_000_000, 30_000_000_000);
        Assert.True(result.Ok > 0);
    }

    [Fact]
    public async Task A_server_without_SETTINGS_is_reported_at_the_deadline()
    {
        await using var server = new FakeServer { Greeting = [] };
        var refused = await Assert.ThrowsAsync<IOException>(
            () => TestLoad.OpenAsync(TestLoad.Options(server.Address, connectDeadline: 0.3)));
        Assert.Equal(
            $"only 0 of 4 connections to {server.Address} could be opened within 0.3 s: the server does not answer", refused.Message);
    }

    [Fact]
    public async Task An_endless_TLS_handshake_is_reported_at_the_deadline()
    {
        await using var server = new FakeServer("tcp") { Greeting = [] };
        var address = new Address.Tls("127.0.0.1", ((Address.Tcp)server.Address).Port);
        var refused = await Assert.ThrowsAsync<IOException>(() => TestLoad.OpenAsync(TestLoad.Options(address, connectDeadline: 0.3)));
        Assert.Equal(
            $"only 0 of 4 connections to {address} could be opened within 0.3 s: the server does not answer", refused.Message);
    }

    [Theory]
    [InlineData("tcp", 0)]
    [InlineData("tcp", 3)]
    [InlineData("unix", 3)]
    [InlineData("pipe", 3)]
    [InlineData("tls", 0)]
    public async Task Connections_above_the_servers_limit_are_reported_with_the_number_opened(string kind, int limit)
    {
        await using var server = new FakeServer(kind == "tls" ? "tcp" : kind) { Refuses = number => number > limit };
        var address = kind == "tls" ? new Address.Tls("127.0.0.1", ((Address.Tcp)server.Address).Port) : server.Address;
        var refused = await Assert.ThrowsAsync<IOException>(() => TestLoad.OpenAsync(TestLoad.Options(address, connections: 20)));
        const string ends = "(the server closed the connection|Connection reset by peer|Broken pipe|"
            + "Received an unexpected EOF or 0 bytes from the transport stream)";
        Assert.Matches(@$"^(only [1-3] of 20 connections to {address} could be opened within 10 s: {ends}"
            + @": the server may have reached its limit of connections or open files \(ulimit -n where the server was started\)"
            + @$"|cannot connect to {address}: {ends})$", refused.Message);
        Assert.True(limit > 0 || refused.Message.StartsWith("cannot connect", StringComparison.Ordinal), refused.Message);
    }

    [Fact]
    public async Task A_missing_server_is_reported_at_once()
    {
        var refused = await Assert.ThrowsAsync<IOException>(
            () => TestLoad.OpenAsync(TestLoad.Options(new Address.Unix("/nowhere/at-all.sock"))));
        Assert.Equal("cannot connect to unix:/nowhere/at-all.sock: there is no such file", refused.Message);
    }

    [Fact]
    public async Task A_server_that_speaks_another_protocol_is_detected()
    {
        await using var server = new FakeServer { Greeting = "HTTP/1.1 400 Bad Request\r\n\r\n"u8.ToArray() };
        var refused = await Assert.ThrowsAsync<IOException>(() => TestLoad.OpenAsync(TestLoad.Options(server.Address)));
        Assert.Equal(
            $"cannot connect to {server.Address}: the server broke a rule of HTTP/2 "
                + "(a frame larger than SETTINGS_MAX_FRAME_SIZE)",
            refused.Message);
    }

    [Fact]
    public async Task No_call_is_lost_after_GOAWAY()
    {
        await using var server = new FakeServer
        {
            Answer = (stream, number) =>
                number % 50 == 0 ? [.. Frames.GoAway(stream), .. Frames.Reply(stream, 10)] : Frames.Reply(stream, 10),
        };
        var result = await TestLoad.MeasureAsync(TestLoad.Options(server.Address), new LoadWindow { Calls = 1000 });
        Assert.Equal(1000, result.Ok);
        Assert.InRange(result.Connections.Reopened, 15, 20);
    }

    [Fact]
    public async Task Hundreds_of_connections_are_all_opened_and_used()
    {
        var begun = new TaskCompletionSource();
        await using var server = new FakeServer { Release = begun.Task };
        var measuring = TestLoad.MeasureAsync(
            TestLoad.Options(server.Address, connections: 300, threads: 3, timeout: 30), new LoadWindow { Calls = 3000 });
        // No connection gets an answer before all have sent a call, so none can make the calls of another.
        await TestLoad.UntilAsync(() => server.Asked == 300);
        begun.SetResult();
        var result = await measuring;
        Assert.Equal(300, server.Accepted);
        Assert.Equal((300, 3000), (result.Connections.Active, result.Ok));
        Assert.Equal(3, result.ThreadCalls.Count);
    }

    [Fact]
    public void Fairness_is_Jains_index()
    {
        Assert.Equal(1, ConnectionCounts.Fairness([5, 5, 5]));
        Assert.Equal(1, ConnectionCounts.Fairness([0, 0]));
        Assert.Equal(0.25, ConnectionCounts.Fairness([8, 0, 0, 0]));
        Assert.Equal(36.0 / 42, ConnectionCounts.Fairness([1, 2, 3]), 12);
    }
}
