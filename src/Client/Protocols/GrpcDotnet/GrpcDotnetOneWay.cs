using Grpc.Core;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Protocol.V1;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Protocols.GrpcDotnet;

/// <summary>Sends messages of <c>Bench.Push</c>. A call ends when the library has written its message.</summary>
/// <param name="messages">The number of messages after which a new stream is opened. 0 means no limit.</param>
internal sealed class GrpcDotnetPush(GrpcDotnetConnection connection, Bench.BenchClient client, Payload payload, long messages)
    : GrpcDotnetStream(connection), IOneWayStream
{
    private readonly Payload message = payload.Clone();
    private long sent, dueNs, firstDueNs, beganNs;
    private Receipt? receipt;

    // True when a cut-off came just after a message was written and so cancelled the stream. The server then sends no report
    // about the messages of this stream.
    private bool isReportLost;

    public void SetDue(long dueNs) => this.dueNs = dueNs;

    public Receipt? TakeReceipt()
    {
        var taken = receipt;
        receipt = null;
        return taken;
    }

    public override async ValueTask<CallResult> EndAsync(long nowNs) =>
        await TryAsync(nowNs, (_, _) => TakeReportLost() ? Task.FromResult(CallResult.CutOff)
            : Open is AsyncClientStreamingCall<Payload, Received> call ? FinishAsync(call) : Task.FromResult(CallResult.Ok(0)));

    protected override void DropOpen()
    {
        isReportLost |= Open is not null;
        Close();
    }

    protected override async Task<CallResult> Call(long sentNs, CancellationToken cancellation)
    {
        if (TakeReportLost())
            return CallResult.CutOff; // the worker then counts the messages without a report as not received
        if (Open is not AsyncClientStreamingCall<Payload, Received> call)
        {
            Open = call = client.Push(new CallOptions(cancellationToken: cancellation));
            (sent, firstDueNs, beganNs) = (0, 0, MonotonicClock.NowNs);
            await Task.Yield(); // writes that complete at once would keep the thread and stop other streams from opening
        }
        (message.Sequence, message.Stamp) = ((uint)sent++, (ulong)dueNs);
        firstDueNs = firstDueNs == 0 ? dueNs : firstDueNs;
        await call.RequestStream.WriteAsync(message, CancellationToken.None).ConfigureAwait(false);
        return sent == messages && await FinishAsync(call).ConfigureAwait(false) is { IsOk: false } wrong
            ? wrong : CallResult.Ok(message.Payload_.Length);
    }

    private bool TakeReportLost()
    {
        var isLost = isReportLost;
        isReportLost = false;
        return isLost;
    }

    private async Task<CallResult> FinishAsync(AsyncClientStreamingCall<Payload, Received> call)
    {
        await call.RequestStream.CompleteAsync().ConfigureAwait(false);
        var said = await call.ResponseAsync.ConfigureAwait(false);
        Close();
        if (said.Messages != sent)
            return CallResult.Failed("wrong count");
        if (said.Bytes != sent * message.Payload_.Length)
            return CallResult.Failed("wrong length");
        receipt = Receipts.From(said, beganNs, firstDueNs, out var wrong);
        return receipt is null ? CallResult.Failed(wrong) : CallResult.Ok(0);
    }
}

/// <summary>
/// Receives payloads of <c>Bench.Pull</c>. Each payload is a call, which ends when the library has delivered the whole
/// payload.
/// </summary>
/// <param name="size">The size of a payload in bytes.</param>
/// <param name="chunk">The size in bytes of each message of a payload. 0 means that a payload is one message.</param>
/// <param name="messages">The number of payloads after which a new stream is opened. 0 means no limit.</param>
internal sealed class GrpcDotnetPull(GrpcDotnetConnection connection, Bench.BenchClient client, long size, long chunk, long messages)
    : GrpcDotnetStream(connection), IOneWayStream
{
    private long received, askedNs, stamp;
    private (double PerSecond, long DelayNs) pace;
    private uint parts;
    private volatile bool isOver;

    public void Pace(double perSecond, long delayNs) => (pace, isOver) = ((perSecond, delayNs), false);

    public long? DueNs(long nowNs) => stamp >= askedNs && stamp <= nowNs ? stamp : null;

    /// <summary>Cancels the call in flight, since the load is over. May be called from any thread.</summary>
    public void StopWaiting()
    {
        isOver = true;
        CutOff(long.MaxValue);
    }

    public override async ValueTask<CallResult> CallAsync(long sentNs)
    {
        var result = await base.CallAsync(sentNs);
        return isOver && result.IsCutOff ? CallResult.Over : result;
    }

    public override ValueTask<CallResult> EndAsync(long nowNs)
    {
        Close(); // otherwise the server would continue to send
        return new(CallResult.Ok(0));
    }

    protected override async Task<CallResult> Call(long sentNs, CancellationToken cancellation)
    {
        if (isOver)
            return CallResult.Over; // the load has ended between ReadyAsync and this call, so nothing cuts off the wait for a message
        if (Open is not AsyncServerStreamingCall<Payload> call)
        {
            var request = new PullRequest
            {
                Size = size,
                Messages = messages,
                Rate = pace.PerSecond,
                DelayNs = pace.DelayNs,
                Chunk = chunk,
            };
            (received, askedNs, parts) = (0, MonotonicClock.NowNs, 0);
            Open = call = client.Pull(request, new CallOptions(cancellationToken: cancellation));
            await Task.Yield(); // lets other streams open, see GrpcDotnetPush
        }
        for (var left = size; ;)
        {
            if (!await call.ResponseStream.MoveNext(CancellationToken.None).ConfigureAwait(false))
                return CallResult.Failed("ended early");
            var message = call.ResponseStream.Current;
            if (message.Sequence != parts++)
                return CallResult.Failed("wrong sequence");
            if (message.Payload_.Length != (chunk > 0 ? Math.Min(left, chunk) : left))
                return CallResult.Failed("wrong length");
            stamp = (long)message.Stamp;
            left -= message.Payload_.Length;
            if (left == 0)
                break;
        }
        if (++received != messages)
            return CallResult.Ok(size);
        var more = await call.ResponseStream.MoveNext(CancellationToken.None).ConfigureAwait(false);
        Close();
        return more ? CallResult.Failed("unasked message") : CallResult.Ok(size);
    }
}
