using System.Net;
using IpcBench.Server.Behaviors;
using IpcBench.Server.Bytes;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Hosting;
using IpcBench.Server.Options;
using IpcBench.Server.Services;
using IpcBench.Server.Tests.Support;
using IpcBench.Transports;
using Microsoft.Extensions.DependencyInjection;

namespace IpcBench.Server.Tests;

public class BytesTests
{
    [Theory]
    [InlineData("GET", 0)]
    [InlineData("GET", 10)]
    [InlineData("POST", 70_000)]
    [InlineData("GET", 1_000_000)]
    public async Task A_bytes_request_returns_the_requested_number_of_bytes(string method, int size)
    {
        await using var server = await ServerUnderTest.StartAsync(Addresses.Unix());
        using var client = Client(server.Address);
        using var response = await SendAsync(client, method, $"/bytes/{size}");
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        Assert.Equal(size, (await response.Content.ReadAsByteArrayAsync()).Length);
        Assert.Empty(response.TrailingHeaders);
        Assert.Equal(1, server.Endpoints[0].Counters.Calls);
    }

    [Theory]
    [InlineData("GET", "/bytes/", HttpStatusCode.BadRequest)]
    [InlineData("GET", "/bytes/ten", HttpStatusCode.BadRequest)]
    [InlineData("GET", "/bytes/-1", HttpStatusCode.BadRequest)]
    [InlineData("GET", "/bytes/1001", HttpStatusCode.BadRequest)]
    [InlineData("GET", "/bytes/99999999999999999999", HttpStatusCode.BadRequest)]
    [InlineData("DELETE", "/bytes/10", HttpStatusCode.MethodNotAllowed)]
    public async Task A_rejected_bytes_request_is_not_counted(string method, string path, HttpStatusCode status)
    {
        await using var server = await ServerUnderTest.StartAsync(new ServerOptions { Listen = [Addresses.Unix()], MaxSize = 1_000 });
        using var client = Client(server.Address);
        using var response = await SendAsync(client, method, path);
        Assert.Equal(status, response.StatusCode);
        Assert.Equal(0, server.Endpoints[0].Counters.Calls);
    }

    [Fact]
    public async Task A_server_with_routing_answers_valid_requests_for_bytes_and_rejects_invalid_requests()
    {
        var options = new ServerOptions { Listen = [Addresses.Unix()] };
        using var endpoint = EndpointBinder.Bind(new EndpointRole(IsEcho: false, EndpointBehavior.None), options.Listen[0], options);
        var gate = new AcceptGate(() => 100, TextWriter.Null);
        var builder = KestrelHost.CreateBuilder(options, [endpoint], maxConnections: 100, gate);
        builder.Services.AddRouting();
        await using var host = builder.Build();
        BytesRoute.Map(host, new BenchServices(options, [endpoint], () => new()));
        await host.StartAsync().WaitAsync(Limits.Wait);
        using var client = Client(endpoint.Address);
        using var response = await SendAsync(client, "GET", "/bytes/10");
        Assert.Equal(10, (await response.Content.ReadAsByteArrayAsync()).Length);
        using var refused = await SendAsync(client, "GET", "/bytes/ten");
        Assert.Equal(HttpStatusCode.BadRequest, refused.StatusCode);
        using var without = await SendAsync(client, "GET", "/bytes");
        Assert.Equal(HttpStatusCode.BadRequest, without.StatusCode);
        await host.StopAsync().WaitAsync(Limits.Wait);
    }

    private static async Task<HttpResponseMessage> SendAsync(HttpClient client, string method, string path)
    {
        using var request = new HttpRequestMessage(new HttpMethod(method), path)
        {
            Version = HttpVersion.Version20,
            VersionPolicy = HttpVersionPolicy.RequestVersionExact,
        };
        return await client.SendAsync(request);
    }

    private static HttpClient Client(Address address) => new(new SocketsHttpHandler
    {
        ConnectCallback = async (_, cancellation) => await Connector.For(address, new ConnectorOptions()).ConnectAsync(cancellation),
    })
    {
        BaseAddress = new Uri("http://localhost"),
        Timeout = Limits.Wait,
    };
}
