using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>A server that this tool started: a child process on private endpoints that ends with it, however it ends.</summary>
internal sealed class ChildServer : IAsyncDisposable
{
    /// <summary>How long a server may take until it is ready, unless something else is said.</summary>
    internal static readonly TimeSpan StartDeadline = TimeSpan.FromSeconds(30);

    private static readonly TimeSpan StopDeadline = TimeSpan.FromSeconds(10), TerminateDeadline = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan ProbeDeadline = TimeSpan.FromSeconds(5), ProbeInterval = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan LastLines = TimeSpan.FromSeconds(2), HalfASecond = TimeSpan.FromMilliseconds(500);

    // How .NET begins what it writes of an exception that ends a program.
    private const string Unhandled = "Unhandled exception. ";

    // Characters that are kept of what somebody's program may write without end.
    private const int LongestLine = 1000;

    private readonly Process process;
    private readonly IServerCommand command;
    private readonly ConcurrentQueue<string> complaints = new();
    private readonly TaskCompletionSource ready = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource errorEnded = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource outputEnded = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly List<Endpoint> endpoints = [];
    private readonly ProcessTree tree;
    private ProcessReaper.KeptServer? bond;

    private ChildServer(IServerCommand command)
    {
        (process, this.command) = (command.Start(), command);
        tree = new ProcessTree([process.Id]);
    }

    /// <summary>One endpoint as the server printed it.</summary>
    public sealed record Endpoint(Address Address, bool IsEcho, string Note);

    /// <summary>In the order in which they were asked for; an endpoint the server could not offer is missing.</summary>
    public IReadOnlyList<Endpoint> Endpoints => endpoints;

    /// <summary>What the server said on its standard error: endpoints left out, warnings.</summary>
    public IEnumerable<string> Complaints => complaints;

    public int Id => process.Id;

    /// <summary>Numbers of the processes that serve: the one that was started, and those that had left it when it was ready.</summary>
    public IReadOnlyList<int> Ids { get; private set; } = [];

    /// <summary>Ends when the server does, whoever ends it.</summary>
    public Task Ended => process.WaitForExitAsync();

    /// <summary>That it ended though nobody told it to, how, and its last words; null while it lives.</summary>
    /// <param name="when">As <c>during round 1</c>.</param>
    public string? Death(string when) => !process.HasExited ? null
        : $"{command.Name}{(command.Probe is null ? " that this tool started" : "")} {HowItEnded} {when}: {LastWords()}";

    private string HowItEnded => string.Create(CultureInfo.InvariantCulture,
        $"ended with exit code {process.ExitCode}{Signal(process.ExitCode)}")
        + (process.ExitCode == 0 && command.Probe is not null ? " (a server must stay in the foreground)" : "");

