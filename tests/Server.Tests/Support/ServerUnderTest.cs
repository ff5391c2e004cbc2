using IpcBench.Server.Endpoints;
using IpcBench.Server.Options;
using IpcBench.Transports;

namespace IpcBench.Server.Tests.Support;

/// <summary>A server inside the test's process.</summary>
internal sealed class ServerUnderTest : IAsyncDisposable
{
    private readonly BenchServer server;

    private readonly TextWriter warnings;
    private readonly StringWriter said;

    private ServerUnderTest(BenchServer server, TextWriter warnings, StringWriter said) =>
        (this.server, this.warnings, this.said) = (server, warnings, said);

    /// <summary>The warnings that the server has written so far.</summary>
    public string Warnings
    {
        get
        {
            lock (this.warnings)
                return this.said.ToString();
        }
    }

    public IReadOnlyList<ServerEndpoint> Endpoints => this.server.Endpoints;

    public Address Address => this.server.Endpoints[0].Address;

    public static Task<ServerUnderTest> StartAsync(params Address[] listen) => StartAsync(new ServerOptions { Listen = listen });

    public static async Task<ServerUnderTest> StartAsync(ServerOptions options)
    {
        var said = new StringWriter();
        var warnings = TextWriter.Synchronized(said); // locks itself
        return new ServerUnderTest(await BenchServer.StartAsync(options, warnings).WaitAsync(Limits.Wait), warnings, said);
    }

    public async ValueTask DisposeAsync() => await this.server.DisposeAsync().AsTask().WaitAsync(Limits.Wait);
}
