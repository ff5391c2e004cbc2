using System.Diagnostics;
using System.Runtime.InteropServices;
using IpcBench.Client.Cli;
using IpcBench.Client.Engine;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Tests.Cli;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;

namespace IpcBench.Client.Tests.Run;

/// <summary>Checks that a window in which a process was stopped by SIGSTOP is marked.</summary>
public partial class StandstillTests
{
    private const int Stop = 19, Continue = 18; // SIGSTOP, SIGCONT

    private const string NoSignals = "no signals to send on Windows";

    [Fact]
    public async Task A_window_in_which_the_server_is_stopped_for_a_second_is_spoiled()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), NoSignals);
        // Where calls already take a quarter of a second, because the machine is busy, a second is no standstill.
        await TestLoad.InTheEndAsync(StopServerAsync);
    }

    private static async Task StopServerAsync()
    {
        var options = Typed.Read(Preset.Main, "--transports", "unix", "-s", "10", "-c", "2");
        await using var servers = await Typed.ServersAsync(options);
        var cell = Assert.Single(new BenchPlan(options, servers.Targets).Cells, cell => cell.Load.Connections == 2);
        await using var generator = await TestLoad.OpenAsync(cell.Load);
        var edges = new Begun();
        // The window lasts until calls have ended before and after the stop, also on a busy machine.
        var window = new LoadWindow { Lead = TimeSpan.FromMilliseconds(200), Duration = TimeSpan.FromMinutes(2), Rate = 2000 };
        using var enough = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        var run = generator.RunAsync(window, enough.Token, edges);
        await edges.Task.WaitAsync(TestLoad.Patience, TestContext.Current.CancellationToken);
        await MoreCallsAsync();
        await StopAsync(servers.Owners[cell.Target.Address].Pids[0], TimeSpan.FromSeconds(1));
        await MoreCallsAsync();
        await enough.CancelAsync();
        var result = await run.WaitAsync(TestLoad.Patience, TestContext.Current.CancellationToken);
        Assert.StartsWith("no call ended for ", Standstill.Reason(result), StringComparison.Ordinal);

        async Task MoreCallsAsync()
        {
            var before = generator.CallsSoFar;
            await TestLoad.UntilAsync(() => generator.CallsSoFar > before + 200);
        }
    }

    [Fact]
    public async Task A_window_whose_calls_end_evenly_is_not_spoiled()
    {
        await using var server = new FakeServer();
        await using var generator = await TestLoad.OpenAsync(TestLoad.Options(server.Address));
        var measured = await TestLoad.RunAsync(generator, new LoadWindow { Duration = TimeSpan.FromMilliseconds(100) });
        // The test sets even buckets itself, because a busy machine may stop both programs.
        var second = measured with
        {
            WindowNs = 1_000_000_000,
            PlannedNs = 1_000_000_000,
            Buckets = [.. Enumerable.Repeat(1000L, 10)],
        };
        Assert.Equal("", Standstill.Reason(second));
        Assert.NotEqual("", Standstill.Reason(second with { Buckets = [1000, 1000, 0, 0, 0, 0, 1000, 1000, 1000, 1000] }));
        Assert.NotEqual("", Standstill.Reason(second with { PlannedNs = 500_000_000 }));
    }

    [Fact]
    public async Task A_stopped_client_is_recorded_in_the_file()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), NoSignals);
        var folder = Directory.CreateTempSubdirectory("stop-");
        await using var server = new FakeServer();
        var file = Path.Combine(folder.FullName, "run.json");
        var start = ThisProgram.StartInfo(["-U", $"{server.Address}", "-s", "10", "-c", "2", "-R", "2k", "-r", "1", "-d", "6s",
            "--warmup", "0s", "-o", file]);
        start.RedirectStandardOutput = start.RedirectStandardError = true;
        using var client = new Process { StartInfo = start };
        var stopped = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        // The server itself stops the client, at one of the first calls of the window: there is no warm-up, so all calls after the line
        // "Round 1/1" are in the window. The client would make 12,000 calls, but on a busy machine this process answers far fewer.
        var last = int.MaxValue;
        server.Answer = (stream, number) =>
        {
            if (number == Volatile.Read(ref last))
            {
                Assert.Equal(0, kill(client.Id, Stop));
                stopped.SetResult();
            }
            return Frames.Reply(stream, 10);
        };
        client.Start();
        var error = client.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        while (await client.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken) is { } line && line != "Round 1/1")
        {
        }
        Volatile.Write(ref last, server.Calls + 20);
        var output = client.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        await Task.WhenAny(stopped.Task, client.WaitForExitAsync(TestContext.Current.CancellationToken)).WaitAsync(
            TestLoad.Patience, TestContext.Current.CancellationToken);
        await Task.Delay(3000, TestContext.Current.CancellationToken); // the stop is what is measured
        Assert.Equal(0, kill(client.Id, Continue));
        await client.WaitForExitAsync(TestContext.Current.CancellationToken).WaitAsync(
            TestLoad.Patience, TestContext.Current.CancellationToken);
        Assert.True(File.Exists(file), $"{await output} {await error}");
        var round = Assert.Single(Analysis.Results.ResultsFile.Load(file).Rounds);
        // A stop that ends before the planned end of the window makes a silence in it; a later stop makes the window longer.
        Assert.Matches("^(the window took .* instead of 6 s: this tool or the machine was stopped|no call ended for )", round.Spoiled);
        folder.Delete(recursive: true);
    }

    private static async Task StopAsync(int process, TimeSpan time)
    {
        Assert.Equal(0, kill(process, Stop));
        try
        {
            await Task.Delay(time, TestContext.Current.CancellationToken); // the stop is what is measured
        }
        finally
        {
            Assert.Equal(0, kill(process, Continue));
        }
    }

    [LibraryImport("libc")]
    private static partial int kill(int process, int signal);

    private sealed class Begun : IWindowEdges
    {
        private readonly TaskCompletionSource begun = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task Task => begun.Task;

        public void OnBegin() => begun.SetResult();

        public void OnEnd()
        {
        }
    }
}
