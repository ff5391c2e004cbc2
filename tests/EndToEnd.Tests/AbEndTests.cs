using System.Diagnostics;
using System.Globalization;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks that a run of <c>ab</c> leaves no process, however it ends and whatever its servers do in the background.</summary>
public sealed class AbEndTests : IDisposable
{
    // The program and its address are quoted for the tool and for sh, because both may contain spaces. The calls last 5 ms,
    // so that they leave the processors to other tests.
    private static readonly string Server =
        $"\"{Path.Combine(Tool.ClientFolder, "server", "GrpcBenchServer")}\" --listen \"{{address}}\" --delay-us 5000";

    // Commands of servers, by name. FILE is a file that the test creates as a signal.
    private static readonly Dictionary<string, string> Commands = new()
    {
        ["plain"] = Server,
        ["child of a shell"] = $"sh -c '{Server} & wait'",
        ["orphan"] = $"sh -c '({Server} &); exec sleep 1000'",
        ["own session"] = $"sh -c '(setsid {Server} &); exec sleep 1000'",
        ["starts another at its end"] = $"sh -c 'serve() {{ exec {Server}; }}; trap \"serve & exit 0\" TERM; serve & wait'",
        ["starts another later"] = $"sh -c '{Server} & while [ ! -e \"FILE\" ]; do sleep 0.05; done; (setsid sleep 1000 &); wait'",
        ["deaf to SIGTERM"] = $"sh -c 'trap \"\" TERM; {Server} & wait; exec sleep 1000'",
        ["shell that ends"] = $"sh -c '{Server} & while [ ! -e \"FILE\" ]; do sleep 0.05; done; exit 7'",
        ["never ready"] = "sh -c 'sleep 1000 & exec sleep 1000 # {address}'",
    };

    private readonly string folder = Directory.CreateTempSubdirectory("grpcbench-").FullName;

    public void Dispose() => Directory.Delete(folder, recursive: true);

