using IpcBench.Client.Cli;
using IpcBench.Client.Engine;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Tests.Cli;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Http2;

/// <summary>Checks streams of messages to and from the server of this tool: counts, the plan, and Little's law.</summary>
public class StreamServersTests
{
    [Fact]
    public async Task The_server_of_this_tool_receives_and_sends_every_message_on_every_transport()
    {
        var options = Typed.Read(Preset.Main,
            "--mode", "ping-pong,push,pull", "--transports", "tcp,tls,unix,pipe", "-s", "10,100k", "-c", "3", "-m", "4", "--messages", "7");
        await using var servers = await Typed.ServersAsync(options);
        var cells = new BenchPlan(options, servers.Targets).Cells;
        Assert.Equal(4 * 3 * 2, cells.Count);
        foreach (var cell in cells)
        {
            foreach (var load in new[] { cell.Load, cell.Load with { Messages = 0 } })
            {
                var result = await TestLoad.MeasureAsync(load, new LoadWindow { Calls = 150 });
                Assert.Equal((150, 150, 150), (result.Ok, result.Completed, Math.Round(result.Credited)));
                Assert.Equal(150 * load.Size, result.PayloadBytes, load.Size);
            }
        }
    }

    [Fact]
    public async Task Whole_and_chunked_pulled_payloads_are_separate_arms()
    {
        var options = Typed.Read(Preset.Main, "--mode", "pull", "--transports", "unix", "-s", "100k", "-c", "2", "--chunk", "0,30k");
        await using var servers = await Typed.ServersAsync(options);
        var cells = new BenchPlan(options, servers.Targets).Cells;
        Assert.Equal(["unix pull", "unix pull chunk=30000"], cells.Select(cell => cell.Record.Key.Arm));
        foreach (var cell in cells)
        {
            var result = await TestLoad.MeasureAsync(cell.Load, new LoadWindow { Calls = 200 });
            Assert.Equal((200, 200 * cell.Load.Size), (result.Ok, result.PayloadBytes));
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Payloads_are_pulled_at_the_given_rate_over_many_short_streams(int messages)
    {
        var options = Typed.Read(Preset.Main,
            "--mode", "pull", "--transports", "unix", "-s", "10", "-c", "1", "-m", "2", "--messages", $"{messages}");
        await using var servers = await Typed.ServersAsync(options);
        var load = Assert.Single(new BenchPlan(options, servers.Targets).Cells).Load;
        // The sixtieth message is due after 590 ms.
        var result = await TestLoad.MeasureAsync(load, new LoadWindow { Calls = 60, Rate = 100 });
        Assert.Equal(60, result.Ok);
        Assert.InRange(result.WindowNs, 580_000_000, long.MaxValue);
    }

    [Fact]
    public async Task Littles_law_holds_and_streams_end_without_a_failure()
    {
        var options = Typed.Read(Preset.Main, "--mode", "ping-pong", "--transports", "unix", "-s", "10", "-c", "2", "-m", "8");
        await using var servers = await Typed.ServersAsync(options);
        var load = Assert.Single(new BenchPlan(options, servers.Targets).Cells).Load;
        await using var generator = await TestLoad.OpenAsync(load);
        var window = new LoadWindow { Lead = TimeSpan.FromMilliseconds(100), Duration = TimeSpan.FromSeconds(0.5) };
        for (var i = 0; i < 2; i++)
        {
            // If the machine stalls at the end of a window, some calls take longer than the window.
            await TestLoad.InTheEndAsync(async () =>
            {
                var result = await TestLoad.RunAsync(generator, window);
                Assert.Equal((0, 0), (result.Failed.Count, result.CutOff));
                var inFlight = result.Credited / (result.WindowNs / 1e9) * (result.Latency.Sum / 1e9 / result.Ok);
                Assert.InRange(inFlight, 0.9 * 16, 1.1 * 16);
                Assert.Equal(0, result.Connections.Reopened);
            });
        }
    }

    [Theory]
    [InlineData("push")]
    [InlineData("pull")]
    public async Task A_window_of_one_way_messages_begins_and_ends_between_messages(string mode)
    {
        var options = Typed.Read(Preset.Main, "--mode", mode, "--transports", "unix", "-s", "10", "-c", "2", "-m", "4");
        await using var servers = await Typed.ServersAsync(options);
        var load = Assert.Single(new BenchPlan(options, servers.Targets).Cells).Load;
        await using var generator = await TestLoad.OpenAsync(load);
        foreach (var rate in new double?[] { null, 2000 })
        {
            var window = new LoadWindow { Lead = TimeSpan.FromMilliseconds(200), Duration = TimeSpan.FromSeconds(0.5), Rate = rate };
            await TestLoad.InTheEndAsync(async () =>
            {
                var result = await TestLoad.RunAsync(generator, window);
                Assert.Equal((0, 0, 0), (result.Failed.Count, result.CutOff, result.Connections.Reopened));
                Assert.InRange(result.Credited, 100, Math.Max(100, result.AllOk));
                Assert.True(result.Latency.Sum > 0);
                var due = rate * (result.WindowNs / 1e9) ?? result.Started;
                Assert.InRange(result.Started + result.NotSent, 0.95 * due - 16, 1.05 * due + 16);
            });
        }
    }

    [Theory]
    [InlineData("ping-pong", 1)]
    [InlineData("push", 20)]
    [InlineData("pull", 20)]
    public async Task A_delayed_message_and_the_messages_after_it_are_late_by_the_delay(string mode, int late)
    {
        const int every = 50, held = 200;
        var address = new Address.Unix(Path.Combine(Path.GetTempPath(), $"late-{Guid.NewGuid():N}.sock"));
        var start = ServerLocation.StartInfo();
        foreach (var argument in (string[])["--owned", "--listen", $"{address}", "--delay-us", $"{held}000", "--delay-every", $"{every}"])
            start.ArgumentList.Add(argument);
        start.RedirectStandardInput = start.RedirectStandardOutput = true;
        using var server = System.Diagnostics.Process.Start(start)!;
        while (await server.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken) is { } line
            && !line.Contains("ready", StringComparison.Ordinal))
        {
        }
        var load = TestLoad.Options(address, connections: 1, streams: 1, threads: 1) with { Mode = mode };
        // In one direction there are 100 messages a second. A message held for 200 ms delays 19 more, each by 10 ms less.
        const int calls = 90;
        await TestLoad.InTheEndAsync(async () =>
        {
            var result = await TestLoad.MeasureAsync(load, new LoadWindow { Calls = calls, Rate = mode == "ping-pong" ? null : 100 });
            Assert.Equal(calls, result.Ok);
            var latency = result.Latency.ToCounts();
            Assert.InRange(latency.ValueAt(100), 0.99 * held * 1e6, double.MaxValue);
            Assert.InRange(latency.ValueAt(100.0 * (calls - late / 2 + 0.5) / calls), (late == 1 ? 0 : 0.5 * held) * 1e6, double.MaxValue);
            Assert.InRange(latency.ValueAt(30), 0, 0.95 * held * 1e6);
        });
        server.StandardInput.Close(); // the server ends when its standard input is closed
        await server.WaitForExitAsync(TestContext.Current.CancellationToken);
    }
}
