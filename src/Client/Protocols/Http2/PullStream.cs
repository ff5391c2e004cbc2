using Google.Protobuf;
using IpcBench.Client.Engine;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>
/// Receives payloads of <c>Bench.Pull</c>, or messages of a user's method that returns a stream. A call ends when its
/// payload has arrived. When a user's method ends its stream, the next stream is opened.
/// </summary>
internal sealed class PullStream(ReconnectingHttp2Connection connection, Http2Options options)
    : MessageStream(connection, options), IOneWayStream
{
    private (double PerSecond, long DelayNs) pace;
    private long askedNs, come;
    private uint parts;
    private bool hasLast;

    public override bool IsSent => Unsent == 0;

    public void Pace(double perSecond, long delayNs) => pace = (perSecond, delayNs);

    public long? DueNs(long nowNs) => (long)Stamp >= askedNs && (long)Stamp <= nowNs ? (long)Stamp : null;

    /// <summary>Called at the end of the load. Ends the call that waits for a message.</summary>
    public void StopWaiting()
    {
        if (IsInFlight && !Ends)
            Complete(CallResult.Over);
    }

    public override string? OnData(ReadOnlySpan<byte> bytes) => ReadMessages(bytes);

    public override CallResult Conclude(bool endedByHeaders)
    {
        var early = !Options.IsUserMethod ? "ended early" : Count == 0 ? "no message" : null;
        var why = Failure ?? (!endedByHeaders ? "no status" : !IsBetween ? "wrong length" : hasLast ? null : early);
        return InTime(why is null ? CallResult.Ok(Options.Size) : CallResult.Failed(why));
    }

    public override void Ended(CallResult result)
    {
        if (!Options.IsUserMethod || !result.IsOk || !IsInFlight || Ends)
        {
            base.Ended(result);
            return;
        }
        // The method has ended its stream. The call in flight now waits for the first message of a new stream.
        Body = null;
        Connection.Send(this);
    }

    /// <summary>
    /// Makes the request that opens a stream of Bench's payloads. Null for a user's method, since the user gives the request.
    /// </summary>
    public RequestBody? Request()
    {
        (askedNs, hasLast, parts, come) = (MonotonicClock.NowNs, false, 0, 0);
        if (Options.IsUserMethod)
            return null;
        var request = new PullRequest
        {
            Size = Options.Size,
            Messages = Options.Messages,
            Rate = pace.PerSecond,
            DelayNs = pace.DelayNs,
            Chunk = Options.Chunk,
        };
        return Options.Request.With(request.ToByteArray());
    }

    protected override void Send()
    {
        if (Id == 0)
        {
            Body = null;
            base.Send();
        }
        else if (TakeBroken() is { } failure)
        {
            Complete(failure);
        }
        else
        {
            Watch();
        }
    }

    /// <summary>Cancels the stream, since the server would otherwise continue to send.</summary>
    protected override ValueTask<CallResult> End(long nowNs)
    {
        Connection.Cancel(this);
        return new(TakeBroken() ?? CallResult.Ok(0));
    }

    protected override string? OnMessage(in PayloadReader message)
    {
        if (hasLast)
            return "unasked message";
        if (!Options.IsUserMethod)
        {
            if (message.Sequence != parts++)
                return "wrong sequence";
            var left = Options.Size - come;
            if (message.Size != (Options.Chunk > 0 ? Math.Min(left, Options.Chunk) : left))
                return "wrong length";
            come += message.Size;
            if (come < Options.Size)
                return null;
            come = 0;
        }
        Count++;
        (hasLast, Stamp) = (IsLast, message.Stamp);
        if (hasLast || !IsInFlight)
            return null;
        Complete(CallResult.Ok(Options.IsUserMethod ? message.Size : Options.Size));
        return null;
    }
}
