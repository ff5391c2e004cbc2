using System.Diagnostics;
using System.Reflection;
using System.Text;

namespace IpcBench.EndToEnd.Tests;

/// <summary>A GrpcBench (or its server) as a process of its own, whose output is kept.</summary>
internal sealed class Tool : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(180);
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

    public void Signal(string name)
    {
        using var kill = Process.Start("kill", ["-" + name, Process.Id.ToString(System.Globalization.CultureInfo.InvariantCulture)]);
        kill.WaitForExit();
    }

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
