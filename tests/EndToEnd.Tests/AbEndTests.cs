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
        // The shell ends when the server has two connections. The system then lists three sockets with the path.
        ["shell that ends"] =
            $"sh -c '{Server} & while [ $(grep -c \"{{path}}\" /proc/net/unix) -lt 3 ]; do sleep 0.05; done; exit 7'",
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
        var isOfTool = who is "nobody" or "tool";
        await using var tool = Start(Commands[command], rounds: who == "nobody" ? 1 : 500, isOfTool ? "100ms" : "1s");
        if (command == "never ready")
            await UntilAsync(() => own.Left().Count(id => OwnProcesses.Name(id) == "sleep") == 2);
        else if (who != "nobody")
            await tool.SeesAsync("round 1");
        foreach (var signal in isOfTool ? signals.Split(' ', StringSplitOptions.RemoveEmptyEntries) : [])
            tool.Signal(signal);
        // Servers are new in each round, and the run does not notice a kill of a server whose round is over. So the test kills a
        // server again and again until the run ends.
        for (; !isOfTool && !tool.Process.HasExited; await Task.Delay(200, TestContext.Current.CancellationToken))
        {
            foreach (var id in (who == "server" ? Servers(tool, own) : Listeners(own)).Take(1))
                Tool.Send(signals, id);
        }
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
        tool.Signal("KILL");
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
        await using var tool = Start(Commands["shell that ends"], 500, "500ms");
        Assert.True(await tool.ExitCodeAsync() == 2, tool.Output + tool.Error);
        // On a busy machine the shells may see the connections only in a later round.
        Assert.Matches("server ended with exit code 7 during round [0-9]+:", tool.Error);
        await new OwnProcesses(folder).AssertGoneAsync();
    }

    [Fact]
    public async Task A_server_that_ends_early_is_reported_with_side_and_exit_code_and_last_lines()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "starts a shell");
        var script = Path.Combine(folder, "once.py");
        await File.WriteAllTextAsync(script, """
            import os, socket, sys
            server = socket.socket(socket.AF_UNIX)
            server.bind(sys.argv[1])
            server.listen()
            server.accept()
            print("out of luck", file=sys.stderr, flush=True)
            os._exit(9) # closes the socket and ends in one step
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

    private static IEnumerable<int> Listeners(OwnProcesses own) => own.Left().Where(id => OwnProcesses.Name(id) == "GrpcBenchServer");

    // On a busy machine the start of the programs may take half a minute.
    private static async Task UntilAsync(Func<bool> holds)
    {
        for (var i = 0; i < 3000 && !holds(); i++)
            await Task.Delay(50, TestContext.Current.CancellationToken);
    }
}