    /// <summary>Starts a server and waits until it is ready.</summary>
    /// <param name="command">How it is started.</param>
    /// <param name="cancellation">Gives up.</param>
    /// <param name="deadline">How long it may take; null: 30 s.</param>
    /// <param name="reaper">Ends it when this process is killed; null: it ends by itself.</param>
    /// <exception cref="EnvironmentException">It did not become ready; the message has what it said.</exception>
    public static async Task<ChildServer> StartAsync(
        IServerCommand command, CancellationToken cancellation, TimeSpan? deadline = null, ProcessReaper? reaper = null)
    {
        var patience = deadline ?? StartDeadline;
        var server = new ChildServer(command);
        try
        {
            server.bond = reaper?.Keep(server.process);
            server.ReadLines(server.process.StandardError, line => server.Complain(line, server.errorEnded));
            server.ReadLines(server.process.StandardOutput, server.Read);
            await (command.Probe is { } probe ? server.ProbeAsync(probe, patience, cancellation)
                : server.ready.Task.WaitAsync(patience, cancellation));
            server.Ids = [server.process.Id, .. server.bond?.Find(server.tree) ?? []];
            return server;
        }
        catch (TimeoutException)
        {
            var words = server.LastWords();
            var failure = new EnvironmentException(string.Create(
                CultureInfo.InvariantCulture, $"{command.Name} did not become ready within {patience.TotalSeconds:0.#} s: {words}"));
            await ChildProcess.EndAfterAsync(failure, server);
            throw failure;
        }
        catch (Exception e)
        {
            await ChildProcess.EndAfterAsync(e, server);
            throw;
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (command.Probe is not null)
            await ChildProcess.TerminateAsync(process, tree, TerminateDeadline);
        if (bond is not null)
            await bond.DisposeAsync();
        await ChildProcess.EndAsync(process, StopDeadline, command.Addresses);
    }

    /// <summary>
    /// On a thread of its own: on Windows a read of a pipe blocks a thread of the pool however it is begun, and the pool has no more
    /// threads there than <c>-t</c> and the CPUs.
    /// </summary>
    private void ReadLines(StreamReader from, Action<string?> told) => new Thread(() =>
    {
        try
        {
            using (from) // Process.Dispose leaves it open, since it was handed out
            {
                var line = new StringBuilder();
                for (int letter; (letter = from.Read()) >= 0;)
                {
                    if (letter == '\n')
                    {
                        told(line.ToString());
                        line.Clear();
                    }
                    else if (letter != '\r' && line.Length < LongestLine)
                    {
                        line.Append((char)letter);
                    }
                }
                if (line.Length > 0)
                    told(line.ToString());
            }
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException or OperationCanceledException)
        {
            // It is being given up.
        }
        told(null);
    })
    { IsBackground = true, Name = $"words of {command.Name}" }.Start();

    /// <summary>Waits until a connection succeeds.</summary>
    /// <exception cref="TimeoutException">None did.</exception>
    private async Task ProbeAsync(Address address, TimeSpan patience, CancellationToken cancellation)
    {
        var connector = Connector.For(address, new ConnectorOptions { Insecure = true, ResetOnClose = false });
        for (var start = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(start) < patience;)
        {
            if (process.HasExited)
            {
                await Task.WhenAll(errorEnded.Task, outputEnded.Task).WaitAsync(LastLines, cancellation)
                    .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                throw new EnvironmentException($"{command.Name} {HowItEnded} before it listened at {address}: {LastWords()}");
            }
            using var one = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
            one.CancelAfter(ProbeDeadline);
            try
            {
                await using var stream = await connector.ConnectAsync(one.Token);
                endpoints.Add(new Endpoint(address, IsEcho: false, address is Address.Pipe ? NamedPipeConnector.Note : ""));
                return;
            }
            catch (Exception e) when (e is IOException or OperationCanceledException)
            {
                await Task.Delay(ProbeInterval, cancellation);
            }
        }
        throw new TimeoutException();
    }

    private void Read(string? line)
    {
        if (line is null)
            outputEnded.TrySetResult();
        if (command.Probe is not null)
            Complain(line);
        else if (line is null)
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

    private void Complain(string? line, TaskCompletionSource? ended = null)
    {
        if (line is null)
            ended?.TrySetResult();
        // Of a stack trace the reason stands above the methods, of which there may be many.
        if (string.IsNullOrWhiteSpace(line) || line.TrimStart().StartsWith("at ", StringComparison.Ordinal))
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
                Task.WaitAny([errorEnded.Task], HalfASecond); // lets the last lines of its standard error arrive
        }
        catch (InvalidOperationException)
        {
            // It has been given up meanwhile, and the end of its output is told after that.
        }
        var words = complaints.ToList();
        // Of somebody's program nobody knows which lines matter, but for the first of an exception, which may stand far above the end.
        var reason = words.FindIndex(line => line.StartsWith(Unhandled, StringComparison.Ordinal));
        return words.Count == 0 ? "it said nothing" : command.Probe is null ? string.Join(" ", words.TakeLast(3))
            : reason >= 0 ? "its exception:\n  " + words[reason][Unhandled.Length..].Trim()
            : "its last lines:\n  " + string.Join("\n  ", words.TakeLast(10));
    }
}