    // Each command and each way to end occurs, but not each combination, because a case starts five programs.
    [Theory]
    [InlineData("plain", "nobody", "", 0)]
    [InlineData("plain", "tool", "INT INT", 130)]
    [InlineData("plain", "tool", "KILL", 137)]
    [InlineData("plain", "server", "KILL", 2)]
    [InlineData("child of a shell", "tool", "KILL", 137)]
    [InlineData("child of a shell", "listener", "KILL", 2)]
    [InlineData("orphan", "nobody", "", 0)]
    [InlineData("orphan", "tool", "TERM", 130)]
    [InlineData("orphan", "tool", "KILL", 137)]
    [InlineData("own session", "nobody", "", 0)]
    [InlineData("own session", "tool", "KILL", 137)]
    [InlineData("starts another at its end", "tool", "INT", 130)]
    [InlineData("deaf to SIGTERM", "tool", "INT", 130)]
    [InlineData("never ready", "tool", "INT", 130)]
    [InlineData("never ready", "tool", "KILL", 137)]
    public async Task No_process_is_left_however_the_command_ab_ends(string command, string who, string signals, int code)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "looks for processes in /proc");
        var own = new OwnProcesses(folder);
        // Servers are new in each round, so a round must be long enough for the test to find a server.
        await using var tool = Start(Commands[command], rounds: who == "nobody" ? 1 : 500, who is "server" or "listener" ? "3s" : "100ms");
        if (command == "never ready")
            await UntilAsync(() => own.Left().Count(id => OwnProcesses.Name(id) == "sleep") == 2);
        else if (who != "nobody")
            await tool.SeesAsync("round 1");
        foreach (var signal in signals.Split(' ', StringSplitOptions.RemoveEmptyEntries))
            Send(signal, who switch
            {
                "tool" => tool.Process.Id,
                "server" => Servers(tool, own).First(),
                _ => own.Left().First(id => OwnProcesses.Name(id) == "GrpcBenchServer"),
            });
        Assert.True(await tool.ExitCodeAsync() == code, $"{tool.Process.ExitCode}\n{tool.Output}\n{tool.Error}");
        await own.AssertGoneAsync();
    }

    [Fact]
    public async Task A_killed_run_leaves_no_background_process_of_its_servers()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "looks for processes in /proc");
        var (own, later) = (new OwnProcesses(folder), Path.Combine(folder, "later"));
        await using var tool = Start(Commands["starts another later"].Replace("FILE", later, StringComparison.Ordinal), 5, "60s");
        await tool.SeesAsync("round 1");
        await File.WriteAllTextAsync(later, "", TestContext.Current.CancellationToken);
        await UntilAsync(() => Orphans().Any());
        Assert.NotEmpty(Orphans());
        Send("KILL", tool.Process.Id);
        Assert.Equal(137, await tool.ExitCodeAsync());
        await own.AssertGoneAsync();

        // The tool becomes the parent of processes that have lost their parent.
        IEnumerable<int> Orphans() =>
            own.Left().Where(id => OwnProcesses.Name(id) == "sleep" && OwnProcesses.Parent(id) == tool.Process.Id);
    }

    [Fact]
    public async Task The_run_ends_and_leaves_no_process_if_a_shell_ends_before_its_server()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "looks for processes in /proc");
        var end = Path.Combine(folder, "end");
        await using var tool = Start(Commands["shell that ends"].Replace("FILE", end, StringComparison.Ordinal), 5, "1s");
        await tool.SeesAsync("round 1");
        await File.WriteAllTextAsync(end, "", TestContext.Current.CancellationToken);
        Assert.True(await tool.ExitCodeAsync() == 2, tool.Output + tool.Error);
        Assert.Contains("server ended with exit code 7 during round 1", tool.Error, StringComparison.Ordinal);
        await new OwnProcesses(folder).AssertGoneAsync();
    }

    [Fact]
    public async Task A_server_that_ends_early_is_reported_with_side_and_exit_code_and_last_lines()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "starts a shell");
        var script = Path.Combine(folder, "once.py");
        await File.WriteAllTextAsync(script, """
            import socket, sys
            server = socket.socket(socket.AF_UNIX)
            server.bind(sys.argv[1])
            server.listen()
            server.accept()
            print("out of luck", file=sys.stderr, flush=True)
            sys.exit(9)
            """, TestContext.Current.CancellationToken);
        await using var tool = Start($"python3 '{script}' {{path}}", 1);
        Assert.Equal(2, await tool.ExitCodeAsync());
        Assert.EndsWith(
            "the base server ended with exit code 9 before its first request: its last lines:\n  out of luck\n", tool.Error,
            StringComparison.Ordinal); // on a busy machine, a warning comes first
        await new OwnProcesses(folder).AssertGoneAsync();
    }

    private Tool Start(string command, int rounds, string window = "100ms") => Tool.StartWith(
        new() { ["TMPDIR"] = folder, ["GITHUB_STEP_SUMMARY"] = "" }, "ab", "--base", command, "--head", command, "--transports", "unix",
        "-c", "2", "-r", rounds.ToString(CultureInfo.InvariantCulture), "-d", window, "--warmup", "1ms", "--no-save");

    // The processes that the tool started itself, without its reaper.
    private static IEnumerable<int> Servers(Tool tool, OwnProcesses own) =>
        own.Left().Where(id => OwnProcesses.Parent(id) == tool.Process.Id && OwnProcesses.Name(id) is not "GrpcBench");

    private static void Send(string signal, int process)
    {
        using var kill = Process.Start("kill", ["-" + signal, process.ToString(CultureInfo.InvariantCulture)]);
        kill.WaitForExit();
    }

    private static async Task UntilAsync(Func<bool> holds)
    {
        for (var i = 0; i < 600 && !holds(); i++)
            await Task.Delay(50, TestContext.Current.CancellationToken);
    }
}
