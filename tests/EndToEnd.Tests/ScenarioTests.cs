using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;
using IpcBench.Analysis.Records;

namespace IpcBench.EndToEnd.Tests;

/// <summary>The scripts of scenarios/: what they print and keep, and that nothing they started is left, however they end.</summary>
public sealed class ScenarioTests : IDisposable
{
    // Below the folder that each test gives its scenario for temporary files: every process that it starts has its working folder there.
    private readonly string temporary = Directory.CreateTempSubdirectory("scenario-test-").FullName;

    [Fact]
    public async Task A_brief_run_measures_every_arm_and_leaves_nothing_behind()
    {
        var file = Path.Combine(temporary, "run.json");
        await using (var script = Start("--brief", "-o", file))
            Assert.True(await script.ExitCodeAsync() == 0, script.Output + script.Error);
        var run = ResultsFile.Load(file);
        File.Delete(file);
        Assert.Equal("flask", run.Scenario);
        Assert.Equal(["port", "socket", "port threads", "socket threads", "port keepalive", "socket keepalive"], run.Cells.Select(cell => cell.Key.Variant));
        Assert.All(run.Rounds, round => Assert.True(round.Ok > 0 && round.Failed.Count == 0 && round.Server is not null));
        Assert.True(run.Rounds.Sum(round => round.Server!.CpuUserNs + round.Server.CpuKernelNs) > 0); // in one short round it may be below a step of the clock
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
        Assert.NotEmpty(Left());
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
        var inner = Left().Single(id => Parent(id) == script.Process.Id);
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
        foreach (var id in Left().Where(id => Name(id) == "nginx"))
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
    public async Task A_missing_program_is_one_sentence_that_names_the_package()
    {
        Assert.SkipUnless(File.Exists("/usr/bin/python3"), "no /usr/bin/python3 here");
        var folder = Path.GetDirectoryName(Path.GetDirectoryName(Script()))!;
        var code = $"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, {Quoted(folder)}); import stage, servers\n"
            + "sys.exit(stage.run(lambda _: servers.need(['no-such-program'], ['no_such_module'], ['one', 'two'])))";
        await using var script = Tool.StartProgram("/usr/bin/python3", temporary, "-c", code);
        Assert.Equal(2, await script.ExitCodeAsync());
        Assert.Equal("no-such-program, Python's no_such_module are missing: apt-get install one two\n", script.Error);
        await AssertNothingLeftAsync();
    }

    public void Dispose() => Directory.Delete(temporary, recursive: true);

    private Tool Start(params string[] arguments)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the scenarios are for Linux");
        Assert.SkipUnless(File.Exists("/usr/sbin/nginx"), "no nginx here (Debian: apt-get install nginx)");
        Assert.SkipUnless(Has("gunicorn") && Has("flask"), "no gunicorn or Flask here (Debian: apt-get install gunicorn python3-flask)");
        return Tool.StartProgram(Script(), temporary, arguments.Contains("--bench") ? [.. arguments, "--arms", "port,socket"] : [.. arguments, "--bench", Path.Combine(Tool.ClientFolder, "GrpcBench")]);
    }

    /// <summary>Stands for a GrpcBench that measures for long.</summary>
    private string Waiting()
    {
        var program = Path.Combine(temporary, "waiting");
        if (!File.Exists(program) && !OperatingSystem.IsWindows())
        {
            File.WriteAllText(program, "#!/bin/sh\necho measuring now\nexec sleep 120\n");
            File.SetUnixFileMode(program, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }
        return program;
    }

    private async Task AssertNothingLeftAsync()
    {
        File.Delete(Path.Combine(temporary, "waiting"));
        for (var i = 0; i < 150 && (Left().Count > 0 || Directory.EnumerateFileSystemEntries(temporary).Any()); i++)
            await Task.Delay(100);
        Assert.Empty(Left().Select(Name));
        Assert.Empty(Directory.EnumerateFileSystemEntries(temporary));
    }

    /// <summary>Processes that belong to this test: they say so in their environment or by their working folder.</summary>
    private List<int> Left() => [.. Directory.EnumerateDirectories("/proc").Select(Path.GetFileName)
        .Where(name => int.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out _)).Select(name => int.Parse(name!, CultureInfo.InvariantCulture)).Where(IsOurs)];

    private bool IsOurs(int id)
    {
        try
        {
            return File.ReadAllText($"/proc/{Text(id)}/environ").Contains(temporary, StringComparison.Ordinal) || new FileInfo($"/proc/{Text(id)}/cwd").LinkTarget?.StartsWith(temporary, StringComparison.Ordinal) == true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    private static string Name(int id) => ReadStat(id) is var stat && stat.Length > 0 ? stat[(stat.IndexOf('(') + 1)..stat.LastIndexOf(')')] : "";

    private static int Parent(int id) => ReadStat(id) is var stat && stat.Length > 0 ? int.Parse(stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[1], CultureInfo.InvariantCulture) : 0;

    private static string ReadStat(int id)
    {
        try
        {
            return File.ReadAllText($"/proc/{Text(id)}/stat");
        }
        catch (IOException)
        {
            return "";
        }
    }

    private static bool Has(string module)
    {
        using var python = Process.Start("/usr/bin/python3", ["-c", $"import importlib.util, sys; sys.exit(importlib.util.find_spec('{module}') is None)"]);
        return python.WaitForExit(20_000) && python.ExitCode == 0;
    }

    private static string Script([CallerFilePath] string source = "") =>
        Path.GetFullPath(Path.Combine(Path.GetDirectoryName(source)!, "..", "..", "scenarios", "flask-behind-nginx", "run"));

    private static string Quoted(string text) => $"'{text.Replace("'", "\\'", StringComparison.Ordinal)}'";

    private static string Text(int id) => id.ToString(CultureInfo.InvariantCulture);
}
