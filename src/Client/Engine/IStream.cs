namespace IpcBench.Client.Engine;

/// <summary>A stream of a connection, with one call in flight at a time. The engine does not know what a call is on the wire.</summary>
internal interface IStream
{
    /// <summary>Tells the stream which object makes its calls from now on.</summary>
    void OnWorker(object asks)
    {
    }

    /// <summary>Waits until a call can be sent at once: the connection is up and allows one more stream.</summary>
    /// <returns>False when the load is over and no call may be sent.</returns>
    ValueTask<bool> ReadyAsync();

    /// <summary>
    /// Makes one call. Does not throw. Call this only after <see cref="ReadyAsync"/> gave true and the previous call has ended.
    /// </summary>
    /// <param name="sentNs">The start of the time-out: the present time, or when a received message is due.</param>
    ValueTask<CallResult> CallAsync(long sentNs);

    /// <summary>
    /// Ends the stream of messages, if calls are the messages of such a stream. Call this after the last call has
    /// ended. Does not throw.
    /// </summary>
    /// <param name="nowNs">The present time, from which the time-out counts.</param>
    /// <returns>Not OK when the stream ended with an error, or broke after the last call.</returns>
    ValueTask<CallResult> EndAsync(long nowNs) => new(CallResult.Ok(0));
}
