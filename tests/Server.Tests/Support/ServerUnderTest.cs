using IpcBench.Server.Endpoints;
using IpcBench.Server.Options;
using IpcBench.Transports;

namespace IpcBench.Server.Tests.Support;

/// <summary>A server inside the test's process.</summary>
internal sealed class ServerUnderTest : IAsyncDisposable
{
    private readonly BenchServer server;

    private ServerUnderTest(BenchServer server, string warnings)
    {
        this.server = server;
        Warnings = warnings;
    }

    public string Warnings { get; }

    public IReadOnlyList<ServerEndpoint> Endpoints => this.server.Endpoints;

    public Address Address => this.server.Endpoints[0].Address;

    public static Task<ServerUnderTest> StartAsync(params Address[] listen) => StartAsync(new ServerOptions { Listen = listen });

    public static async Task<ServerUnderTest> StartAsync(ServerOptions options)
    {
        var warnings = new StringWriter();
        return new ServerUnderTest(await BenchServer.StartAsync(options, warnings).WaitAsync(Limits.Wait), warnings.ToString());
    }

    public async ValueTask DisposeAsync() => await this.server.DisposeAsync().AsTask().WaitAsync(Limits.Wait);
}
