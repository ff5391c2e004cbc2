using System.Diagnostics;
using IpcBench.Transports;

namespace IpcBench.Server.Tests.Support;

/// <summary>The real server program as a child process.</summary>
internal sealed class ServerChild : IAsyncDisposable
{
    private readonly Process process;

    private ServerChild(Process process) => this.process = process;

    public int Id => this.process.Id;

    /// <summary>The number of file descriptors that the server has open, on Linux.</summary>
    public int OpenFiles => Directory.GetFiles($"/proc/{Id}/fd").Length;

    public StreamWriter Input => this.process.StandardInput;

    /// <summary>The lines that the server printed until it was ready.</summary>
    public List<string> Lines { get; } = [];

    public IReadOnlyList<Address> Addresses =>
        [.. Lines.Where(line => line.StartsWith("listening on "))
            .Select(line => Address.Parse(line["listening on ".Length..line.IndexOf(" (")]))];

    /// <summary>Starts the server and waits for the ready line.</summary>
    public static Task<ServerChild> StartAsync(params string[] arguments) => ReadyAsync(Launch(arguments));

    /// <summary>Starts the server with few file descriptors.</summary>
    public static Task<ServerChild> StartWithFilesAsync(int files, params string[] arguments) =>
        ReadyAsync(LaunchWithFiles(files, arguments));

    /// <summary>Starts the server in a locale with another encoding than UTF-8.</summary>
    public static Task<ServerChild> StartInLocaleAsync(string locale, params string[] arguments) =>
        ReadyAsync(Launch("env", [$"LC_ALL={locale}", "dotnet", Program, .. arguments]));

    /// <summary>Starts the server with more environment variables than the tests have.</summary>
    public static Task<ServerChild> StartWithVariablesAsync(Dictionary<string, string> variables, params string[] arguments) =>
        ReadyAsync(Launch("dotnet", [Program, .. arguments], variables));

    private static async Task<ServerChild> ReadyAsync(Process process)
    {
        var child = new ServerChild(process);
        using var limit = new CancellationTokenSource(Limits.Wait);
        while (await child.process.StandardOutput.ReadLineAsync(limit.Token) is { } line)
        {
            child.Lines.Add(line);
            if (line == "GrpcBench server ready")
                return child;
        }
        var error = await child.process.StandardError.ReadToEndAsync(limit.Token);
        await child.DisposeAsync();
        throw new InvalidOperationException($"the server ended before it was ready: {error}");
    }

    /// <summary>Runs the server to its end and returns exit code, standard output and standard error.</summary>
    public static Task<(int ExitCode, string Output, string Error)> RunAsync(params string[] arguments) => RunAsync(Launch(arguments));

    /// <summary>Runs the server to its end with few file descriptors.</summary>
    public static Task<(int ExitCode, string Output, string Error)> RunWithFilesAsync(int files, params string[] arguments) =>
        RunAsync(LaunchWithFiles(files, arguments));

    /// <summary>Runs the server to its end as another user. Null when that user cannot read the program.</summary>
    public static async Task<(int ExitCode, string Output, string Error)?> RunAsAsync(int user, params string[] arguments)
    {
        string[] become = [$"--reuid={user}", $"--regid={user}", "--clear-groups"];
        using var mayRead = Process.Start("setpriv", [.. become, "test", "-r", Program]);
        await mayRead.WaitForExitAsync().WaitAsync(Limits.Wait);
        return mayRead.ExitCode == 0 ? await RunAsync(Launch("setpriv", [.. become, "dotnet", Program, .. arguments])) : null;
    }

    private static async Task<(int ExitCode, string Output, string Error)> RunAsync(Process launched)
    {
        using var process = launched;
        process.StandardInput.Close();
        using var limit = new CancellationTokenSource(Limits.Wait);
        var output = process.StandardOutput.ReadToEndAsync(limit.Token);
        var error = process.StandardError.ReadToEndAsync(limit.Token);
        try
        {
            await process.WaitForExitAsync(limit.Token);
        }
        catch (OperationCanceledException)
        {
            process.Kill();
            throw;
        }
        return (process.ExitCode, (await output).ReplaceLineEndings("\n"), (await error).ReplaceLineEndings("\n"));
    }

    /// <summary>Waits for the server's end and returns the exit code and the waiting time.</summary>
    public async Task<(int ExitCode, TimeSpan Took)> EndAsync()
    {
        var clock = Stopwatch.StartNew();
        await this.process.WaitForExitAsync().WaitAsync(Limits.Wait);
        return (this.process.ExitCode, clock.Elapsed);
    }

    public async Task SignalAsync(string name)
    {
        using var kill = Process.Start("kill", ["-" + name, this.process.Id.ToString()]);
        await kill.WaitForExitAsync().WaitAsync(Limits.Wait);
    }

    /// <summary>Changes the soft and hard limit of open files of the running process.</summary>
    public async Task LimitFilesAsync(int soft, int hard)
    {
        using var prlimit = Process.Start("prlimit", ["--pid", this.process.Id.ToString(), $"--nofile={soft}:{hard}"]);
        await prlimit.WaitForExitAsync().WaitAsync(Limits.Wait);
        Assert.Equal(0, prlimit.ExitCode);
    }

    public void Kill() => this.process.Kill();

    /// <summary>True when the process ended itself by SIGABRT, as the runtime does after an error of its own.</summary>
    public bool HasAborted => this.process.WaitForExit(Limits.Wait) && this.process.ExitCode == 128 + 6;

    public bool HasEnded => this.process.HasExited;

    public async ValueTask DisposeAsync()
    {
        if (!this.process.HasExited)
            this.process.Kill();
        await this.process.WaitForExitAsync().WaitAsync(Limits.Wait);
        this.process.Dispose();
        // A killed server could not remove its socket files.
        foreach (var address in Addresses)
        {
            if (address is Address.Unix unix)
                File.Delete(unix.Path);
            else if (address is Address.Pipe pipe && !OperatingSystem.IsWindows())
                File.Delete(NamedPipeConnector.UnixSocketPath(pipe.Name));
        }
    }

    /// <summary>Reads the next line of standard error.</summary>
    public Task<string?> ErrorLineAsync() => this.process.StandardError.ReadLineAsync().WaitAsync(Limits.Wait);

    /// <summary>Ends the server with SIGTERM and returns its standard error.</summary>
    public async Task<string> ErrorAsync()
    {
        await SignalAsync("TERM");
        return await this.process.StandardError.ReadToEndAsync().WaitAsync(Limits.Wait);
    }

    private static string Program => Path.Combine(AppContext.BaseDirectory, "GrpcBenchServer.dll");

    private static Process LaunchWithFiles(int files, string[] arguments) =>
        Launch("sh", ["-c", $"ulimit -n {files}; exec dotnet \"$@\"", "sh", Program, .. arguments]);

    private static Process Launch(string[] arguments) => Launch("dotnet", [Program, .. arguments]);

    private static Process Launch(string program, string[] arguments, Dictionary<string, string>? variables = null)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var (name, value) in variables ?? [])
            start.Environment[name] = value;
        return Process.Start(start)!;
    }
}
