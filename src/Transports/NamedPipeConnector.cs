using System.Diagnostics;
using System.IO.Pipes;
using System.Net.Sockets;

namespace IpcBench.Transports;

/// <summary>Connects to a named pipe of this machine. On Unix, .NET implements named pipes with Unix sockets.</summary>
public sealed class NamedPipeConnector(string name) : Connector
{
    // How long to try to connect. A pipe that has answered before is busy rather than absent, so its limit is longer.
    // Usually the caller's own time-out ends that wait first.
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan PatienceWhenServed = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(5);
    private readonly Address address = new Address.Pipe(name);
    private readonly List<Task<NamedPipeClientStream?>> late = [];
    private long retries;
    private volatile bool isServed;

    /// <summary>
    /// Explains what a <c>pipe:</c> address is on systems without named pipes. Every report that shows a pipe contains
    /// this note.
    /// </summary>
    public const string UnixNote = "Unix socket behind .NET's pipe API";

    /// <summary>The note that a report adds to pipes on this system. Empty on Windows, which has named pipes.</summary>
    public static string Note => OperatingSystem.IsWindows() ? "" : UnixNote;

    /// <summary>
    /// Returns the socket file that .NET's pipe API uses for <paramref name="pipeName"/> on Unix (runtime:
    /// PipeStream.Unix.cs, GetPipePath).
    /// </summary>
    public static string UnixSocketPath(string pipeName) => Path.Combine(Path.GetTempPath(), "CoreFxPipe_" + pipeName);

    public override long Retries => Interlocked.Read(ref retries);

    // .NET's ConnectAsync is not used here. It spins on a pool thread until the pipe is served, so a few hundred such
    // calls starve the pool.
    public override async ValueTask<Stream> ConnectAsync(CancellationToken cancellation)
    {
        // Without this check, the loop below would try until its time-out although no server listens. On Windows no
        // check is made, because File.Exists would take one of the server's instances of the pipe.
        if (!OperatingSystem.IsWindows() && !File.Exists(UnixSocketPath(name)))
            throw new CannotConnectException(address, "no server listens at this name");
        for (var began = Stopwatch.GetTimestamp(); ; Interlocked.Increment(ref retries))
        {
            cancellation.ThrowIfCancellationRequested();
            if (await AttemptAsync(cancellation) is { } pipe)
            {
                isServed = true;
                return pipe;
            }
            if (Stopwatch.GetElapsedTime(began) > (isServed ? PatienceWhenServed : Patience))
                throw new CannotConnectException(address, "no server listens at this name, or all instances of the pipe stay busy");
            await Task.Delay(Pause, cancellation);
        }
    }

    // Outside Windows .NET's connect(2) waits without a limit for room in the accept queue, and cannot be cancelled. So a later
    // attempt takes over an attempt that was given up, and no more threads wait than connections.
    private async Task<NamedPipeClientStream?> AttemptAsync(CancellationToken cancellation)
    {
        Task<NamedPipeClientStream?>? attempt = null;
        lock (late)
        {
            if (late.Count > 0)
            {
                attempt = late[^1];
                late.RemoveAt(late.Count - 1);
            }
        }
        attempt ??= Task.Run(TryConnect, CancellationToken.None);
        try
        {
            return await attempt.WaitAsync(cancellation);
        }
        catch (OperationCanceledException)
        {
            lock (late)
                late.Add(attempt);
            throw;
        }
    }

    private NamedPipeClientStream? TryConnect()
    {
        var pipe = new NamedPipeClientStream(".", name, PipeDirection.InOut, PipeOptions.Asynchronous | PipeOptions.CurrentUserOnly);
        try
        {
            pipe.Connect(0);
            return pipe;
        }
        catch (TimeoutException)
        {
            pipe.Dispose();
            return null;
        }
        catch (Exception e) when (e is SocketException or UnauthorizedAccessException)
        {
            pipe.Dispose();
            throw new CannotConnectException(address, e.Message, e);
        }
        catch
        {
            pipe.Dispose();
            throw;
        }
    }
}
