namespace IpcBench.Client.Engine;

/// <summary>A stream of a connection, with one call in flight at a time. The engine does not depend on the protocol of the call.</summary>
internal interface IStream
{
    /// <summary>Gives the stream the object that makes its calls from now on.</summary>
    void OnWorker(object asks)
    {
    }

    /// <summary>Waits until a call can be sent at once: the connection is open, and the server allows one more call.</summary>
    /// <returns>False when the load is over and no call may be sent.</returns>
    ValueTask<bool> ReadyAsync();

    /// <summary>
    /// Makes one call. Does not throw. Call this only after <see cref="ReadyAsync"/> gave true and the previous call has ended.
    /// </summary>
    /// <param name="sentNs">The time from which the time-out counts: the present time, or the due time of the expected message.</param>
    ValueTask<CallResult> CallAsync(long sentNs);

    /// <summary>
    /// If calls are messages on one stream of the protocol (such as an HTTP/2 stream), ends that stream. Otherwise does
    /// nothing. Call this after the last call has ended. Does not throw.
    /// </summary>
    /// <param name="nowNs">The present time, from which the time-out counts.</param>
    /// <returns>Not OK when the stream ended with an error, or broke after the last call.</returns>
    ValueTask<CallResult> EndAsync(long nowNs) => new(CallResult.Ok(0));
}
