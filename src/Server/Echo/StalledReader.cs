using System.Diagnostics;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace IpcBench.Server.Echo;

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
