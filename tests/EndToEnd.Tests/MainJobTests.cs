using System.Globalization;
using IpcBench.Analysis.Results;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks the tool as a user runs it: with real processes, sockets and pipes.</summary>
public sealed class MainJobTests : IDisposable
{
    private static readonly string[] Tiny = ["-r", "2", "-d", "200ms", "--warmup", "1ms", "-s", "10,10k", "-c", "8"];

    // A number of calls on one transport, for the tests of a run's files.
    private static readonly string[] Brief =
        ["-r", "2", "-n", "200", "--warmup", "0s", "-s", "10", "-c", "8", "--transports", "unix"];

    private readonly string folder = Directory.CreateTempSubdirectory("grpcbench-").FullName;

    private string ResultsFile => Path.Combine(folder, "run.json");

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task Each_file_of_a_run_has_the_format_of_its_extension()
    {
        string Of(string name) => Path.Combine(folder, name);
        string[] named = ["-o", ResultsFile, "-o", Of("page.html"), "-o", Of("rows.csv"), "-o", Of("page.md")];
        var (code, output, error) = await Tool.RunAsync([.. Brief, .. named]);
        Assert.True(code == 0, output + error);
        Assert.Contains($"\nEvery round is in {ResultsFile}\nAll tables and the advice on doubts:\n", error, StringComparison.Ordinal);
        Assert.EndsWith($"\nThe report is in {Of("page.html")}\nThe report is in {Of("rows.csv")}\n"
            + $"The report is in {Of("page.md")}\n", error, StringComparison.Ordinal);
        string[] names = ["page.html", "rows.csv", "page.md"];
        Assert.Equal((0, "", ""), await Tool.RunAsync(
            ["report", ResultsFile, .. names.SelectMany(name => (string[])["-o", Of("again-" + name)])]));
        foreach (var name in names)
            Assert.Equal(await File.ReadAllTextAsync(Of("again-" + name)), await File.ReadAllTextAsync(Of(name)));
        Assert.StartsWith("<!doctype html>", await File.ReadAllTextAsync(Of("page.html")), StringComparison.Ordinal);

        (code, output, error) = await Tool.RunAsync([.. Brief, "--no-save", "-o", "/proc/no/page.html"]);
        Assert.Equal("cannot write /proc/no/page.html: the folder /proc/no does not exist and cannot be made\n", error);
        Assert.Equal((2, ""), (code, output));
        (code, output, error) = await Tool.RunAsync(["--resume", ResultsFile, "-r", "+1", "-o", Of("more.html")]);
        Assert.True(code == 0, output + error);
        Assert.NotEqual(await File.ReadAllTextAsync(Of("page.html")), await File.ReadAllTextAsync(Of("more.html")));
        Assert.StartsWith($"--resume adds the new rounds to {ResultsFile}: leave out -o other.json, or write -o page.html for a report",
            (await Tool.RunAsync(["--resume", ResultsFile, "-o", "other.json"])).Item3, StringComparison.Ordinal);
    }

    [Fact]
    public async Task One_command_measures_every_transport_and_keeps_every_round()
    {
        var (code, output, error) = await Tool.RunAsync([.. Tiny, "-o", ResultsFile, "-v"]);
        Assert.True(code == 0, output + error);
        var run = Analysis.Results.ResultsFile.Load(ResultsFile);
        Assert.Equal("complete", run.Ending);
        Assert.Equal(["pipe", "tcp", "unix"], run.Cells.Select(cell => cell.Key.Transport).Distinct().Order());
        Assert.All(run.Rounds, AssertTrue);
        Assert.Contains("===\nRound 1/2\n===\n", output, StringComparison.Ordinal);
        Assert.Contains("Final results:\n", output, StringComparison.Ordinal);

        static void AssertTrue(Measurement round)
        {
            Assert.Empty(round.Failed);
            Assert.True(round.Credited > 0); // on a busy machine one call may last longer than its window
            Assert.Equal((8, 8, 8L), (round.Connections.Requested, round.Connections.Opened, round.Connections.ServerOpen));
            Assert.Equal(round.Connections.ClientCalls, round.Connections.ServerCalls);
            Assert.InRange(round.Connections.ClientCalls!.Value, round.Ok, long.MaxValue); // and the calls around the window
            Assert.True(round.Client.CpuUserNs + round.Client.CpuKernelNs > 0 && round.Server!.CpuUserNs + round.Server.CpuKernelNs > 0);
        }
    }

