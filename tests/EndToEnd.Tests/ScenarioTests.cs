using System.Diagnostics;
using System.Runtime.CompilerServices;
using IpcBench.Analysis.Results;

namespace IpcBench.EndToEnd.Tests;

/// <summary>The scripts of scenarios/: what they print and keep, and that nothing they started is left, however they end.</summary>
public sealed class ScenarioTests : IDisposable
{
    // Below the folder that each test gives its scenario for temporary files: every process that it starts has its working folder there.
    private readonly string temporary;
    private readonly OwnProcesses own;

    public ScenarioTests()
    {
        temporary = Directory.CreateTempSubdirectory("scenario-test-").FullName;
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(temporary, (UnixFileMode)0b111_001_001); // nginx's worker, which is not root, has to reach what lies below
        own = new OwnProcesses(temporary);
    }

    [Fact]
    public async Task A_brief_run_measures_every_arm_and_leaves_nothing_behind()
    {
        var file = Path.Combine(temporary, "run.json");
        await using (var script = Start("--brief", "-o", file))
            Assert.True(await script.ExitCodeAsync() == 0, script.Output + script.Error);
        var run = ResultsFile.Load(file);
        File.Delete(file);
        Assert.Equal("flask", run.Scenario);
        Assert.Equal(["port", "socket", "port threads", "socket threads", "port keepalive", "socket keepalive"], run.Cells.Select(
            cell => cell.Key.Variant));
        Assert.All(run.Rounds, round => Assert.True(round.Ok > 0 && round.Failed.Count == 0 && round.Server is not null));
        // In one short round it may be below a step of the clock.
        Assert.True(run.Rounds.Sum(round => round.Server!.CpuUserNs + round.Server.CpuKernelNs) > 0);
        Assert.All(run.Rounds, round => Assert.Equal(12, round.Watched.Count));
        var port = Assert.Single(run.Rounds, round => run.Cells[round.Cell].Key.Variant == "port").Watched;
        Assert.InRange(port.Single(watched => watched.Name == "port: nginx").Active.Max, 1, 10);
        Assert.True(port.Single(watched => watched.Name == "port: server").TimeWait.Max > 0);
        await AssertNothingLeftAsync();
    }

