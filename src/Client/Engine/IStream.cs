namespace IpcBench.Client.Engine;

/// <summary>One stream: one outstanding call. What a call is on the wire is its business alone.</summary>
internal interface IStream
{
    /// <summary>Waits until a call can be sent at once: the connection is up and allows one more stream.</summary>
    /// <returns>False: the window is over, do not wait for better times.</returns>
    ValueTask<bool> ReadyAsync();

    /// <summary>Makes one call; only after <see cref="ReadyAsync"/> said true, and never two at a time. Does not throw.</summary>
    /// <param name="sentNs">Now, from which the timeout counts.</param>
    ValueTask<CallResult> CallAsync(long sentNs);
}
