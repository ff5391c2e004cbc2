using System.Diagnostics;
using IpcBench.Analysis.Results;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks the client that an application would use, on every transport.</summary>
public sealed class GrpcDotnetTests : IDisposable
{
    // A number of calls instead of a time, because on a busy machine one call may take a large part of a second.
    private static readonly string[] Tiny = ["-r", "1", "-n", "60", "--warmup", "1ms", "-s", "100k", "-c", "8", "-m", "2"];

    private static readonly string[] Streams =
        ["-r", "1", "-n", "60", "--warmup", "1ms", "-s", "100k", "-c", "4", "-m", "2"];

    private readonly string folder = Directory.CreateTempSubdirectory("grpcbench-").FullName;

    private string File => Path.Combine(folder, "run.json");

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task Both_clients_are_arms_of_one_run_on_every_transport()
    {
        await RunAsync(0, [.. Tiny, "--client", "wire,grpc-dotnet", "--transports", "tcp,tls,unix,pipe", "-o", File]);

        var run = ResultsFile.Load(File);
        Assert.Equal(8, run.Cells.Count);
        Assert.StartsWith("Grpc.Net.Client ", run.Options.Knobs["grpc-dotnet client"], StringComparison.Ordinal);
        Assert.All(run.Rounds, round =>
        {
            Assert.Empty(round.Failed);
            Assert.True(round.Ok > 0);
            Assert.Equal((8, 8, 8L), (round.Connections.Requested, round.Connections.Opened, round.Connections.ServerOpen));
            Assert.Equal(round.Connections.ClientCalls, round.Connections.ServerCalls);
            Assert.InRange(round.Connections.ClientCalls!.Value, round.Ok, long.MaxValue); // and the calls around the window
        });
    }

    [Fact]
    public async Task Uploads_and_streams_of_grpc_dotnet_are_measured_as_arms()
    {
        await RunAsync(0, [.. Streams, "--client", "wire,grpc-dotnet", "--transports", "tcp",
            "--mode", "upload,ping-pong,push,pull", "-o", File]);
        var run = ResultsFile.Load(File);
        Assert.Equal(8, run.Cells.Count);
        Assert.All(run.Rounds, round => Assert.True(round is { Failed.Count: 0, CutOff: 0, Ok: > 0 }));
        Assert.All(run.Rounds.Where(round => run.Cells[round.Cell].Key.Mode != "pull"),
            round => Assert.Equal(round.Connections.ClientCalls, round.Connections.ServerCalls));
        await RunAsync(
            0, [.. Streams, "--client", "grpc-dotnet", "--transports", "unix", "--mode", "ping-pong,push,pull", "--messages", "3",
                "--chunk", "30k", "-o", File]);
        Assert.All(ResultsFile.Load(File).Rounds, round => Assert.True(round is { Failed.Count: 0, CutOff: 0, Ok: > 0 }));
    }

    [Theory]
    [InlineData("short", "wrong length")]
    [InlineData("status", "status 13")]
    public async Task Wrong_answers_to_grpc_dotnet_are_failures(string fault, string kind)
    {
        await using var server = Tool.StartServer("--listen", "http://127.0.0.1:0", "--fault", fault);
        await server.SeesAsync("GrpcBench server ready");

        await RunAsync(2, [.. Tiny, "--client", "grpc-dotnet", "-U", AddressOf(server), "-o", File]);

        Assert.All(ResultsFile.Load(File).Rounds, round => Assert.True(round.Ok == 0 && round.Failed[kind] > 0));
    }

    [Fact]
    public async Task Connections_of_grpc_dotnet_over_event_loops_are_arms()
    {
        await OnLoopsAsync(
            0, [.. Tiny, "--client", "grpc-dotnet", "--client-sockets", "dotnet,loop", "--transports", "tcp,tls,unix,pipe", "-o", File]);
        var run = ResultsFile.Load(File);
        Assert.Equal(8, run.Cells.Count);
        Assert.Equal(["client-sockets=dotnet", "client-sockets=loop"], run.Cells.Select(cell => cell.Key.Variant).Distinct());
        Assert.Equal(
            1, run.Cells.Count(cell => cell.Note.EndsWith(
                "System.Net.Sockets here, because .NET's pipe API opens the pipe", StringComparison.Ordinal)));
        Assert.All(run.Rounds, round => Assert.True(round is { Failed.Count: 0, CutOff: 0, Completed: > 0 }));
        Assert.All(run.Rounds, round => Assert.Equal(round.Connections.ClientCalls, round.Connections.ServerCalls));
        Assert.All(run.Rounds, round => Assert.Equal((8, 8, 8L),
            (round.Connections.Requested, round.Connections.Opened, round.Connections.ServerOpen)));
    }

