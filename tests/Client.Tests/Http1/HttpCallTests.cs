using IpcBench.Client.Engine;
using IpcBench.Client.Protocols;
using IpcBench.Client.Protocols.Http1;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http1.Support;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Http1;

public class HttpCallTests
{
    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    public async Task All_HTTP_calls_are_sent_on_connections_that_stay_open(string kind)
    {
        await using var server = new FakeHttpServer(kind);
        var result = await TestLoad.MeasureAsync(Options(server.Address), new LoadWindow { Calls = 500 });
        Assert.Equal((500, 500, 0), (result.Started, result.Ok, result.Failed.Count));
        Assert.Equal((4, 0, 4), (server.Accepted, result.Connections.Reopened, result.Connections.Opened));
    }

    [Fact]
    public async Task The_server_receives_the_given_request()
    {
        var heads = new List<string>();
        await using var server = new FakeHttpServer();
        server.Answer = (socket, head, _) =>
        {
            lock (heads)
                heads.Add(head);
            return FakeHttpServer.SayAsync(socket, FakeHttpServer.Reply(10));
        };
        var options = Options(server.Address, connections: 1);
        var request = options.Request! with { Path = "/a?b=c", Host = "example.org", Headers = ["X-One: 1", "X-Two: 2"] };
        await TestLoad.MeasureAsync(options with { Request = request }, new LoadWindow { Calls = 2 });
        Assert.All(heads, head => Assert.Equal("GET /a?b=c HTTP/1.1\r\nHost: example.org\r\nX-One: 1\r\nX-Two: 2", head));
        Assert.Equal("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi",
            System.Text.Encoding.ASCII.GetString(
            new HttpRequest { Url = "", Method = "POST", Body = "hi"u8.ToArray() }.ToBytes(close: true)));
    }

    [Fact]
    public async Task Connections_are_reopened_if_the_server_closes_after_each_reply()
    {
        await using var server = new FakeHttpServer();
        server.Answer = async (socket, _, _) => !await FakeHttpServer.SayAsync(socket, FakeHttpServer.Reply(10, "Connection: close\r\n"));
        var result = await TestLoad.MeasureAsync(Options(server.Address), new LoadWindow { Calls = 100 });
        Assert.Equal((100, 100), (result.Started, result.Ok));
        Assert.InRange(result.Connections.Reopened, 96, 104);
    }

    [Fact]
    public async Task A_body_without_a_length_ends_with_its_connection()
    {
        await using var server = new FakeHttpServer();
        server.Answer = async (socket, _, _) => !await FakeHttpServer.SayAsync(socket, "HTTP/1.0 200 OK\r\n\r\n0123456789");
        var result = await TestLoad.MeasureAsync(Options(server.Address, connections: 2), new LoadWindow { Calls = 20 });
        Assert.Equal((20, 20), (result.Started, result.Ok));
    }

    [Fact]
    public async Task Replies_that_arrive_byte_by_byte_are_read_without_errors()
    {
        await using var server = new FakeHttpServer();
        server.Answer = async (socket, _, _) =>
        {
            foreach (var letter in FakeHttpServer.Reply(10))
            {
                await FakeHttpServer.SayAsync(socket, letter.ToString());
                await Task.Yield();
            }
            return true;
        };
        var result = await TestLoad.MeasureAsync(Options(server.Address), new LoadWindow { Calls = 40 });
        Assert.Equal((40, 40), (result.Started, result.Ok));
    }

    [Fact]
    public async Task Replies_of_different_lengths_count_as_correct_if_the_option_allows_varying_lengths()
    {
        await using var server = new FakeHttpServer();
        server.Answer = (socket, _, number) => FakeHttpServer.SayAsync(socket, FakeHttpServer.Reply(number));
        var options = Options(server.Address);
        var result = await TestLoad.MeasureAsync(
            options with { Request = options.Request! with { VaryingLength = true } }, new LoadWindow { Calls = 40 });
        Assert.Equal(40, result.Ok);
    }

    internal static LoadOptions Options(Address address, int connections = 4, int size = 10) => TestLoad.Options(address, connections) with
    {
        Protocol = "http1",
        Size = size,
        Request = new HttpRequest { Url = address.ToString(), Size = size },
    };
}
