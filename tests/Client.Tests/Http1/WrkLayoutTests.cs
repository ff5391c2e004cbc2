using System.Diagnostics;
using System.Text.RegularExpressions;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Client.Engine;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http1.Support;

namespace IpcBench.Client.Tests.Http1;

public class WrkLayoutTests
{
    // Each field fills its column: the padding after a unit of one letter belongs to the field.
    private const string Amount = @" *\d+\.\d\d[a-zA-Z]{0,2} {0,2}";

    [Fact]
    public Task The_report_has_the_layout_of_wrk() => TestLoad.InTheEndAsync(async () =>
    {
        await using var server = new FakeHttpServer("tcp");
        var (url, theirs) = ($"{server.Address}/", await WrkAsync($"{server.Address}/"));
        var ours = Report(url, await TestLoad.MeasureAsync(HttpCallTests.Options(server.Address), TestLoad.For(1)));
        Assert.All(new[] { ours, theirs }, text => Assert.Matches(Layout(url), text));
    });

    [Fact]
    public Task Errors_in_the_report_have_the_layout_of_wrk() => TestLoad.InTheEndAsync(async () =>
    {
        await using var server = new FakeHttpServer("tcp");
        server.Answer = async (socket, _, number) => await FakeHttpServer.SayAsync(socket, number % 3 == 0
            ? "HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n"
            : number % 100 == 1 ? "garbage\r\n\r\n" : FakeHttpServer.Reply(10));
        var (url, theirs) = ($"{server.Address}/", await WrkAsync($"{server.Address}/"));
        var ours = Report(url, await TestLoad.MeasureAsync(HttpCallTests.Options(server.Address), TestLoad.For(1)));
        var layout = Layout(url, @"  Socket errors: connect 0, read \d+, write 0, timeout 0\n  Non-2xx or 3xx responses: \d+\n");
        Assert.All(new[] { ours, theirs }, text => Assert.Matches(layout, text));
    });

    private static string Layout(string url, string errors = "") =>
        $@"^Running 1s test @ {Regex.Escape(url)}\n  2 threads and 4 connections\n  Thread Stats   Avg      Stdev     Max   \+/- Stdev\n" +
        string.Concat(new[] { "Latency", "Req/Sec" }
            .Select(name => $@"(?=.{{49}}%\n)    {name,-10}{Amount}{Amount}{Amount} +\d+\.\d\d%\n")) +
        string.Concat(new[] { 50, 75, 90, 99 }
            // A busy machine may make too few calls for p99.
            .Select(percentile => $@"(?:(?=.{{18}}\n)     {percentile}%{Amount}\n)?").Prepend("  Latency Distribution\n")) +
        $@"  \d+ requests in \d+\.\d\d(m?s), \d+\.\d\d[KMG]?B read\n{errors}" +
        @"Requests/sec: [ \d.]{9,}\nTransfer/sec: [ \d.]{9,10}[KMG]?B\n$";

    private static async Task<string> WrkAsync(string url)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the foreign clients are installed on Linux only");
        var wrk = (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator).Select(folder => Path.Combine(folder, "wrk"))
            .FirstOrDefault(File.Exists);
        if (wrk is null)
            Assert.Skip("wrk is not here: apt-get install wrk");
        using var process = Process.Start(
            new ProcessStartInfo(wrk, ["-t2", "-c4", "-d1s", "--latency", url]) { RedirectStandardOutput = true })!;
        using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        var text = await process.StandardOutput.ReadToEndAsync(limit.Token);
        await process.WaitForExitAsync(limit.Token);
        return text;
    }

    private static string Report(string url, LoadResult result)
    {
        var round = new Measurement
        {
            Cell = 0,
            Number = 1,
            At = DateTimeOffset.UnixEpoch,
            WindowNs = result.WindowNs,
            Started = result.Started,
            Ok = result.Ok,
            Failed = result.Failed,
            CutOff = result.CutOff,
            Completed = result.Completed,
            Credited = result.Credited,
            PayloadBytes = result.PayloadBytes,
            ReceivedBytes = result.ReceivedBytes,
            Latency = result.Latency.Encode(),
            LatencySumNs = result.Latency.Sum,
            Client = new ProcessUsage { CpuUserNs = 0, CpuKernelNs = 0 },
            Connections = result.Connections,
            Buckets = result.Buckets,
        };
        Assert.True(result.ReceivedBytes >= result.Completed * FakeHttpServer.Reply(10).Length);
        return Reports.Find("wrk")!.Make(new ReportModel(new RunRecord
        {
            ToolVersion = "test",
            Started = DateTimeOffset.UnixEpoch,
            CommandLine = [],
            Seed = 1,
            Options = new RunOptionsRecord { Rounds = 1, DurationNs = 1_000_000_000, WarmupNs = 0, TimeoutNs = 1, Threads = 2 },
            Host = new HostInfo(),
            Cells = [new Cell { Key = new CellKey { Transport = "tcp", Size = 10, Connections = 4, Protocol = "http1" }, Address = url }],
            Rounds = [round],
        }));
    }
}
