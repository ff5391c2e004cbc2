namespace IpcBench.Client.Engine;

/// <summary>The time in which streams had bytes to write but could not write, in ns, summed over the streams.</summary>
/// <param name="StreamWindowNs">Time in which the flow-control window of the stream was closed.</param>
/// <param name="ConnectionWindowNs">Time in which the flow-control window of the connection was closed.</param>
/// <param name="SocketNs">Time in which the socket was full.</param>
/// <param name="Times">How often a stream became unable to write.</param>
/// <param name="AheadBytes">
/// The largest number of flow-controlled bytes that were in flight on a connection when a stream became blocked. Starts
/// at 0 in each window.
/// </param>
internal readonly record struct BlockedTime(
    long StreamWindowNs, long ConnectionWindowNs, long SocketNs, long Times = 0, long AheadBytes = 0)
{
    public long AllNs => StreamWindowNs + ConnectionWindowNs + SocketNs;

    public static BlockedTime operator +(BlockedTime a, BlockedTime b) => new(
        a.StreamWindowNs + b.StreamWindowNs, a.ConnectionWindowNs + b.ConnectionWindowNs, a.SocketNs + b.SocketNs, a.Times + b.Times,
        Math.Max(a.AheadBytes, b.AheadBytes));

    public static BlockedTime operator -(BlockedTime a, BlockedTime b) => new(
        a.StreamWindowNs - b.StreamWindowNs, a.ConnectionWindowNs - b.ConnectionWindowNs, a.SocketNs - b.SocketNs, a.Times - b.Times,
        a.AheadBytes);
}
