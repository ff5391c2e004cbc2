using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using System.Text;
using IpcBench.Host;
using IpcBench.Transports;

namespace IpcBench.Client.Run;

/// <summary>
/// A server that this tool started as a child process on private endpoints. The server ends when this process ends,
/// also when this process is killed.
/// </summary>
internal sealed class ChildServer : IAsyncDisposable
{
    /// <summary>The time in which a server must become ready if the caller gives no deadline.</summary>
    internal static readonly TimeSpan StartDeadline = TimeSpan.FromSeconds(30);

    private static readonly TimeSpan StopDeadline = TimeSpan.FromSeconds(10), TerminateDeadline = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan ProbeDeadline = TimeSpan.FromSeconds(5), ProbeInterval = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan LastLines = TimeSpan.FromSeconds(2), HalfASecond = TimeSpan.FromMilliseconds(500);

    // .NET begins the output of an unhandled exception with this text.
    private const string Unhandled = "Unhandled exception. ";

    // Longer lines are cut after this many characters, since a user's program may write a line that never ends.
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

    /// <summary>The endpoints in the requested order. An endpoint that the server could not offer is missing.</summary>
    public IReadOnlyList<Endpoint> Endpoints => endpoints;

    /// <summary>
    /// The lines of this tool's own server on standard error, such as missing endpoints and warnings. Empty for a
    /// user's server: the lines of a user's server are a log, which is shown only if the server does not start or ends too
    /// early.
    /// </summary>
    public IEnumerable<string> Complaints => command.Probe is null ? complaints : [];

    public int Id => process.Id;

    /// <summary>
    /// The ids of the serving processes: the started process, and those of its descendants whose parent had ended when
    /// the server became ready.
    /// </summary>
    public IReadOnlyList<int> Ids { get; private set; } = [];

    /// <summary>Completes when the server ends, for whatever reason.</summary>
    public Task Ended => process.WaitForExitAsync();

    /// <summary>Returns a sentence about the unexpected end of the server, with its last lines of output. Null while it runs.</summary>
    /// <param name="when">The time at which the server ended, for example <c>during round 1</c>.</param>
    public string? Death(string when) => !process.HasExited ? null
        : $"{command.Name}{(command.Probe is null ? " that this tool started" : "")} {Ending} {when}: {LastWords()}";

    /// <summary>Says how a process ended, for example <c>ended with exit code 134 (SIGABRT)</c>.</summary>
    public static string HowItEnded(int code) => string.Create(CultureInfo.InvariantCulture, $"ended with exit code {code}{Signal(code)}");

    private string Ending => HowItEnded(process.ExitCode)
        + (process.ExitCode == 0 && command.Probe is not null ? " (the command must keep the server in the foreground)" : "");

    /// <summary>Starts a server and waits until it is ready.</summary>
    /// <param name="deadline">The time in which the server must become ready. Null means 30 s.</param>
    /// <param name="reaper">Ends the server if this process is killed. Null for a server that then ends by itself.</param>
    /// <exception cref="EnvironmentException">The server did not become ready. The message has the server's output.</exception>
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
    /// Reads lines on a thread of its own. On Windows every read of a pipe would block a thread of the thread pool, which
    /// has only a few threads, depending on <c>-t</c> and the CPUs.
    /// </summary>
    private void ReadLines(StreamReader from, Action<string?> told) => new Thread(() =>
    {
        try
        {
            using (from) // Process.Dispose does not close readers that were handed out
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
            // The server is about to end.
        }
        told(null);
    })
    { IsBackground = true, Name = $"words of {command.Name}" }.Start();

    /// <summary>Waits until a connection succeeds.</summary>
    /// <exception cref="TimeoutException">No connection succeeded.</exception>
    private async Task ProbeAsync(Address address, TimeSpan patience, CancellationToken cancellation)
    {
        var connector = Connector.For(address, new ConnectorOptions { Insecure = true, ResetOnClose = false });
        for (var start = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(start) < patience;)
        {
            if (process.HasExited)
            {
                await Task.WhenAll(errorEnded.Task, outputEnded.Task).WaitAsync(LastLines, cancellation)
                    .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                throw new EnvironmentException($"{command.Name} {Ending} before it listened at {address}: {LastWords()}");
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

    // The text is for example "unix:/tmp/a b.sock (unix)" or "pipe:/Name (pipe, echo, Unix socket behind .NET's pipe API)".
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
        // Lines of a stack trace are dropped. There may be many of them, and the reason is in a line above them.
        if (string.IsNullOrWhiteSpace(line) || line.TrimStart().StartsWith("at ", StringComparison.Ordinal))
            return;
        complaints.Enqueue(line.Trim());
        while (complaints.Count > 50)
            complaints.TryDequeue(out _);
    }

    // When a signal ended the server, the exit code is 128 plus the number of the signal, as in shells (signal(7)).
    private static string Signal(int code) => OperatingSystem.IsWindows() ? "" : (code - 128) switch
    {
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        9 => " (SIGKILL: sent by a user, or by the kernel for lack of memory)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    };

    private string LastWords()
    {
        try
        {
            if (process.HasExited)
                Task.WaitAny([errorEnded.Task], HalfASecond); // lets the last lines of the server's standard error arrive
        }
        catch (InvalidOperationException)
        {
            // The process object is already disposed. Only the lines that have arrived are shown.
        }
        var words = complaints.ToList();
        // The first line of an exception may stand far above the last lines of the output. If a user's program wrote
        // no exception, its last lines are shown.
        var reason = words.FindIndex(line => line.StartsWith(Unhandled, StringComparison.Ordinal));
        return words.Count == 0 ? "it wrote nothing" : command.Probe is null ? string.Join(" ", words.TakeLast(3))
            : reason >= 0 ? "its exception:\n  " + words[reason][Unhandled.Length..].Trim()
            : "its last lines:\n  " + string.Join("\n  ", words.TakeLast(10));
    }
}
