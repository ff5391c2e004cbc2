using IpcBench.Analysis.Results;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks <c>--protocol</c>.</summary>
public sealed class JsonRpcTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("grpcbench-").FullName;

    private string File => Path.Combine(folder, "run.json");

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task JSON_RPC_is_measured_beside_gRPC_on_listening_transports_and_children()
    {
        string[] kinds = ["pipe", "stdio", "tcp", "unix"];
        var (code, output, error) = await Tool.RunAsync("--protocol", "grpc,jsonrpc,jsonrpc-lsp", "--transports", string.Join(',', kinds),
            "-s", "100000", "-r", "1", "-n", "20", "--warmup", "1ms", "-o", File);
        Assert.True(code == 0, output + error);
        var run = ResultsFile.Load(File);
        Assert.Equal(
            kinds.SelectMany(kind => new[] { "grpc", "jsonrpc", "jsonrpc-lsp" }.Select(protocol => (kind, protocol))),
            run.Cells.Select(cell => (cell.Key.Transport, cell.Key.Protocol)).Order());
        Assert.All(run.Rounds, round =>
        {
            Assert.Equal((20, 20, 1), (round.Started, round.Ok, run.Cells[round.Cell].Key.Connections));
            Assert.Equal(100_000 * 20, round.PayloadBytes);
            Assert.True(round.Server!.CpuUserNs + round.Server.CpuKernelNs > 0);
        });
    }
}