    [Fact]
    public async Task Unanswered_calls_over_event_loops_are_cut_off()
    {
        await using var server = Tool.StartServer("--listen", "http://127.0.0.1:0", "--delay-us", "60000000");
        await server.SeesAsync("GrpcBench server ready");
        await OnLoopsAsync(2, ["-r", "1", "-n", "8", "--warmup", "0s", "-s", "10", "-c", "4", "-m", "2",
            "--timeout", "1s", "--client", "grpc-dotnet", "--client-sockets", "loop", "-U", AddressOf(server), "-o", File]);
        var round = Assert.Single(ResultsFile.Load(File).Rounds);
        Assert.Equal((8L, 0L, 0, 8L), (round.Started, round.Ok, round.Failed.Count, round.CutOff));
    }

    [Theory]
    [InlineData("dotnet")]
    [InlineData("loop")]
    public async Task A_server_that_dies_ends_the_run_within_seconds(string sockets)
    {
        Assert.SkipUnless(sockets == "dotnet" || OperatingSystem.IsLinux(), "there is no epoll here");
        await using var server = Tool.StartServer("--listen", "http://127.0.0.1:0", "--delay-us", "5000");
        await server.SeesAsync("GrpcBench server ready");
        await using var client = Tool.Start("-r", "1", "-d", "10m", "--warmup", "1ms", "-s", "10", "-c", "8",
            "--client", "grpc-dotnet", "--client-sockets", sockets, "-U", AddressOf(server), "-o", File);
        var begins = client.SeesAsync("round 1:");
        await Task.WhenAny(begins, client.ExitCodeAsync());
        await begins;
        // The threads start with the first connection, which a busy machine may open late.
        for (var begun = Stopwatch.GetTimestamp(); sockets == "loop" && !HasLoops();)
        {
            Assert.True(Stopwatch.GetElapsedTime(begun) < TimeSpan.FromSeconds(60), "the client has no event loop");
            await Task.Delay(20);
        }
        await Task.Delay(500); // calls are in flight
        Assert.Equal(sockets == "loop", HasLoops());

        server.Process.Kill();

        Assert.InRange(await client.ExitCodeAsync(), 2, 3);

        bool HasLoops() => OperatingSystem.IsLinux() && Directory.GetDirectories($"/proc/{client.Process.Id}/task")
            .Any(folder => NameOfThread(folder).StartsWith("client loop", StringComparison.Ordinal));
    }

    private static string NameOfThread(string folder)
    {
        try
        {
            return System.IO.File.ReadAllText(Path.Combine(folder, "comm"));
        }
        catch (IOException)
        {
            return ""; // the thread has ended meanwhile
        }
    }

    private static string AddressOf(Tool server) =>
        server.Output.Split('\n').Single(line => line.Contains("http://", StringComparison.Ordinal)).Split(' ')[2];

    /// <summary>Runs the tool. Without epoll, the tool must reject the option.</summary>
    private static async Task OnLoopsAsync(int expected, string[] arguments)
    {
        if (OperatingSystem.IsLinux())
        {
            await RunAsync(expected, arguments);
            return;
        }
        var (code, _, error) = await Tool.RunAsync(arguments);
        Assert.Equal(1, code);
        Assert.Equal("--client-sockets loop needs Linux's epoll, which this system does not have: leave out --client-sockets, or "
            + "write dotnet "
            + $"({Tool.Client} --help)\n", error.ReplaceLineEndings("\n"));
        Assert.Skip("there is no epoll here");
    }

    private static async Task RunAsync(int expected, string[] arguments)
    {
        var (code, output, error) = await Tool.RunAsync(arguments);
        Assert.True(code == expected, output + error);
    }
}
