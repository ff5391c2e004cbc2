using System.Threading.Tasks.Sources;
using IpcBench.Client.Engine;

namespace IpcBench.Client.Dialing;

/// <summary>A stream of a connection, with one call at a time. This object is the source of the call's task.</summary>
internal abstract class CallStream(DuplexConnection connection) : IStream, IValueTaskSource<CallResult>, IValueTaskSource<bool>
{
    private ManualResetValueTaskSourceCore<CallResult> call;
    private ManualResetValueTaskSourceCore<bool> ready;
    private object? worker, waiter;

    /// <summary>The objects whose code runs when a call ends. The duplex prefetches these objects.</summary>
    public object[] Waiters => [.. new[] { worker, waiter }.OfType<object>()];

    public bool IsInFlight { get; private set; }

    public long SentNs { get; private set; }

    public void OnWorker(object asks)
    {
        worker = asks;
        connection.OnWaiter();
    }

    public virtual ValueTask<bool> ReadyAsync()
    {
        if (connection.IsReady)
            return new(true);
        ready.Reset();
        var wait = new ValueTask<bool>(this, ready.Version);
        connection.WaitForReady(this);
        return wait;
    }

    public ValueTask<CallResult> CallAsync(long sentNs)
    {
        // The lock is held from Begin to Send. Otherwise another thread could take the begun call for a withdrawn call and send it, and
        // this thread would then send the call a second time.
        using var inside = connection.Inside();
        var result = Begin(sentNs);
        Send();
        return result;
    }

    public virtual ValueTask<CallResult> EndAsync(long nowNs) => new(CallResult.Ok(0));

    public void SignalReady(bool isReady) => ready.SetResult(isReady);

    /// <summary>Ends the call. The worker may begin the next call before this method returns: read no old state afterwards.</summary>
    public void Complete(CallResult result)
    {
        IsInFlight = false;
        if (result.IsOk)
            connection.OnSuccess();
        call.SetResult(result);
    }

    /// <summary>Marks a call as in flight until <see cref="Complete"/>. The caller holds the connection's lock.</summary>
    protected ValueTask<CallResult> Begin(long sentNs)
    {
        call.Reset();
        (SentNs, IsInFlight) = (sentNs, true);
        return new ValueTask<CallResult>(this, call.Version);
    }

    /// <summary>Sends the request, or keeps it until the connection can send. The caller holds the connection's lock.</summary>
    protected abstract void Send();

    CallResult IValueTaskSource<CallResult>.GetResult(short token) => call.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<CallResult>.GetStatus(short token) => call.GetStatus(token);

    void IValueTaskSource<CallResult>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        call.OnCompleted(continuation, state, token, flags);
        if (ReferenceEquals(state, waiter))
            return;
        waiter = state;
        connection.OnWaiter();
    }

    bool IValueTaskSource<bool>.GetResult(short token) => ready.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<bool>.GetStatus(short token) => ready.GetStatus(token);

    void IValueTaskSource<bool>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        ready.OnCompleted(continuation, state, token, flags);
}
