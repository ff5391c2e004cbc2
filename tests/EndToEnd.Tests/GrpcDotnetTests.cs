using IpcBench.Analysis.Results;

namespace IpcBench.EndToEnd.Tests;

/// <summary>The client that an application would have, on every transport; where the build has it.</summary>
public sealed class GrpcDotnetTests : IDisposable
{
    private const string Absent = "this build has no grpc-dotnet client";
    private static readonly string[] Tiny = ["-r", "1", "-d", "200ms", "--warmup", "100ms", "-s", "10,100k", "-c", "8", "-m", "2",
        "--no-calibration"];

    private readonly string folder = Directory.CreateTempSubdirectory("grpcbench-").FullName;

    private string File => Path.Combine(folder, "run.json");

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task Both_clients_are_arms_of_one_run_on_every_transport()
    {
        await RunAsync(0, [.. Tiny, "--client", "wire,grpc-dotnet", "--transports", "tcp,tls,unix,pipe", "-o", File]);

        var run = ResultsFile.Load(File);
        Assert.Equal(16, run.Cells.Count);
        Assert.StartsWith("Grpc.Net.Client ", run.Options.Knobs["grpc-dotnet client"], StringComparison.Ordinal);
        Assert.All(run.Rounds, round =>
        {
            Assert.Empty(round.Failed);
            Assert.True(round.Ok > 0);
            Assert.Equal((8, 8, 8L), (round.Connections.Requested, round.Connections.Opened, round.Connections.ServerOpen));
            Assert.Equal(round.Connections.ClientCalls, round.Connections.ServerCalls);
            Assert.InRange(round.Connections.ClientCalls!.Value, round.Ok, long.MaxValue); // the warm-up and the tail too
        });
    }

    [Fact]
    public async Task Its_uploads_and_messages_are_arms_too()
    {
        await RunAsync(0, [.. Tiny, "--client", "wire,grpc-dotnet", "--transports", "tcp,unix", "--mode", "upload,ping-pong", "-o", File]);
        var run = ResultsFile.Load(File);
        Assert.Equal(16, run.Cells.Count);
        Assert.All(run.Rounds, round => Assert.True(round is { Failed.Count: 0, CutOff: 0, Completed: > 0 }));
        Assert.All(run.Rounds, round => Assert.Equal(round.Connections.ClientCalls, round.Connections.ServerCalls));
        await RunAsync(
            0, [.. Tiny, "--client", "grpc-dotnet", "--transports", "unix", "--mode", "ping-pong", "--messages", "3", "-o", File]);
        Assert.All(ResultsFile.Load(File).Rounds, round => Assert.True(round is { Failed.Count: 0, CutOff: 0, Completed: > 0 }));
    }

    [Theory]
    [InlineData("short", "wrong length")]
    [InlineData("status", "status 13")]
    public async Task Wrong_answers_are_failures(string fault, string kind)
    {
        await using var server = Tool.StartServer("--listen", "http://127.0.0.1:0", "--fault", fault);
        await server.SeesAsync("GrpcBench server ready");

        await RunAsync(2, [.. Tiny, "--client", "grpc-dotnet", "-U", AddressOf(server), "-o", File]);

        Assert.All(ResultsFile.Load(File).Rounds, round => Assert.True(round.Ok == 0 && round.Failed[kind] > 0));
    }

    [Fact]
    public async Task A_server_that_dies_ends_the_run_within_seconds()
    {
        await using var server = Tool.StartServer("--listen", "http://127.0.0.1:0");
        await server.SeesAsync("GrpcBench server ready");
        await using var client = Tool.Start("-r", "1", "-d", "60s", "--warmup", "50ms", "-s", "10", "-c", "8", "--no-calibration",
            "--client", "grpc-dotnet", "-U", AddressOf(server), "-o", File);
        var begins = client.SeesAsync("Round 1/1");
        await Task.WhenAny(begins, client.ExitCodeAsync());
        SkipWhenAbsent(client.Error);
        await begins;
        await Task.Delay(500);

        server.Process.Kill();

        Assert.InRange(await client.ExitCodeAsync(), 2, 3);
    }

    private static string AddressOf(Tool server) =>
        server.Output.Split('\n').Single(line => line.Contains("http://", StringComparison.Ordinal)).Split(' ')[2];

    private static async Task RunAsync(int expected, string[] arguments)
    {
        var (code, output, error) = await Tool.RunAsync(arguments);
        if (code == 1)
            SkipWhenAbsent(error);
        Assert.True(code == expected, output + error);
    }

    private static void SkipWhenAbsent(string error) =>
        Assert.SkipWhen(error.Contains(Absent, StringComparison.Ordinal), "Grpc.Net.Client did not restore when this was built");
}
