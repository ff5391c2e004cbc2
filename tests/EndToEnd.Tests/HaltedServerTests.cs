using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Text;
using IpcBench.Analysis.Results;

namespace IpcBench.EndToEnd.Tests;

/// <summary>
/// Checks servers that halt, come back or never serve: every run ends, keeps its measurements and has the right exit code.
/// </summary>
public sealed class HaltedServerTests : IDisposable
{
    private const string NoSignals = "no signals to send on Windows";

    // Each call takes 5 ms, so that a window of many seconds leaves the machine to other tests.
    private static readonly string[] Slow = ["--delay-us", "5000"];

    private readonly string folder = Directory.CreateTempSubdirectory("grpcbench-").FullName;

    private string File => Path.Combine(folder, "run.json");

    private string Socket => "unix:" + Path.Combine(folder, "s.sock");

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Theory]
    [InlineData("20s", 0)]
    [InlineData("1s", 3)]
    public async Task Calls_to_a_stopped_server_wait_or_are_cut_off(string timeout, int code)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "sees the connections in /proc");
        await using var server = await StartServerAsync();
        await Tool.RepeatAsync(async () =>
        {
            await using var tool = Tool.Start("-U", Socket, "-r", "1", "-d", "5s", "--warmup", "20ms", "-s", "10", "-c", "8", "--timeout",
                timeout, "-o", File);
            await WindowAsync(tool);
            server.Signal("STOP");
            await Task.Delay(2500); // more than the shorter time-out, less than is left of the window
            server.Signal("CONT");
            Assert.True(await tool.ExitCodeAsync() == code, tool.Output + tool.Error);
            var round = Assert.Single(ResultsFile.Load(File).Rounds);
            Assert.True(round.Ok > 0);
            Assert.Equal(code == 3, round.CutOff > 0);
            Assert.Equal(round.Started, round.Ok + round.CutOff + round.Failed.Values.Sum());
        });
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Connections_to_a_restarted_server_are_opened_again(bool clientIsStopped)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "sees the connections in /proc");
        await Tool.RepeatAsync(() => RestartAsync(clientIsStopped));
    }

    private async Task RestartAsync(bool clientIsStopped)
    {
        await using var first = await StartServerAsync();
        // The new server is already ready on another path, so that its start is no part of the test.
        var next = Path.Combine(folder, "next.sock");
        await using var second = Tool.StartServer(["--listen", "unix:" + next, .. Slow]);
        await second.SeesAsync("GrpcBench server ready");
        await using var tool = Tool.Start(
            "-U", Socket, "-r", "1", "-d", "5s", "--warmup", "20ms", "-s", "10", "-c", "8", "-o", File);
        await WindowAsync(tool);
        // The run gives up after 2 s without a server, and a busy machine may stop this test for so long. So the new server takes
        // the path before the first server ends. The time while the client itself is stopped does not count.
        if (clientIsStopped)
        {
            System.IO.File.Delete(Path.Combine(folder, "s.sock"));
            first.Signal("KILL");
            await Task.Delay(300); // in this time, the client finds that the server is gone
            tool.Signal("STOP");
            await Task.Delay(3000);
        }
        System.IO.File.Move(next, Path.Combine(folder, "s.sock"), overwrite: true);
        first.Signal("KILL");
        tool.Signal("CONT");
        Assert.True(await tool.ExitCodeAsync() == 3, tool.Output + tool.Error);
        var run = ResultsFile.Load(File);
        var round = Assert.Single(run.Rounds);
        Assert.Equal("complete", run.Ending);
        Assert.Equal((8, 8, 8), (round.Connections.Opened, round.Connections.Active, round.Connections.Reopened));
        Assert.InRange(round.Failed.GetValueOrDefault("connection lost"), 1, 8);
        Assert.True(round.Buckets.TakeLast(5).Sum() > 0, "nothing was measured after the restart");
    }

    [Fact]
    public async Task A_second_Ctrl_C_ends_the_process_at_once_and_the_file_is_kept()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), NoSignals);
        await using var server = await StartServerAsync();
        await using var tool = Tool.Start("-U", Socket, "-r", "1000", "-d", "1s", "--warmup", "20ms", "-s", "10", "-c", "8", "--timeout",
            "60s", "-o", File);
        await tool.SeesAsync("round 2:");
        server.Signal("STOP");
        await Task.Delay(300);
        var first = Stopwatch.GetTimestamp();
        tool.Signal("INT"); // the tool now waits for its calls, and then for the server's own counters
        await Task.Delay(300);
        // Two signals that arrive before the process handles the first signal count as one.
        for (; !tool.Process.HasExited && Stopwatch.GetElapsedTime(first).TotalSeconds < 30; await Task.Delay(1000))
            tool.Signal("INT");
        Assert.Equal(130, await tool.ExitCodeAsync());
        Assert.InRange(Stopwatch.GetElapsedTime(first).TotalSeconds, 0, 35);
        Assert.NotEmpty(ResultsFile.Load(File).Rounds);
    }

    [Fact]
    public async Task A_killed_server_of_the_tool_leaves_no_file()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), NoSignals);
        await using var tool = Tool.StartProgram(Path.Combine(Tool.ClientFolder, "GrpcBench"), folder, "--transports", "unix,pipe", "-r",
            "50", "-d", "1s", "--warmup", "10ms", "-s", "10", "-c", "4", "-t", "1", "-o", File);
        await tool.SeesAsync("round 1:");
        // Servers are new in each round, and the run does not notice a kill of a server whose round is over. So the test kills
        // servers until the run ends.
        for (; !tool.Process.HasExited; await Task.Delay(200))
        {
            foreach (var server in new OwnProcesses(folder).Left().Where(id => OwnProcesses.Parent(id) == tool.Process.Id))
                Tool.Send("KILL", server);
        }
        Assert.True(await tool.ExitCodeAsync() == 2, tool.Output + tool.Error);
        // No file of the runtime is left either. A results file is left only if something had been measured.
        Assert.DoesNotContain(Directory.GetFileSystemEntries(folder), path => Path.GetFileName(path) != "run.json");
    }

    [Theory]
    [InlineData("--connect-per-call")]
    [InlineData("--varying-length")]
    public async Task All_calls_fail_if_the_server_closes_all_later_connections(string option)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var serving = ServeOnceAsync(listener);
        var begun = Stopwatch.GetTimestamp();
        var (code, output, error) = await Tool.RunAsync("http", $"http://{listener.LocalEndpoint}/", option, "-c", "50", "-t", "1", "-n",
            "50", "-r", "1", "--warmup", "0s", "--timeout", "1s", "-o", File);
        Assert.True(code == 2, $"{code}\n{output}{error}");
        Assert.InRange(Stopwatch.GetElapsedTime(begun).TotalSeconds, 0, 60);
        var round = Assert.Single(ResultsFile.Load(File).Rounds);
        Assert.Equal((50, 0, 50), (round.Started, round.Ok, round.CutOff + round.Failed.Values.Sum()));
        Assert.Contains(
            $"none of 50 calls to http://{listener.LocalEndpoint}/ succeeded: there is nothing to report", error,
            StringComparison.Ordinal);
        listener.Stop();
        await serving;
    }

    [Fact]
    public async Task Calls_longer_than_the_given_window_have_a_rate()
    {
        await using var server = Tool.StartServer("--listen", Socket, "--delay-us", "1500000");
        await server.SeesAsync("GrpcBench server ready");
        // A busy machine may end the window so late that calls fit into it.
        await Tool.RepeatAsync(async () =>
        {
            var (code, output, error) = await Tool.RunAsync(
                "-U", Socket, "-c", "1", "-s", "10", "-r", "1", "-d", "200ms", "--warmup", "20ms", "-o", File);
            var round = Assert.Single(ResultsFile.Load(File).Rounds);
            Assert.True(code == 0, $"{code}\n{output}{error}");
            Assert.Equal((0, 0), (round.Ok, round.Failed.Count));
            Assert.InRange(round.Credited!.Value, 0.01, 0.5);
        });
    }

    // Waits until the 8 connections of the round are open. A second later, the warm-up of 20 ms has ended and the window has begun.
    private async Task WindowAsync(Tool tool)
    {
        await tool.SeesAsync("round 1:");
        var path = Path.Combine(folder, "s.sock");
        while (System.IO.File.ReadLines("/proc/net/unix").Count(line => line.EndsWith(path, StringComparison.Ordinal)) < 1 + 8)
        {
            Assert.False(tool.Process.HasExited, tool.Output + tool.Error);
            await Task.Delay(20);
        }
        await Task.Delay(1000);
    }

    private async Task<Tool> StartServerAsync()
    {
        var server = Tool.StartServer(["--listen", Socket, .. Slow]);
        await server.SeesAsync("GrpcBench server ready");
        return server;
    }

    private static async Task ServeOnceAsync(TcpListener listener)
    {
        try
        {
            for (var answers = true; ; answers = false)
            {
                using var client = await listener.AcceptTcpClientAsync();
                if (answers && await client.GetStream().ReadAsync(new byte[4096]) > 0)
                    await client.GetStream().WriteAsync(Encoding.ASCII.GetBytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
            }
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException or IOException)
        {
            // The test is over.
        }
    }
}
