using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Starts the scripts of scenarios/ with a temporary folder, and checks that no process and no file is left.</summary>
public abstract class ScenarioStage : IDisposable
{
    // Python is asked once for all tests.
    private static readonly Lazy<bool> HasFlask = new(() =>
    {
        const string code = "import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, ['gunicorn', 'flask'])))";
        using var python = Process.Start("/usr/bin/python3", ["-c", code]);
        python.WaitForExit();
        return python.ExitCode == 0;
    });

    /// <summary>
    /// The folder for temporary files of the scenario. The test finds the scenario's processes by their working
    /// folders, which are in this folder. This folder is in /tmp if the usual path is too long for sockets.
    /// </summary>
    protected string Temporary { get; } = Path.GetTempPath().Length <= 30 || OperatingSystem.IsWindows()
        ? Directory.CreateTempSubdirectory("scenario-test-").FullName
        : Directory.CreateDirectory($"/tmp/scenario-test-{Guid.NewGuid().ToString("N")[..8]}").FullName;

    /// <summary>The processes that the scenario has started.</summary>
    private protected OwnProcesses Own { get; }

    protected ScenarioStage()
    {
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(Temporary, (UnixFileMode)0b111_001_001); // nginx's worker is not root and must reach the files below
        Own = new OwnProcesses(Temporary);
    }

    public void Dispose() => Directory.Delete(Temporary, recursive: true);

    private protected Tool Start(params string[] arguments) =>
        StartScenario("flask-behind-nginx", Environment.GetEnvironmentVariable("PATH") ?? "", arguments);

    private protected Tool StartScenario(string scenario, string path, params string[] arguments)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the scenarios are for Linux");
        Assert.SkipUnless(File.Exists("/usr/sbin/nginx"), "no nginx here (Debian: apt-get install nginx)");
        Assert.SkipUnless(HasFlask.Value, "no gunicorn or Flask here (Debian: apt-get install gunicorn python3-flask)");
        string[] more = arguments.Contains("--bench")
            ? ["--arms", arguments.Contains("--engine") ? "socket" : "port,socket"]
            : ["--bench", Path.Combine(Tool.ClientFolder, "GrpcBench")];
        return Tool.StartProgram(
            "/usr/bin/env", Temporary, [$"PATH={path}", Path.Combine(Scripts(), scenario, "run"), .. arguments, .. more]);
    }

    private protected Tool StartPython(string code)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the scenarios are for Linux");
        Assert.SkipUnless(File.Exists("/usr/bin/python3"), "no /usr/bin/python3 here");
        return Tool.StartProgram("/usr/bin/python3", Temporary, "-c",
            $"import sys; sys.dont_write_bytecode = True; sys.path.insert(0, {Quoted(Scripts())})\n{code}");
    }

    /// <summary>Makes a stand-in for GrpcBench that accepts all options, finds no server called nobody, and measures for long.</summary>
    private protected string Waiting() => Program(Path.Combine(Temporary, "waiting"), """
        #!/bin/sh
        case "$*" in *nobody=*) exit 2 ;; esac
        echo measuring now
        exec sleep 120

        """);

    private protected static string Program(string path, string text)
    {
        File.WriteAllText(path, text);
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        return path;
    }

    private protected async Task AssertNothingLeftAsync()
    {
        File.Delete(Path.Combine(Temporary, "waiting"));
        // A minute, because on a busy machine the end of many processes takes long.
        for (var i = 0; i < 600 && (Own.Left().Count > 0 || Directory.EnumerateFileSystemEntries(Temporary).Any()); i++)
            await Task.Delay(100);
        Assert.Empty(Own.Left().Select(OwnProcesses.Name));
        Assert.Empty(Directory.EnumerateFileSystemEntries(Temporary));
    }

    private static string Scripts([CallerFilePath] string source = "") =>
        Path.GetFullPath(Path.Combine(Path.GetDirectoryName(source)!, "..", "..", "scenarios"));

    private static string Quoted(string text) => $"'{text.Replace("'", "\\'", StringComparison.Ordinal)}'";
}
