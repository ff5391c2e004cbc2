using System.Net.Sockets;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Http1;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http1.Support;

namespace IpcBench.Client.Tests.Http1;

/// <summary>Checks the result of a call whose reply is wrong, incomplete, too long or missing.</summary>
public class HttpFailureTests
{
    [Theory]
    [InlineData("HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\nno", "http 500")]
    [InlineData("HTTP/1.1 404 Oh\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n", "http 404")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n012345678", "wrong length")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n0123456789a", "wrong length")]
    [InlineData("HTTP/1.1 204 No Content\r\n\r\n", "wrong length")]
    [InlineData("\0\u0001\u0002 garbage \r\n\r\n\r\n", "protocol")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 10\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "protocol")]
    public async Task Each_wrong_reply_is_a_failure_of_its_kind(string reply, string kind)
    {
        await using var server = new FakeHttpServer();
        server.Answer = (socket, _, number) => FakeHttpServer.SayAsync(socket, number % 2 == 0 ? reply : FakeHttpServer.Reply(10));
        var result = await TestLoad.MeasureAsync(HttpCallTests.Options(server.Address), new LoadWindow { Calls = 40 });
        Assert.Equal((kind, 20L), (result.Failed.Single().Key, result.Failed.Single().Value));
        Assert.Equal(20, result.Ok);
    }

    [Theory]
    [InlineData("")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Le")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234")]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n")]
    public async Task A_connection_that_ends_within_a_reply_is_lost_and_opened_again(string reply)
    {
        await using var server = new FakeHttpServer();
        server.Answer = async (socket, _, number) =>
        {
            await FakeHttpServer.SayAsync(socket, number % 5 == 0 ? reply : FakeHttpServer.Reply(10));
            return number % 5 != 0;
        };
        var result = await TestLoad.MeasureAsync(HttpCallTests.Options(server.Address), new LoadWindow { Calls = 40 });
        Assert.Equal(("connection lost", 8L), (result.Failed.Single().Key, result.Failed.Single().Value));
        Assert.Equal(32, result.Ok);
    }

    [Fact]
    public async Task A_reset_connection_counts_as_lost_and_is_opened_again()
    {
        await using var server = new FakeHttpServer("tcp");
        server.Answer = async (socket, _, number) =>
        {
            if (number % 5 != 0)
                return await FakeHttpServer.SayAsync(socket, FakeHttpServer.Reply(10));
            socket.LingerState = new LingerOption(true, 0);
            return false;
        };
        var result = await TestLoad.MeasureAsync(HttpCallTests.Options(server.Address), new LoadWindow { Calls = 40 });
        Assert.Equal(("connection lost", 8L), (result.Failed.Single().Key, result.Failed.Single().Value));
    }

    [Theory]
    [InlineData("HTTP/1.1 200 OK\r\n", "X-Endless: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nX: ", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")]
    public async Task An_endless_head_is_a_protocol_failure(string begin, string endless)
    {
        await using var server = new FakeHttpServer();
        server.Answer = async (socket, _, _) =>
        {
            await FakeHttpServer.SayAsync(socket, begin);
            while (true)
                await FakeHttpServer.SayAsync(socket, endless);
        };
        var result = await TestLoad.MeasureAsync(HttpCallTests.Options(server.Address), new LoadWindow { Calls = 8 });
        Assert.Equal(("protocol", 8L), (result.Failed.Single().Key, result.Failed.Single().Value));
    }

    [Fact]
    public Task A_call_without_a_reply_is_cut_off_at_the_timeout() => TestLoad.InTheEndAsync(async () =>
    {
        await using var server = new FakeHttpServer();
        server.Answer = async (socket, _, number) => number % 10 == 0 || await FakeHttpServer.SayAsync(socket, FakeHttpServer.Reply(10));
        var result = await TestLoad.MeasureAsync(
            HttpCallTests.Options(server.Address) with { Timeout = TimeSpan.FromMilliseconds(200) }, new LoadWindow { Calls = 40 });
        Assert.Equal((4, 36), (result.CutOff, result.Ok));
    });

    [Fact]
    public async Task Surplus_bytes_never_become_the_next_reply()
    {
        await using var server = new FakeHttpServer();
        server.Answer = (socket, _, number) =>
            FakeHttpServer.SayAsync(socket, FakeHttpServer.Reply(10) + (number == 7 ? FakeHttpServer.Reply(10) : ""));
        var result = await TestLoad.MeasureAsync(HttpCallTests.Options(server.Address, connections: 1), new LoadWindow { Calls = 40 });
        Assert.Equal((40, 39, 1L), (result.Started, result.Ok, result.Failed["protocol"]));
        Assert.Equal(1, result.Connections.Reopened);
        Assert.Equal(40, server.Calls);
    }

    [Theory]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789 and more")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\n0123456789 and more")]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n0\r\n\r\n and more")]
    public async Task Bytes_beyond_a_reply_fail_the_call(string reply)
    {
        await using var server = new FakeHttpServer();
        server.Answer = (socket, _, _) => FakeHttpServer.SayAsync(socket, reply);
        foreach (var perCall in new[] { false, true })
        {
            var result = await TestLoad.MeasureAsync(
                HttpCallTests.Options(server.Address) with { ConnectPerCall = perCall }, new LoadWindow { Calls = 20 });
            Assert.Equal((20, 20L), (result.Started, result.Failed["protocol"]));
        }
    }

    [Fact]
    public async Task Bytes_on_an_idle_connection_fail_its_next_call()
    {
        var surplus = new TaskCompletionSource();
        await using var server = new FakeHttpServer();
        server.Answer = async (socket, _, number) =>
        {
            await FakeHttpServer.SayAsync(socket, FakeHttpServer.Reply(10));
            if (number == 1)
            {
                await surplus.Task;
                await FakeHttpServer.SayAsync(socket, FakeHttpServer.Reply(10));
            }
            return true;
        };
        await using var generator = await TestLoad.OpenAsync(HttpCallTests.Options(server.Address, connections: 1));
        Assert.Equal(1, (await TestLoad.RunAsync(generator, new LoadWindow { Calls = 1 })).Ok);
        surplus.SetResult();
        await TestLoad.UntilAsync(() => server.Accepted == 2);
        var result = await TestLoad.RunAsync(generator, new LoadWindow { Calls = 5 });
        Assert.Equal((4, 1L), (result.Ok, result.Failed["protocol"]));
    }

    [Fact]
    public async Task A_body_without_a_length_that_ends_in_a_reset_is_incomplete()
    {
        await using var server = new FakeHttpServer("tcp");
        server.Answer = async (socket, _, number) =>
        {
            await FakeHttpServer.SayAsync(socket, "HTTP/1.0 200 OK\r\n\r\n0123456789");
            await Task.Delay(50); // by now the client has read the bytes, which a reset would discard
            socket.LingerState = new LingerOption(number % 2 == 0, 0);
            return false;
        };
        var result = await TestLoad.MeasureAsync(HttpCallTests.Options(server.Address, connections: 2), new LoadWindow { Calls = 20 });
        Assert.Equal((10, 10L), (result.Ok, result.Failed["connection lost"]));
    }

    [Theory]
    [InlineData(302, "2xx", "http 302")]
    [InlineData(304, "2xx", "http 304")]
    [InlineData(302, "2xx,302", null)]
    [InlineData(404, "404", null)]
    [InlineData(200, "404", "http 200")]
    public async Task An_unexpected_status_is_a_failure_with_its_own_name(int status, string expected, string? failure)
    {
        await using var server = new FakeHttpServer();
        server.Answer = (socket, _, _) => FakeHttpServer.SayAsync(
            socket, $"HTTP/1.1 {status} Status\r\nContent-Length: {(status == 304 ? 0 : 10)}\r\n\r\n{(status == 304 ? "" : "0123456789")}");
        var options = HttpCallTests.Options(server.Address);
        options = options with { Request = options.Request! with { ExpectStatus = ExpectedStatus.Parse(expected) } };
        var result = await TestLoad.MeasureAsync(options, new LoadWindow { Calls = 20 });
        Assert.Equal(failure is null ? [] : [failure], result.Failed.Keys);
    }
}