    [Theory]
    [InlineData("INT")]
    [InlineData("TERM")]
    public async Task Interrupted_half_way_it_takes_everything_down(string signal)
    {
        await using var script = Start("--bench", Waiting());
        await script.SeesAsync("measuring now");
        Assert.NotEmpty(own.Left());
        script.Signal(signal);
        Assert.Equal(130, await script.ExitCodeAsync());
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task Killed_half_way_it_leaves_nothing_running_either()
    {
        await using var script = Start("--bench", Waiting());
        await script.SeesAsync("measuring now");
        script.Process.Kill();
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task The_inner_process_killed_is_cleared_up_after_by_the_outer()
    {
        await using var script = Start("--bench", Waiting());
        await script.SeesAsync("measuring now");
        var inner = own.Left().Single(id => OwnProcesses.Parent(id) == script.Process.Id);
        using (var process = Process.GetProcessById(inner))
            process.Kill();
        Assert.Equal(2, await script.ExitCodeAsync());
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task An_nginx_that_is_killed_meanwhile_ends_the_run_and_leaves_nothing()
    {
        await using var script = Start("--brief", "-d", "30s", "--arms", "port,socket", "-o", Path.Combine(temporary, "run.json"));
        await script.SeesAsync("Running");
        foreach (var id in own.Left().Where(id => OwnProcesses.Name(id) == "nginx"))
        {
            using var nginx = Process.GetProcessById(id);
            nginx.Kill();
        }
        Assert.Contains(await script.ExitCodeAsync(), new[] { 2, 3 });
        File.Delete(Path.Combine(temporary, "run.json"));
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task Two_at_once_do_not_meet()
    {
        await using var one = Start("--bench", Waiting());
        await using var other = Start("--bench", Waiting());
        await one.SeesAsync("measuring now");
        await other.SeesAsync("measuring now");
        one.Signal("INT");
        other.Signal("INT");
        Assert.Equal(130, await one.ExitCodeAsync());
        Assert.Equal(130, await other.ExitCodeAsync());
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task The_inner_process_killed_leaves_no_container_either()
    {
        var engine = StandInEngine();
        try
        {
            await using var script = StartScenario(
                "flask-containers", $"{engine}:{Environment.GetEnvironmentVariable("PATH")}", "--bench", Waiting(), "--engine", "docker");
            await script.SeesAsync("measuring now");
            Assert.NotEmpty(Containers());
            using (var inner = Process.GetProcessById(own.Left().Single(id => OwnProcesses.Parent(id) == script.Process.Id)))
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

    [Fact]
    public async Task What_answers_for_nginx_is_not_root()
    {
        await using var script = Start("--bench", Waiting());
        await script.SeesAsync("measuring now");
        var users = own.Left().Where(id => OwnProcesses.Name(id) == "nginx").Select(OwnProcesses.User).ToList();
        Assert.True(users.Exists(user => user != 0), $"nginx runs as {string.Join(" and ", users)}");
    }

    [Theory]
    [InlineData("-d/--duration is given twice", "-d", "1s", "--duration=2s")]
    [InlineData("-n counts calls and -d sets a time", "--duration", "1s", "-n", "5")]
    [InlineData("--bogus is no option of http", "--bogus")]
    [InlineData("--no-save wants none", "--no-save")]
    public async Task Options_that_cannot_be_are_refused_before_a_server_starts(string sentence, params string[] options)
    {
        await using var script = Start(["--brief", "-o", Path.Combine(temporary, "run.json"), .. options]);
        Assert.Equal(1, await script.ExitCodeAsync());
        Assert.Contains(sentence, Assert.Single(script.Error.Split('\n', StringSplitOptions.RemoveEmptyEntries)), StringComparison.Ordinal);
        await AssertNothingLeftAsync();
    }

    [Fact]
    public async Task No_port_is_given_twice()
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
    public async Task A_missing_program_is_one_sentence_that_names_the_package()
    {
        await using var script = StartPython(
            "import stage, servers; sys.exit(stage.run(lambda _: servers.need(['no-such-program'], ['no_such_module'], ['one', 'two'])))");
        Assert.Equal(2, await script.ExitCodeAsync());
        Assert.Equal("no-such-program, Python's no_such_module are missing: apt-get install one two\n", script.Error);
        await AssertNothingLeftAsync();
    }

    public void Dispose() => Directory.Delete(temporary, recursive: true);

    private Tool Start(params string[] arguments) =>
        StartScenario("flask-behind-nginx", Environment.GetEnvironmentVariable("PATH") ?? "", arguments);

    private Tool StartScenario(string scenario, string path, params string[] arguments)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the scenarios are for Linux");
        Assert.SkipUnless(File.Exists("/usr/sbin/nginx"), "no nginx here (Debian: apt-get install nginx)");
        Assert.SkipUnless(Has("gunicorn") && Has("flask"), "no gunicorn or Flask here (Debian: apt-get install gunicorn python3-flask)");
        string[] more = arguments.Contains("--bench")
            ? ["--arms", arguments.Contains("--engine") ? "socket" : "port,socket"]
            : ["--bench", Path.Combine(Tool.ClientFolder, "GrpcBench")];
        return Tool.StartProgram(
            "/usr/bin/env", temporary, [$"PATH={path}", Path.Combine(Scripts(), scenario, "run"), .. arguments, .. more]);
    }

    private Tool StartPython(string code)
    {
        Assert.SkipUnless(File.Exists("/usr/bin/python3"), "no /usr/bin/python3 here");
        return Tool.StartProgram("/usr/bin/python3", temporary, "-c",
            $"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, {Quoted(Scripts())})\n{code}");
    }

    /// <summary>Stands for a GrpcBench that takes the options, finds nobody where nobody listens, and measures the arms for long.</summary>
    private string Waiting() => Program(Path.Combine(temporary, "waiting"), """
        #!/bin/sh
        case "$*" in *nobody=*) exit 2 ;; esac
        echo measuring now
        exec sleep 120

        """);

    /// <summary>
    /// A folder with a docker whose containers are files, each with the number of its process: it shows which are removed.
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

    private static string Program(string path, string text)
    {
        File.WriteAllText(path, text);
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        return path;
    }

    private async Task AssertNothingLeftAsync()
    {
        File.Delete(Path.Combine(temporary, "waiting"));
        for (var i = 0; i < 150 && (own.Left().Count > 0 || Directory.EnumerateFileSystemEntries(temporary).Any()); i++)
            await Task.Delay(100);
        Assert.Empty(own.Left().Select(OwnProcesses.Name));
        Assert.Empty(Directory.EnumerateFileSystemEntries(temporary));
    }

    private static bool Has(string module)
    {
        using var python = Process.Start(
            "/usr/bin/python3", ["-c", $"import importlib.util, sys; sys.exit(importlib.util.find_spec('{module}') is None)"]);
        return python.WaitForExit(20_000) && python.ExitCode == 0;
    }

    private static string Scripts([CallerFilePath] string source = "") =>
        Path.GetFullPath(Path.Combine(Path.GetDirectoryName(source)!, "..", "..", "scenarios"));

    private static string Quoted(string text) => $"'{text.Replace("'", "\\'", StringComparison.Ordinal)}'";
}
