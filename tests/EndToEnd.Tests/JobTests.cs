using IpcBench.Analysis.Results;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks runs on a terminal, in the foreground and in the background.</summary>
public sealed class JobTests(GivenServer server) : WritingStage(server), IClassFixture<GivenServer>
{
    [Fact]
    public async Task On_a_terminal_progress_is_shown_and_the_key_q_ends_the_run()
    {
        await using var tool = OnTerminal($"{Client} {Tiny} -r 1000 -o {Folder}/run.json");
        await tool.SeesAsync("s left  (q: end and keep)"); // a round has ended; the screen is drawn less often than rounds end
        await tool.Process.StandardInput.WriteAsync("q");
        await tool.Process.StandardInput.FlushAsync();
        Assert.Equal(130, await tool.ExitCodeAsync());
        Assert.InRange(RoundsOf(ResultsFile.Load(PathOf("run.json"))), 1, 999);
    }

    [Fact]
    public async Task A_run_in_the_background_reads_no_keys_and_does_not_change_the_screen()
    {
        // wait ends with 128 and more when the terminal stops the job. The shell ends only after the key, however late it comes.
        await using var tool = OnTerminal(
            $"{Client} {OwnServer} -r 2 -o {Folder}/run.json & wait $!; code=$?; read -rn 1 -t 20; exit $code");
        await tool.SeesAsync("; 2 rounds of 1,000 calls");
        await tool.Process.StandardInput.WriteAsync("q");
        await tool.Process.StandardInput.FlushAsync();
        Assert.True(await tool.ExitCodeAsync() == 0, tool.Output);
        var run = ResultsFile.Load(PathOf("run.json"));
        Assert.Equal((2, "complete"), (RoundsOf(run), run.Ending));
        Assert.DoesNotContain("q: end", tool.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("\u001b[0J", tool.Output, StringComparison.Ordinal);
    }

    [Fact]
    public Task The_server_of_a_run_continues_when_the_run_continues_in_the_background() => Tool.RepeatAsync(async () =>
    {
        await using var tool = OnTerminal($"{Client} {OwnServer.Replace("-n 1000", "-d 2s -R 200", StringComparison.Ordinal)} "
            + $"-r 1 -o {Folder}/run.json\nbg\nwait $!");
        await tool.SeesAsync("measuring: unix");
        await tool.Process.StandardInput.WriteAsync("\u001a");
        await tool.Process.StandardInput.FlushAsync();
        await tool.SeesAsync("[1]+"); // on a busy machine the key may come after the run
        Assert.True(await tool.ExitCodeAsync() == 0, tool.Output);
        var run = ResultsFile.Load(PathOf("run.json"));
        Assert.Equal("complete", run.Ending);
        Assert.All(run.Rounds, round => Assert.Equal((0, 0L), (round.Failed.Count, round.CutOff)));
    });

    /// <summary>Starts a shell with job control, whose terminal receives what the test writes as keys.</summary>
    private Tool OnTerminal(string command)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "starts a shell");
        File.WriteAllText(PathOf("job"), $"set -m\nexport TERM=xterm\n{command}\n");
        return Tool.StartProgram("script", Place, "-qec", $"bash '{PathOf("job")}'", "/dev/null");
    }
}
