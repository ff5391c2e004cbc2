using IpcBench.Analysis.Results;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks runs of echoes and of child processes whose server, child or client is ended.</summary>
public sealed class EchoEndTests : IDisposable
{
    private readonly string folder = Directory.CreateTempSubdirectory("grpcbench-").FullName;

    private string File => Path.Combine(folder, "run.json");

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task An_echo_server_that_disappears_ends_the_run_and_its_measurements_are_kept()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "signals");
        await using var server = Tool.StartServer("--echo", $"unix:{folder}/e.sock");
        await server.SeesAsync("GrpcBench server ready");
        await using var tool = Tool.Start("echo", "-U", $"unix:{folder}/e.sock", "-n", "300", "--warmup", "1ms", "-s", "64", "-r", "100000",
            "-o", File);
        await tool.SeesAsync("round 3:");
        server.Signal("KILL");
        Assert.Equal(2, await tool.ExitCodeAsync());
        var run = ResultsFile.Load(File);
        Assert.Contains(run.Ending, new[] // the server ended within a window, or between two windows
        {
            $"failed: the server at unix:{folder}/e.sock is gone: within 2 s no lost connection could be reopened",
            $"failed: cannot connect to unix:{folder}/e.sock: Connection refused",
        });
        Assert.True(run.Rounds.Count >= 2);
    }

    [Theory]
    [InlineData("stdio", "echo")]
    [InlineData("socketpair", "echo")]
    [InlineData("shm", "echo")]
    [InlineData("shm", "-c", "1")]
    public async Task A_killed_child_ends_the_run_with_a_message_that_names_the_signal(string kind, params string[] command)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "finds the children in /proc");
        // On a busy machine the tool may wait too shortly for the exit code of the child.
        await Tool.RepeatAsync(async () =>
        {
            await using var tool = Tool.Start([.. command, "-d", "1s", "-s", "64", "-r", "100000", "--transports", kind, "-o", File]);
            // The run does not notice a kill of a child whose work was already done. So the test kills until the run ends.
            while (!tool.Process.HasExited)
            {
                ChildrenOf(tool).ForEach(child => Tool.Send("KILL", child));
                await Task.Delay(20, TestContext.Current.CancellationToken);
            }
            Assert.Equal(2, await tool.ExitCodeAsync());
            Assert.Contains(
                $"a child that this tool started for {kind} ended with exit code 137 (SIGKILL", tool.Output + tool.Error,
                StringComparison.Ordinal);
        });
    }

    [Theory]
    [InlineData("KILL", "echo", "socketpair")]
    [InlineData("INT", "echo", "stdio")]
    [InlineData("KILL", "echo", "shm", "--wait", "spin")]
    [InlineData("KILL", "echo", "shm", "--wait", "futex")]
    [InlineData("INT", "echo", "shm", "--wait", "eventfd")]
    [InlineData("KILL", "-m1", "stdio")] // gRPC
    [InlineData("KILL", "-m1", "shm", "--wait", "futex")]
    public async Task No_child_outlives_the_client(string signal, string command, string transport, params string[] wait)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "finds the children in /proc");
        await using var tool = Tool.Start(
            [command, "-d", "10m", "--warmup", "0s", "-s", "64", "-c", "2", "-r", "1", "--transports", transport, .. wait, "-o", File]);
        await tool.SeesAsync("round 1:");
        var mark = $"grpcbench-{tool.Process.Id}-";
        for (; ChildrenOf(tool).Count < 2; await Task.Delay(20, TestContext.Current.CancellationToken))
            Assert.False(tool.Process.HasExited, tool.Output + tool.Error);
        tool.Signal(signal);
        await tool.ExitCodeAsync();
        // A child of a killed client ends when it reads the end of its connection.
        for (var i = 0; i < 600 && Marked(mark).Count > 0; i++)
            await Task.Delay(50, TestContext.Current.CancellationToken);
        Assert.Empty(Marked(mark));
    }

    [Fact]
    public async Task An_echo_run_ended_by_Ctrl_C_is_saved_as_interrupted()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Ctrl-C to another console group is not sent by tests on Windows");
        await using var tool = Tool.Start("echo", "-n", "1000", "--warmup", "1ms", "-s", "64", "-r", "100000",
            "--transports", "unix", "-o", File);
        await tool.SeesAsync("round 3:");
        tool.Signal("INT");
        Assert.Equal(130, await tool.ExitCodeAsync());
        Assert.Equal("interrupted", ResultsFile.Load(File).Ending);
    }

    private static List<int> ChildrenOf(Tool tool) =>
        [.. from one in Marked($"grpcbench-{tool.Process.Id}-")
            where one.Line.Contains("--child\0", StringComparison.Ordinal)
            select one.Process];

    /// <summary>Finds the processes whose command line has the mark of the client's server addresses.</summary>
    private static List<(int Process, string Line)> Marked(string mark) =>
        [.. from folder in Directory.EnumerateDirectories("/proc")
            where int.TryParse(Path.GetFileName(folder), out _)
            let line = LineOf(folder)
            where line.Contains(mark, StringComparison.Ordinal)
            select (int.Parse(Path.GetFileName(folder)), line)];

    private static string LineOf(string folder)
    {
        try
        {
            return System.IO.File.ReadAllText($"{folder}/cmdline");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return ""; // the process has ended
        }
    }
}
