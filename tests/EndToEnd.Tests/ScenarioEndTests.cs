using System.Diagnostics;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks that the scripts of scenarios/ leave no process and no file, however they end.</summary>
public sealed class ScenarioEndTests : ScenarioStage
{
    [Theory]
    [InlineData("INT")]
    [InlineData("TERM")]
    public async Task An_interrupted_scenario_stops_everything(string signal)
    {
        await using var script = Start("--bench", Waiting());
        await script.SeesAsync("measuring now");
        Assert.NotEmpty(Own.Left());
        script.Signal(signal);
        Assert.Equal(130, await script.ExitCodeAsync());
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task A_killed_scenario_leaves_nothing_running()
    {
        await using var script = Start("--bench", Waiting());
        await script.SeesAsync("measuring now");
        script.Process.Kill();
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task The_outer_process_cleans_up_after_a_killed_inner_process()
    {
        await using var script = Start("--bench", Waiting());
        await script.SeesAsync("measuring now");
        var inner = Own.Left().Single(id => OwnProcesses.Parent(id) == script.Process.Id);
        using (var process = Process.GetProcessById(inner))
            process.Kill();
        Assert.Equal(2, await script.ExitCodeAsync());
        Assert.EndsWith("\nThe process that ran the scenario was killed (SIGKILL); what it had started is taken down.\n", script.Error,
            StringComparison.Ordinal);
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task A_killed_nginx_ends_the_run_and_leaves_nothing()
    {
        await using var script = Start(
            "--brief", "-r", "100", "-d", "500ms", "--arms", "port,socket", "-o", Path.Combine(Temporary, "run.json"));
        await script.SeesAsync("Running"); // the first arm has been measured, and 199 measurements follow
        foreach (var id in Own.Left().Where(id => OwnProcesses.Name(id) == "nginx"))
        {
            using var nginx = Process.GetProcessById(id);
            nginx.Kill();
        }
        Assert.Contains(await script.ExitCodeAsync(), new[] { 2, 3 });
        File.Delete(Path.Combine(Temporary, "run.json"));
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task Two_scenarios_at_once_do_not_disturb_each_other()
    {
        var waiting = Waiting(); // a running program cannot be overwritten
        await using var one = Start("--bench", waiting);
        await using var other = Start("--bench", waiting);
        await one.SeesAsync("measuring now");
        await other.SeesAsync("measuring now");
        one.Signal("INT");
        other.Signal("INT");
        Assert.Equal(130, await one.ExitCodeAsync());
        Assert.Equal(130, await other.ExitCodeAsync());
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task A_killed_inner_process_leaves_no_container()
    {
        var engine = StandInEngine();
        try
        {
            await using var script = StartScenario(
                "flask-containers", $"{engine}:{Environment.GetEnvironmentVariable("PATH")}", "--bench", Waiting(), "--engine", "docker");
            await script.SeesAsync("measuring now");
            Assert.NotEmpty(Containers());
            using (var inner = Process.GetProcessById(Own.Left().Single(id => OwnProcesses.Parent(id) == script.Process.Id)))
                inner.Kill();
            Assert.Equal(2, await script.ExitCodeAsync());
            Assert.Empty(Containers());
            await AssertNothingLeftAsync();
        }
        finally
        {
            Directory.Delete(engine, recursive: true);
        }

        string[] Containers() => Directory.GetFiles(Path.Combine(engine, "containers"));
    }

    /// <summary>
    /// Makes a folder with a stand-in for docker. Its containers are files with the id of their process, so the test sees their removal.
    /// </summary>
    private static string StandInEngine()
    {
        var folder = Directory.CreateTempSubdirectory("scenario-engine-").FullName;
        Directory.CreateDirectory(Path.Combine(folder, "containers"));
        Program(Path.Combine(folder, "docker"), """
            #!/usr/bin/python3
            import os, pathlib, sys
            words, containers = sys.argv[1:], pathlib.Path(sys.argv[0]).parent / "containers"
            if words[0] == "run":
                (containers / words[words.index("--name") + 1]).write_text(str(os.getpid()))
                app = next(word for word in words if word.endswith(":/app:ro")).split(":")[0]
                inside = words[words.index("ipcbench-flask") + 1:]
                os.execv(sys.executable, [sys.executable, "-m", *[app if word == "/app" else word for word in inside]])
            elif words[0] == "rm":
                (containers / words[-1]).unlink()
            elif words[0] == "inspect":
                print((containers / words[-1]).read_text())

            """);
        return folder;
    }
}