    [Fact]
    public async Task Several_modes_of_one_run_are_its_arms_and_their_streams_end_without_a_failure()
    {
        // A number of calls instead of a time, because on a busy machine a message may take a large part of a second.
        var (code, output, error) = await Tool.RunAsync("-r", "1", "-n", "500", "--warmup", "1ms", "-s", "10k", "-c", "4",
            "-m", "2", "--transports", "unix,pipe", "--mode", "unary,upload,ping-pong,push,pull", "-o", ResultsFile);
        Assert.True(code == 0, output + error);
        var run = Analysis.Results.ResultsFile.Load(ResultsFile);
        Assert.Equal(
            ["pipe", "pipe ping-pong", "pipe pull", "pipe push", "pipe upload",
                "unix", "unix ping-pong", "unix pull", "unix push", "unix upload"],
            run.Cells.Select(cell => cell.Key.Arm).Distinct().Order(StringComparer.Ordinal));
        Assert.All(run.Rounds, round => Assert.True(round is { Failed.Count: 0, CutOff: 0, Completed: > 0 }));
        foreach (var round in run.Rounds)
        {
            // In pull, messages in flight when the client ended the stream did not arrive.
            var most = run.Cells[round.Cell].Key.Mode == "pull" ? long.MaxValue : round.Connections.ClientCalls!.Value;
            Assert.InRange(round.Connections.ServerCalls!.Value, round.Connections.ClientCalls!.Value, most);
        }
        Assert.Contains("messages/s", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_on_event_loops_reports_its_system_calls_per_call()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no epoll here");
        var (code, output, error) = await Tool.RunAsync("--transports", "tcp,unix", "--sockets", "dotnet,loop", "-r", "1", "-n", "500",
            "--warmup", "1ms", "-s", "10", "-c", "4", "-t", "1", "-o", ResultsFile);
        Assert.True(code == 0, output + error);
        var run = Analysis.Results.ResultsFile.Load(ResultsFile);
        foreach (var round in run.Rounds)
        {
            var isLoop = run.Cells[round.Cell].Key.Variant.Contains("loop", StringComparison.Ordinal);
            Assert.Equal(isLoop, round.Server!.Loop is not null);
            if (round.Server.Loop is not { } made)
                continue;
            // One call at a time on a connection takes one receive and at least one send. The calls of Control are included.
            Assert.InRange((made.Receives - made.EmptyReceives) / (double)round.Server.CountedCalls, 0.9, 2.2);
            Assert.InRange(made.Sends / (double)round.Server.CountedCalls, 0.9, 3.2);
            Assert.InRange(made.Waits, 1, long.MaxValue);
        }
    }

    [Fact]
    public async Task Two_runs_at_once_do_not_disturb_each_other()
    {
        var other = Path.Combine(folder, "other.json");
        var runs = await Task.WhenAll(
            Tool.RunAsync([.. Brief[..^2], "-o", ResultsFile]),
            Tool.RunAsync([.. Brief[..^2], "-o", other]));
        Assert.All(runs, run => Assert.True(run.Code == 0, run.Output + run.Error));
    }

    [Fact]
    public async Task Standard_output_is_only_the_report_if_a_format_is_given()
    {
        var (code, output, error) = await Tool.RunAsync([.. Brief, "--no-save", "--format", "csv", "--verbose"]);
        Assert.True(code == 0, output + error);
        var lines = output.TrimEnd().Split('\n');
        Assert.Single(lines.Select(line => line.Split(',').Length).Distinct());
        Assert.Contains("Round 1/2", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/etc/passwd", "which is not a folder: set TMPDIR to a folder for temporary files")]
    [InlineData(null,
        "which makes the path of a Unix socket longer than the system allows (about 100 bytes): "
            + "set TMPDIR to a folder with a shorter path")]
    public async Task A_temporary_folder_that_cannot_hold_a_socket_is_named_with_its_variable(string? place, string sentence)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the paths are Unix's");
        var folder = Directory.CreateTempSubdirectory("grpcbench-");
        var temporary = place ?? folder.CreateSubdirectory(new string('x', 120)).FullName;
        await using var tool = Tool.StartWith(
            new() { ["TMPDIR"] = temporary }, "--transports", "unix", "-c", "1", "-r", "1", "-d", "100ms", "--no-save");
        Assert.Equal(2, await tool.ExitCodeAsync());
        Assert.Contains($"TMPDIR is '{temporary}", tool.Error, StringComparison.Ordinal);
        Assert.Contains(sentence, tool.Error.ReplaceLineEndings(" "), StringComparison.Ordinal);
        folder.Delete(recursive: true);
    }

    private const string Start = ": is your server running, and does it listen there? Without -U this tool starts a server of its own";

    private const string Choose = ": choose another file with -o, or use --no-save";

    [Theory]
    [InlineData("http://127.0.0.1:1 does not answer: cannot connect to http://127.0.0.1:1: Connection refused" + Start,
        "-U", "http://127.0.0.1:1")]
    [InlineData("unix:/no/such/greeter.sock does not answer: cannot connect to unix:/no/such/greeter.sock: there is no such file" + Start,
        "-U", "unix:/no/such/greeter.sock")]
    [InlineData("cannot write '': the path is not the name of a file" + Choose,
        "-r", "1", "-d", "100ms", "-s", "10", "-c", "2", "-o", "")]
    [InlineData("cannot write /proc/no/such/folder/run.json: the folder /proc/no/such/folder does not exist and cannot be made" + Choose,
        "-r", "1", "-d", "100ms", "-s", "10", "-c", "2", "-o", "/proc/no/such/folder/run.json")]
    [InlineData("there is no file /no/such/run.json", "report", "/no/such/run.json")]
    public async Task An_error_of_the_environment_is_one_sentence_with_exit_code_2(string sentence, params string[] arguments)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the paths are Linux's");
        Assert.Equal((2, "", string.Format(CultureInfo.InvariantCulture, sentence, Tool.Client) + "\n"), await Tool.RunAsync(arguments));
    }
}
