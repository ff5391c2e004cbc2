using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>A server that this tool started: a child process on private endpoints that ends with it, however it ends.</summary>
internal sealed class ChildServer : IAsyncDisposable
{
    private static readonly TimeSpan StartDeadline = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan StopDeadline = TimeSpan.FromSeconds(10);

    private readonly Process process;
    private readonly IReadOnlyList<Address> asked;
    private readonly ConcurrentQueue<string> complaints = new();
    private readonly TaskCompletionSource ready = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly List<Endpoint> endpoints = [];

    private ChildServer(ChildServerCommand command) => (process, asked) = (command.Start(), command.Addresses);

    /// <summary>One endpoint as the server printed it.</summary>
    public sealed record Endpoint(Address Address, bool IsEcho, string Note);

    /// <summary>In the order in which they were asked for; an endpoint the server could not offer is missing.</summary>
    public IReadOnlyList<Endpoint> Endpoints => endpoints;

    /// <summary>What the server said on its standard error: endpoints left out, warnings.</summary>
    public IEnumerable<string> Complaints => complaints;

    public int Id => process.Id;

    /// <summary>That it ended though nobody told it to, how, and its last words; null while it lives.</summary>
    public string? Death => !process.HasExited ? null : string.Create(CultureInfo.InvariantCulture,
        $"the server that this tool started died in the run, with exit code {process.ExitCode}{Signal(process.ExitCode)}: {LastWords()}");

    /// <summary>Starts a server and waits until it is ready.</summary>
    /// <param name="command">How it is started.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <param name="deadline">How long it may take; null: 30 s.</param>
    /// <exception cref="EnvironmentException">It did not become ready; the message has what it said.</exception>
    public static async Task<ChildServer> StartAsync(
        ChildServerCommand command, CancellationToken cancellation, TimeSpan? deadline = null)
    {
        var patience = deadline ?? StartDeadline;
        var server = new ChildServer(command);
        try
        {
            server.process.ErrorDataReceived += (_, e) => server.Complain(e.Data);
            server.process.OutputDataReceived += (_, e) => server.Read(e.Data);
            server.process.BeginErrorReadLine();
            server.process.BeginOutputReadLine();
            await server.ready.Task.WaitAsync(patience, cancellation);
            return server;
        }
        catch (TimeoutException)
        {
            var words = server.LastWords();
            await server.DisposeAsync();
            throw new EnvironmentException(string.Create(
                CultureInfo.InvariantCulture, $"the server did not become ready within {patience.TotalSeconds:0.#} s: {words}"));
        }
        catch
        {
            await server.DisposeAsync();
            throw;
        }
    }

    public async ValueTask DisposeAsync() => await ChildProcess.EndAsync(process, StopDeadline, asked);

    private void Read(string? line)
    {
        if (line is null)
            ready.TrySetException(new EnvironmentException($"the server ended before it was ready: {LastWords()}"));
        else if (line == "GrpcBench server ready")
            ready.TrySetResult();
        else if (line.StartsWith("listening on ", StringComparison.Ordinal))
            endpoints.Add(ParseEndpoint(line["listening on ".Length..]));
    }

    // "unix:/tmp/a b.sock (unix)" or "pipe:/Name (pipe, echo, Unix socket behind .NET's pipe API)"
    private static Endpoint ParseEndpoint(string text)
    {
        var open = text.LastIndexOf(" (", StringComparison.Ordinal);
        var details = text[(open + 2)..^1].Split(", ");
        var isEcho = details is [_, "echo", ..];
        return new Endpoint(Address.Parse(text[..open]), isEcho, string.Join(", ", details.Skip(isEcho ? 2 : 1)));
    }

    private void Complain(string? line)
    {
        if (string.IsNullOrWhiteSpace(line))
            return;
        complaints.Enqueue(line.Trim());
        while (complaints.Count > 50)
            complaints.TryDequeue(out _);
    }

    // As shells count: 128 and the signal's number (signal(7)).
    private static string Signal(int code) => OperatingSystem.IsWindows() ? "" : (code - 128) switch
    {
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        9 => " (SIGKILL: by somebody, or by the kernel for want of memory)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    };

    private string LastWords()
    {
        try
        {
            if (process.HasExited)
                process.WaitForExit(500); // lets the last lines of its standard error arrive
        }
        catch (InvalidOperationException)
        {
            // It has been given up meanwhile, and the end of its output is told after that.
        }
        return complaints.IsEmpty ? "it said nothing" : string.Join(" ", complaints.TakeLast(3));
    }
}

/// <summary>What the servers that this tool starts have in common: addresses of their own, and how they end.</summary>
internal static class ChildProcess
{
    /// <summary>Where no other run listens: several runs at once must not meet.</summary>
    /// <param name="kind">One of <see cref="Address.Own"/>.</param>
    public static Address PrivateAddress(string kind)
    {
        var name = string.Create(CultureInfo.InvariantCulture, $"grpcbench-{Environment.ProcessId}-{Guid.NewGuid().ToString("N")[..8]}");
        return Address.Own[kind](name);
    }

    /// <summary>
    /// Closes its standard input, which is its order to end, and kills it when it has not ended in time. One that was killed, by whomever,
    /// could not remove its sockets, nor could its runtime: that is done here.
    /// </summary>
    public static async Task EndAsync(Process process, TimeSpan patience, IEnumerable<Address> addresses)
    {
        try
        {
            process.StandardInput.Close();
            await process.WaitForExitAsync(CancellationToken.None).WaitAsync(patience);
        }
        catch (Exception e) when (e is TimeoutException or IOException or InvalidOperationException)
        {
            process.Kill(entireProcessTree: true);
            process.WaitForExit(patience);
        }
        var id = process.Id;
        process.Dispose();
        foreach (var address in addresses)
            TryRemove(() => RemoveSocket(address));
        TryRemove(() => RemoveDiagnostics(id));
    }

    private static void RemoveSocket(Address address)
    {
        if (address is Address.Unix unix)
            File.Delete(UnixSocketPath.Resolve(unix.Path));
        else if (address is Address.Pipe pipe && !OperatingSystem.IsWindows())
            File.Delete(NamedPipeConnector.UnixSocketPath(pipe.Name));
    }

    /// <summary>What .NET opens for debuggers and removes as it ends; on Windows these are pipes, which end by themselves.</summary>
    private static void RemoveDiagnostics(int id)
    {
        if (OperatingSystem.IsWindows() || Directory.Exists($"/proc/{id}"))
            return;
        foreach (var kind in (string[])["dotnet-diagnostic-", "clr-debug-pipe-"])
        {
            foreach (var file in Directory.GetFiles(Path.GetTempPath(), $"{kind}{id}-*"))
                File.Delete(file);
        }
    }

    private static void TryRemove(Action remove)
    {
        try
        {
            remove();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // The file stays: no reason to fail a run that has been measured.
        }
    }
}
