using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace IpcBench.Server.Echo;

/// <summary>Sends every byte of a connection back.</summary>
internal static class EchoHandler
{
    // The most bytes that may wait for one client, besides the transport's own buffers.
    private const int MostAtOnce = 64 << 10;

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    /// <summary>Serves one connection until it ends or the server stops.</summary>
    /// <param name="hold">
    /// Called before each answer: does the work of <c>--work</c>, and delays the answer for tests. Null for neither.
    /// </param>
    public static async Task RunAsync(ConnectionContext connection, Func<ValueTask>? hold)
    {
        var (input, output) = (connection.Transport.Input, connection.Transport.Output);
        var watch = StalledReader.Watch(connection, Patience);
        await using var stopping = connection.Features.Get<IConnectionLifetimeNotificationFeature>()?.ConnectionClosedRequested
            .UnsafeRegister(static reader => ((PipeReader)reader!).CancelPendingRead(), input) ?? default;
        try
        {
            while (true)
            {
                var read = await input.ReadAsync();
                if (read.IsCanceled || (read.Buffer.IsEmpty && read.IsCompleted))
                    return;
                var part = read.Buffer.Slice(0, Math.Min(read.Buffer.Length, MostAtOnce));
                if (hold is not null)
                    await hold();
                var isOpen = await ReturnAsync(output, part, watch);
                input.AdvanceTo(part.End);
                if (!isOpen)
                    return;
            }
        }
        catch (Exception e) when (e is IOException or OperationCanceledException)
        {
            // The client closed the connection in the middle of an echo, which is how these connections usually end.
        }
    }

    /// <summary>Sends the bytes back. Returns false when the connection can send nothing more.</summary>
    private static ValueTask<bool> ReturnAsync(PipeWriter output, in ReadOnlySequence<byte> bytes, StalledReader watch)
    {
        foreach (var segment in bytes)
            output.Write(segment.Span);
        return watch.FlushAsync(output);
    }
}

/// <summary>
/// Aborts a connection when bytes have waited too long for its client to read them. Such bytes occupy a buffer of the
/// server.
/// </summary>
internal sealed class StalledReader
{
    private readonly ConnectionContext connection;
    private readonly TimeSpan patience;
    private long since;

    private StalledReader(ConnectionContext connection, TimeSpan patience) => (this.connection, this.patience) = (connection, patience);

    /// <summary>Starts to check the connection about once a second, with Kestrel's heartbeat.</summary>
    public static StalledReader Watch(ConnectionContext connection, TimeSpan patience)
    {
        var watch = new StalledReader(connection, patience);
        connection.Features.Get<IConnectionHeartbeatFeature>()?.OnHeartbeat(static state => ((StalledReader)state).Look(), watch);
        return watch;
    }

    /// <summary>Sends what was written. Returns false when the connection can send nothing more.</summary>
    public ValueTask<bool> FlushAsync(PipeWriter output)
    {
        var flush = output.FlushAsync();
        return flush.IsCompletedSuccessfully ? ValueTask.FromResult(IsOpen(flush.Result)) : WaitAsync(flush);
    }

    [System.Runtime.CompilerServices.AsyncMethodBuilder(typeof(System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<bool> WaitAsync(ValueTask<FlushResult> flush)
    {
        Begin();
        var result = await flush;
        End();
        return IsOpen(result);
    }

    private static bool IsOpen(FlushResult result) => !result.IsCompleted && !result.IsCanceled;

    /// <summary>Notes that bytes wait for the client from now on.</summary>
    public void Begin() => Volatile.Write(ref this.since, Stopwatch.GetTimestamp());

    public void End() => Volatile.Write(ref this.since, 0);

    private void Look()
    {
        if (Volatile.Read(ref this.since) is var since and not 0 && Stopwatch.GetElapsedTime(since) > this.patience)
            this.connection.Abort(new ConnectionAbortedException("the client does not read"));
    }
}
