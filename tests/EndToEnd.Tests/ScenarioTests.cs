using IpcBench.Analysis.Results;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks what the scripts of scenarios/ print, save and reject.</summary>
public sealed class ScenarioTests : ScenarioStage
{
    [Fact]
    public async Task A_brief_run_measures_its_arms_and_leaves_nothing_behind()
    {
        var file = Path.Combine(Temporary, "run.json");
        await using (var script = Start("--brief", "--arms", "port,socket keepalive", "-o", file)) // all arms: .ci/scenarios-check
            Assert.True(await script.ExitCodeAsync() == 0, script.Output + script.Error);
        var run = ResultsFile.Load(file);
        File.Delete(file);
        Assert.Equal("flask", run.Scenario);
        Assert.Equal(["port", "socket keepalive"], run.Cells.Select(cell => cell.Key.Variant));
        // On a busy machine one call may last longer than its window.
        Assert.All(run.Rounds, round => Assert.True(round.Credited > 0 && round.Failed.Count == 0 && round.Server is not null));
        // In one short round the CPU time may be below a step of the clock.
        Assert.True(run.Rounds.Sum(round => round.Server!.CpuUserNs + round.Server.CpuKernelNs) > 0);
        Assert.All(run.Rounds, round => Assert.Equal(4, round.Watched.Count));
        var port = Assert.Single(run.Rounds, round => run.Cells[round.Cell].Key.Variant == "port").Watched;
        Assert.InRange(port.Single(watched => watched.Name == "port: nginx").Active.Max, 1, 10);
        Assert.True(port.Single(watched => watched.Name == "port: server").TimeWait.Max > 0);
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task The_worker_of_nginx_does_not_run_as_root()
    {
        await using var script = Start("--bench", Waiting());
        await script.SeesAsync("measuring now");
        var users = Own.Left().Where(id => OwnProcesses.Name(id) == "nginx").Select(OwnProcesses.User).ToList();
        Assert.True(users.Exists(user => user != 0), $"nginx runs as {string.Join(" and ", users)}");
    }

    [Theory]
    [InlineData("-d/--duration is given twice", "-d", "1s", "--duration=2s")]
    [InlineData("-n counts calls and -d sets a time: use only one of the two HELP", "--duration", "1s", "-n", "5")]
    [InlineData("http has no option --bogus HELP", "--bogus")]
    [InlineData("-o names a results file, but --no-save writes none: leave out one of the two HELP", "--no-save")]
    public async Task Impossible_options_are_rejected_before_a_server_starts(string sentence, params string[] options)
    {
        await using var script = Start(["--brief", "-o", Path.Combine(Temporary, "run.json"), .. options]);
        Assert.Equal(1, await script.ExitCodeAsync());
        Assert.Equal(sentence.Replace("HELP", $"({Tool.Client} http --help)", StringComparison.Ordinal) + "\n", script.Error);
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task The_function_free_port_never_returns_the_same_port_twice()
    {
        await using var script = StartPython("""
            import random, servers
            each_twice = (number // 2 for number in range(50_000, 52_000))
            random.randrange = lambda *_: next(each_twice)
            print(servers.free_port() != servers.free_port())
            """);
        Assert.Equal(0, await script.ExitCodeAsync());
        Assert.Equal("True\n", script.Output);
    }

    [Fact]
    public async Task The_error_of_a_missing_program_names_its_package()
    {
        await using var script = StartPython(
            "import stage, servers; sys.exit(stage.run(lambda _: servers.need(['no-such-program'], ['no_such_module'], ['one', 'two'])))");
        Assert.Equal(2, await script.ExitCodeAsync());
        Assert.Equal("no-such-program, Python's no_such_module are missing: apt-get install one two\n", script.Error);
        await AssertNothingLeftAsync();
    }
}
