using IpcBench.Analysis.Results;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks the commands below gRPC: <c>echo</c> and <c>layers</c>.</summary>
public sealed class EchoTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("grpcbench-").FullName;

    private string File => Path.Combine(folder, "run.json");

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task The_command_echo_counts_its_packets_on_every_transport()
    {
        var run = await RunAsync(0, "echo", "-n", "500", "-s", "1,1000", "-r", "2", "-o", File);
        Assert.Equal(("echo", 500L, 0L), (run.Scenario, run.Options.Calls, run.Options.DurationNs));
        Assert.Equal(["pipe echo", "tcp echo", "unix echo"], run.Cells.Select(cell => cell.Key.Arm).Distinct().Order());
        Assert.Equal(12, run.Rounds.Count);
        Assert.All(run.Rounds, round =>
        {
            Assert.Equal((500, 500), (round.Started, round.Ok));
            Assert.Equal(1L, round.Connections.ServerOpen);
            Assert.True(round.Server!.CpuUserNs + round.Server.CpuKernelNs > 0);
            // An echo server counts bytes, so the client's calls divide its counters.
            Assert.True(!OperatingSystem.IsLinux() || round.Server.CountedCalls >= round.Server.Calls);
        });
    }

    [Fact]
    public async Task A_given_echo_server_receives_only_packets()
    {
        await using var server = Tool.StartServer("--echo", "http://127.0.0.1:0");
        await server.SeesAsync("GrpcBench server ready");
        var url = server.Output.Split(' ').First(word => word.StartsWith("tcp://", StringComparison.Ordinal));
        var run = await RunAsync(0, "echo", "-U", url, "-n", "200", "-s", "64", "-r", "1", "-c", "4", "-m", "3", "-o", File);
        Assert.Equal(200, Assert.Single(run.Rounds).Ok);
        // The server receives no other request: its CPU time is read from outside, and its calls are not counted.
        Assert.Equal(0, run.Rounds[0].Server?.CountedCalls ?? 0);
        Assert.True(OperatingSystem.IsWindows() || run.Rounds[0].Server!.CpuUserNs + run.Rounds[0].Server!.CpuKernelNs > 0);
        Assert.Equal(url, Assert.Single(run.Cells).Address);
    }

    [Fact]
    public async Task A_given_program_is_an_echo_server_on_its_standard_input_and_output()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the children are programs of Unix");
        var run = await RunAsync(
            0, "echo", "-U", "stdio:sh -c 'exec cat'", "-n", "200", "-s", "64,70000", "-r", "1", "-c", "2", "-m", "3", "-o", File);
        Assert.Equal(["stdio", "stdio"], run.Cells.Select(cell => cell.Key.Transport));
        Assert.All(run.Rounds, round =>
        {
            Assert.Equal(200, round.Ok);
            Assert.True(round.Server!.CpuUserNs + round.Server.CpuKernelNs > 0);
        });
        var (code, _, error) = await Tool.RunAsync("echo", "-U", "stdio:sh -c 'echo gone >&2; exit 3'", "--no-save");
        Assert.Equal(2, code);
        Assert.Contains("stdio ended with exit code 3 before its first request: gone", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_command_layers_measures_every_layer_on_each_transport()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no event loop on this system");
        var run = await RunAsync(
            0, "layers", "-d", "100ms", "-s", "10", "-r", "1", "--transports", "unix,stdio,shm", "--wait", "futex",
            "-o", File);
        string[] layers = ["", " echo", " echo sockets=bare", " echo sockets=loop", " http2"];
        Assert.Equal(
            [
                .. layers.Where(layer => !layer.EndsWith("bare", StringComparison.Ordinal)).Select(layer => "shm futex" + layer),
                .. layers.Select(layer => "stdio" + layer), .. layers.Select(layer => "unix" + layer),
            ],
            run.Cells.Select(cell => cell.Key.Arm).Order(StringComparer.Ordinal));
        Assert.Equal(3, run.Servers.Count); // one for each kind of sockets
        Assert.Equal("unix", run.Options.Reference);
        Assert.All(run.Rounds, round =>
        {
            Assert.Empty(round.Failed);
            Assert.True(round.Credited > 0); // on a busy machine one echo may last longer than its window
            Assert.Equal(
                run.Cells[round.Cell].Key.Protocol == "echo" ? null : round.Connections.ClientCalls, round.Connections.ServerCalls);
        });
    }

    [Fact]
    public async Task Child_processes_return_packets_over_standard_input_and_over_a_socketpair()
    {
        string[] kinds = OperatingSystem.IsWindows() ? ["stdio"] : ["socketpair", "stdio"];
        var run = await RunAsync(0, "echo", "-n", "200", "-s", "70000", "-c", OperatingSystem.IsWindows() ? "1" : "2", "-r", "1",
            "--transports", string.Join(',', kinds), "--sockets", OperatingSystem.IsWindows() ? "dotnet" : "loop,dotnet", "-o", File);
        Assert.Equal(kinds, run.Cells.Select(cell => cell.Key.Transport).Distinct().Order(StringComparer.Ordinal));
        Assert.All(run.Rounds, round =>
        {
            Assert.Equal((200, 200), (round.Started, round.Ok));
            Assert.True(round.Server!.CpuUserNs + round.Server.CpuKernelNs > 0);
        });
    }

    [Fact]
    public async Task Every_way_of_waiting_in_shared_memory_is_measured_with_the_CPU_of_both_sides()
    {
        string[] waits = OperatingSystem.IsWindows() ? ["event", "spin", "spin=20us"] : ["eventfd", "futex", "spin", "spin=20us"];
        // A packet of 700,000 bytes is larger than both rings. Two runs at once do not disturb each other.
        async Task MeasureAsync(string file, string size, params string[] waits)
        {
            var (code, output, error) = await Tool.RunAsync("echo", "-n", "20", "-s", size, "-c", "2", "-m", "2", "-r", "1",
                "--warmup", "1ms",
                "--transports", "shm", "--wait", string.Join(',', waits), "-o", file);
            Assert.True(code == 0, output + error);
            var run = ResultsFile.Load(file);
            Assert.Equal(waits.Select(wait => $"shm {wait} echo"), run.Cells.Select(cell => cell.Key.Arm).Order(StringComparer.Ordinal));
            Assert.All(run.Rounds, round =>
            {
                Assert.Equal((20, 20), (round.Started, round.Ok));
                Assert.True(round.Server!.CpuUserNs + round.Server.CpuKernelNs > 0);
            });
            Assert.All(waits, wait => Assert.Contains($"shm, {wait} ", output, StringComparison.Ordinal));
        }
        await Task.WhenAll(MeasureAsync(File, "700000", waits), MeasureAsync(File + ".second.json", "1", waits[0]));
    }

    private async Task<RunRecord> RunAsync(int expected, params string[] arguments)
    {
        var (code, output, error) = await Tool.RunAsync([.. arguments, "--warmup", "1ms"]);
        Assert.True(code == expected, output + error);
        return ResultsFile.Load(File);
    }
}
