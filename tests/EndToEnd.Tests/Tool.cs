using System.Diagnostics;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;
using Xunit.Sdk;

namespace IpcBench.EndToEnd.Tests;

/// <summary>A GrpcBench (or its server) as a process of its own, whose output is kept.</summary>
internal sealed partial class Tool : IAsyncDisposable
{
    private const int Attempts = 5;

    // On a busy machine a test that builds or starts many programs takes minutes.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(300);
    private readonly StringBuilder output = new();
    private readonly StringBuilder error = new();

    private Tool(Process process) => Process = process;

    public Process Process { get; }

    public string Output => Locked(output);

    public string Error => Locked(error);

    // The folder in which the build puts the client.
    private static readonly string Built =
        typeof(Tool).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>().Single(data => data.Key == "ClientFolder").Value!;

    /// <summary>The folder of the program under test: the built program, or the published program that GRPCBENCH names.</summary>
    public static string ClientFolder { get; } =
        Environment.GetEnvironmentVariable("GRPCBENCH") is { Length: > 0 } program ? Path.GetDirectoryName(Path.GetFullPath(program))!
            : Built;

    /// <summary>The path of the program without an extension, as its messages name it.</summary>
    public static string Client { get; } = Path.Combine(ClientFolder, "GrpcBench");

    public static Tool Start(params string[] arguments) => Start(Client, arguments);

    public static Tool StartServer(params string[] arguments) => Start(Path.Combine(ClientFolder, "server", "GrpcBenchServer"), arguments);

    /// <summary>Starts another program, with a folder of its own for temporary files.</summary>
    public static Tool StartProgram(string program, string temporary, params string[] arguments) =>
        Start(program, arguments, new() { ["TMPDIR"] = temporary });

    /// <summary>Starts the client with more environment variables.</summary>
    public static Tool StartWith(Dictionary<string, string> variables, params string[] arguments) =>
        Start(Client, arguments, variables);

    /// <summary>Runs the client to its end.</summary>
    public static async Task<(int Code, string Output, string Error)> RunAsync(params string[] arguments)
    {
        await using var tool = Start(arguments);
        return (await tool.ExitCodeAsync(), tool.Output, tool.Error);
    }

    public async Task<int> ExitCodeAsync()
    {
        using var deadline = new CancellationTokenSource(Patience);
        await Process.WaitForExitAsync(deadline.Token);
        return Process.ExitCode;
    }

    /// <summary>Waits until the program's standard output or error contains the text.</summary>
    public async Task SeesAsync(string text)
    {
        for (var begun = Stopwatch.GetTimestamp(); !HasSaid(text); await Task.Delay(20))
        {
            // The last lines of an ended program may still be in its pipe. Waiting for the end reads them.
            if (Process.HasExited)
                await ExitCodeAsync();
            else if (Stopwatch.GetElapsedTime(begun) < Patience)
                continue;
            Assert.True(HasSaid(text), $"'{text}' never came:\n{Output}\n{Error}");
            return;
        }
    }

    private bool HasSaid(string text) =>
        Output.Contains(text, StringComparison.Ordinal) || Error.Contains(text, StringComparison.Ordinal);

    /// <summary>
    /// Repeats a test until its assertions hold, but not endlessly. For tests that act at a certain moment of a run: on a
    /// busy machine they may act too late.
    /// </summary>
    public static async Task RepeatAsync(Func<Task> test)
    {
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                await test();
                return;
            }
            catch (Exception e) when (attempt < Attempts && e is not SkipException && e is XunitException or IOException)
            {
                // The test was too late, or it fails again.
            }
        }
    }

    public void Signal(string name)
    {
        if (!Process.HasExited)
            Send(name, Process.Id);
    }

    /// <summary>Sends a signal without kill(1), whose start takes long on a busy machine.</summary>
    public static void Send(string signal, int process) => _ = Kill(process, signal switch
    {
        "INT" => 2,
        "KILL" => 9,
        "TERM" => 15,
        "STOP" => OperatingSystem.IsLinux() ? 19 : 17, // macOS has numbers of its own, see signal(3) there
        "CONT" => OperatingSystem.IsLinux() ? 18 : 19,
        _ => throw new ArgumentException($"the number of {signal} is not known here", nameof(signal)),
    });

    [LibraryImport("libc", EntryPoint = "kill")]
    private static partial int Kill(int process, int signal);

    public async ValueTask DisposeAsync()
    {
        if (!Process.HasExited)
            IpcBench.Host.ProcessTree.Kill(Process.Id);
        await Process.WaitForExitAsync();
        Process.Dispose();
    }

    private static Tool Start(string program, string[] arguments, Dictionary<string, string>? variables = null)
    {
        var start = new ProcessStartInfo(program + (OperatingSystem.IsWindows() ? ".exe" : ""), arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            RedirectStandardInput = true,
            WorkingDirectory = Path.GetTempPath(),
        };
        foreach (var (name, value) in variables ?? [])
            start.Environment[name] = value;
        var tool = new Tool(Process.Start(start)!);
        tool.Process.OutputDataReceived += (_, e) => tool.Keep(tool.output, e.Data);
        tool.Process.ErrorDataReceived += (_, e) => tool.Keep(tool.error, e.Data);
        tool.Process.BeginOutputReadLine();
        tool.Process.BeginErrorReadLine();
        return tool;
    }

    private void Keep(StringBuilder text, string? line)
    {
        lock (text)
            text.Append(line).Append(line is null ? "" : "\n");
    }

    private static string Locked(StringBuilder text)
    {
        lock (text)
            return text.ToString();
    }
}
