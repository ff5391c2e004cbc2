using System.Diagnostics;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace IpcBench.Server.Echo;

/// <summary>
/// Ends a connection whose client has read nothing for a while although bytes wait for it: each holds a buffer of the server.
/// </summary>
internal sealed class StalledReader
{
    private readonly ConnectionContext connection;
    private readonly TimeSpan patience;
    private long since;

    private StalledReader(ConnectionContext connection, TimeSpan patience) => (this.connection, this.patience) = (connection, patience);

    /// <summary>Looks about once a second, at the pace of Kestrel's own clock.</summary>
    public static StalledReader Watch(ConnectionContext connection, TimeSpan patience)
    {
        var watch = new StalledReader(connection, patience);
        connection.Features.Get<IConnectionHeartbeatFeature>()?.OnHeartbeat(static state => ((StalledReader)state).Look(), watch);
        return watch;
    }

    /// <summary>Bytes wait for the client from now on.</summary>
    public void Begin() => Volatile.Write(ref this.since, Stopwatch.GetTimestamp());

    public void End() => Volatile.Write(ref this.since, 0);

    private void Look()
    {
        if (Volatile.Read(ref this.since) is var since and not 0 && Stopwatch.GetElapsedTime(since) > this.patience)
            this.connection.Abort(new ConnectionAbortedException("the client does not read"));
    }
}
