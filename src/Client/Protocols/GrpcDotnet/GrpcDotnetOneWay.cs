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
    private AsyncClientStreamingCall<Payload, Received>? open;
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
            : open is null ? Task.FromResult(CallResult.Ok(0)) : FinishAsync(open));

    protected override void DropOpen()
    {
        isReportLost |= open is not null;
        open?.Dispose();
        open = null;
    }

    protected override async Task<CallResult> Call(long sentNs, CancellationToken cancellation)
    {
        if (TakeReportLost())
            return CallResult.CutOff; // the worker then counts the messages without a report as not received
        if (open is null)
        {
            (open, sent, firstDueNs, beganNs) =
                (client.Push(new CallOptions(cancellationToken: cancellation)), 0, 0, MonotonicClock.NowNs);
            await Task.Yield(); // writes that complete at once would keep the thread and stop other streams from opening
        }
        var call = open;
        open = null; // after an exception no stream stays open
        try
        {
            (message.Sequence, message.Stamp) = ((uint)sent++, (ulong)dueNs);
            firstDueNs = firstDueNs == 0 ? dueNs : firstDueNs;
            await call.RequestStream.WriteAsync(message, CancellationToken.None).ConfigureAwait(false);
        }
        catch
        {
            call.Dispose();
            throw;
        }
        if (sent == messages && await FinishAsync(call).ConfigureAwait(false) is { IsOk: false } wrong)
            return wrong;
        open = sent == messages ? null : call;
        return CallResult.Ok(message.Payload_.Length);
    }

    private bool TakeReportLost()
    {
        var isLost = isReportLost;
        isReportLost = false;
        return isLost;
    }

    private async Task<CallResult> FinishAsync(AsyncClientStreamingCall<Payload, Received> call)
    {
        open = null;
        using (call)
        {
            await call.RequestStream.CompleteAsync().ConfigureAwait(false);
            var said = await call.ResponseAsync.ConfigureAwait(false);
            if (said.Messages != sent)
                return CallResult.Failed("wrong count");
            if (said.Bytes != sent * message.Payload_.Length)
                return CallResult.Failed("wrong length");
            receipt = Receipts.From(said, beganNs, firstDueNs, out var wrong);
            return receipt is null ? CallResult.Failed(wrong) : CallResult.Ok(0);
        }
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
    private AsyncServerStreamingCall<Payload>? open;
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
        DropOpen(); // otherwise the server would continue to send
        return new(CallResult.Ok(0));
    }

    protected override void DropOpen()
    {
        open?.Dispose();
        open = null;
    }

    protected override async Task<CallResult> Call(long sentNs, CancellationToken cancellation)
    {
        if (open is null)
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
            open = client.Pull(request, new CallOptions(cancellationToken: cancellation));
            await Task.Yield(); // lets other streams open, see GrpcDotnetPush
        }
        var call = open;
        open = null;
        try
        {
            for (var left = size; ;)
            {
                if (!await call.ResponseStream.MoveNext(CancellationToken.None).ConfigureAwait(false))
                    return Failed(call, "ended early");
                var message = call.ResponseStream.Current;
                if (message.Sequence != parts++)
                    return Failed(call, "wrong sequence");
                if (message.Payload_.Length != (chunk > 0 ? Math.Min(left, chunk) : left))
                    return Failed(call, "wrong length");
                stamp = (long)message.Stamp;
                left -= message.Payload_.Length;
                if (left == 0)
                    break;
            }
            if (++received == messages)
            {
                var more = await call.ResponseStream.MoveNext(CancellationToken.None).ConfigureAwait(false);
                return more ? Failed(call, "unasked message") : CallResult.Ok(size);
            }
        }
        catch
        {
            call.Dispose();
            throw;
        }
        open = call;
        return CallResult.Ok(size);
    }

    private static CallResult Failed(AsyncServerStreamingCall<Payload> call, string kind)
    {
        call.Dispose();
        return CallResult.Failed(kind);
    }
}
