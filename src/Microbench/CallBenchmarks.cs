using BenchmarkDotNet.Attributes;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols;
using IpcBench.Server;
using IpcBench.Server.Options;
using IpcBench.Transports;

namespace IpcBench.Microbench;

/// <summary>
/// One unary call after the other on one connection, the server in this process: both sides' time and allocations together.
/// </summary>
public class CallBenchmarks
{
    private const int Calls = 1000;
    private BenchServer? server;
    private LoadGenerator? generator;

    [Params("tcp", "tls", "unix", "pipe")]
    public string Transport { get; set; } = "";

    [ParamsSource(nameof(Clients))]
    public string Client { get; set; } = "";

    /// <summary>Those that this build has.</summary>
    public static IEnumerable<string> Clients =>
        new[] { ProtocolTable.Wire, ProtocolTable.GrpcDotnet }.Where(client => ProtocolTable.Refusal(client) is null);

    // Waited for here: the toolchain that runs in this process does not wait for an asynchronous setup.
    [GlobalSetup]
    public void Setup() => StartAsync().GetAwaiter().GetResult();

    [GlobalCleanup]
    public void Cleanup() => StopAsync().GetAwaiter().GetResult();

    [Benchmark(OperationsPerInvoke = Calls)]
    public async Task<long> Unary() => (await generator!.RunAsync(new LoadWindow { Calls = Calls }, CancellationToken.None)).Ok;

    private async Task StartAsync()
    {
        server = await BenchServer.StartAsync(new ServerOptions { Listen = [Listen()] }, TextWriter.Null);
        var options = new LoadOptions { Address = server.Endpoints[0].Address, Size = 10, Connections = 1, Threads = 1, Client = Client };
        generator = await ProtocolTable.OpenAsync(options, CancellationToken.None);
    }

    private async Task StopAsync()
    {
        await generator!.DisposeAsync();
        await server!.DisposeAsync();
    }

    private Address Listen() => Transport switch
    {
        "tcp" => new Address.Tcp("127.0.0.1", 0),
        "tls" => new Address.Tls("localhost", 0),
        "unix" => new Address.Unix(Path.Combine(Path.GetTempPath(), $"ipcbench-{Guid.NewGuid():N}.sock")),
        _ => new Address.Pipe($"ipcbench-{Guid.NewGuid():N}"),
    };
}
