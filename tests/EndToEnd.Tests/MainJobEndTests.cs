using System.Globalization;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks runs that a signal to the client or to its server ends.</summary>
public sealed class MainJobEndTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("grpcbench-").FullName;

    private string ResultsFile => Path.Combine(folder, "run.json");

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task Ctrl_C_keeps_the_measurements()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Ctrl-C to another console group is not sent by tests on Windows");
        await using var tool = Tool.Start(
            "-r", "1000", "-d", "100ms", "--warmup", "1ms", "-s", "10", "-c", "8", "--transports", "unix", "-v", "-o", ResultsFile);
        await tool.SeesAsync("Requests/sec:");
        tool.Signal("INT");
        Assert.Equal(130, await tool.ExitCodeAsync());
        var run = Analysis.Results.ResultsFile.Load(ResultsFile);
        Assert.Equal("interrupted", run.Ending);
        Assert.NotEmpty(run.Rounds);
        Assert.Contains("Final results:", tool.Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("INT", "", false)]
    [InlineData("TERM", "echo", true)]
    public async Task A_run_interrupted_before_the_first_measurement_writes_no_file(
        string signal, string command, bool former)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Ctrl-C to another console group is not sent by tests on Windows");
        if (former)
            File.WriteAllText(ResultsFile, "former");
        // No window begins before the warm-up of 10 minutes has ended.
        string[] words = [.. command.Split(' ', StringSplitOptions.RemoveEmptyEntries), "-r", "3", "-d", "1s", "--warmup", "10m",
            "-s", "10", "-o", ResultsFile];
        await using var tool = Tool.Start(words);
        await tool.SeesAsync(" s per cell, ");
        tool.Signal(signal);
        Assert.Equal(130, await tool.ExitCodeAsync());
        var end = former ? $"; {ResultsFile} is unchanged" : "";
        Assert.EndsWith($"\nInterrupted before anything was measured{end}.\n", tool.Error, StringComparison.Ordinal);
        Assert.Equal(former ? [ResultsFile] : [], Directory.GetFiles(folder));
        if (former)
            Assert.Equal("former", File.ReadAllText(ResultsFile));
    }

    [Fact]
    public async Task A_killed_client_keeps_every_shown_measurement_and_leaves_no_server()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "looks for the server in /proc");
        // Moments before, in and between windows of 100 ms. The moments are few, because each starts a client and a server.
        // The rounds would take minutes: however late the test looks, the client still runs.
        foreach (var moment in new[] { 0, 210, 640 })
        {
            File.Delete(ResultsFile);
            await using var tool = Tool.Start(
                "-r", "1000", "-d", "100ms", "--warmup", "1ms", "-s", "10", "-c", "4", "--transports", "unix", "-v",
                "-o", ResultsFile);
            await tool.SeesAsync("round 1:");
            await Task.Delay(moment);
            var server = await ServerAsync(tool);
            tool.Signal("KILL");
            await tool.ExitCodeAsync();
            var shown = tool.Output.Split("Requests/sec:").Length - 1;
            var kept = File.Exists(ResultsFile) ? Analysis.Results.ResultsFile.Load(ResultsFile).Rounds.Count : 0;
            Assert.InRange(kept, shown, shown + 1);
            await GoneAsync([server]);
        }
    }

    [Fact]
    public async Task A_killed_server_ends_the_run_within_seconds_and_its_measurements_are_kept()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "looks for the server in /proc");
        // Servers are new in each round. On a busy machine the test may kill a server between two rounds.
        await Tool.RepeatAsync(async () =>
        {
            await using var tool = Tool.Start(
                "-r", "1000", "-d", "1s", "-R", "200", "--warmup", "1ms", "-s", "10", "-c", "8", "--transports", "unix,pipe",
                "-o", ResultsFile);
            await tool.SeesAsync("round 2:");
            var begun = System.Diagnostics.Stopwatch.GetTimestamp();
            // The run does not notice a kill of a server whose round is over. So the test kills servers until the run ends.
            for (; !tool.Process.HasExited; await Task.Delay(200))
                Children(tool.Process.Id).ForEach(server => Tool.Send("KILL", server));
            Assert.Contains(await tool.ExitCodeAsync(), (int[])[2, 3]);
            // The other rounds would take an hour. A busy machine may need many seconds for the end of a process.
            Assert.True(System.Diagnostics.Stopwatch.GetElapsedTime(begun) < TimeSpan.FromSeconds(60));
            var run = Analysis.Results.ResultsFile.Load(ResultsFile);
            var why = "the server that this tool started ended with exit code 137 (SIGKILL: sent by a user, or by the kernel for lack of "
                + "memory) during round 2: it wrote nothing";
            Assert.Equal($"failed: {why}", run.Ending);
            Assert.EndsWith($"\n{why}\n", tool.Error, StringComparison.Ordinal);
            Assert.NotEmpty(run.Rounds);
        });
    }

    // Each round starts a server and ends it: between two rounds there may be none.
    private static async Task<int> ServerAsync(Tool tool)
    {
        while (true)
        {
            Assert.False(tool.Process.HasExited);
            if (Children(tool.Process.Id) is [var server])
                return server;
            await Task.Delay(1);
        }
    }

    private static List<int> Children(int parent) =>
    [
        .. from folder in Directory.EnumerateDirectories("/proc")
           where int.TryParse(Path.GetFileName(folder), out _)
           let stat = Try(() => File.ReadAllText(Path.Combine(folder, "stat")))
           where stat.Length > 0
           where stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[1] == parent.ToString(CultureInfo.InvariantCulture)
           select int.Parse(Path.GetFileName(folder), CultureInfo.InvariantCulture),
    ];

    private static string Try(Func<string> read)
    {
        try
        {
            return read();
        }
        catch (IOException)
        {
            return ""; // the process ended meanwhile
        }
    }

    private static async Task GoneAsync(IEnumerable<int> processes)
    {
        foreach (var id in processes)
        {
            var begun = System.Diagnostics.Stopwatch.GetTimestamp();
            while (Directory.Exists($"/proc/{id}")
                && !Try(() => File.ReadAllText($"/proc/{id}/stat")).Contains(") Z ", StringComparison.Ordinal))
            {
                Assert.True(System.Diagnostics.Stopwatch.GetElapsedTime(begun) < TimeSpan.FromSeconds(30), $"the server {id} lives on");
                await Task.Delay(20);
            }
        }
    }
}
