using System.Buffers;
using Google.Protobuf;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Http2;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>Messages of <c>Bench.Push</c>, each over when it is written and the output has room for another.</summary>
internal sealed class PushStream(Http2Client connection, Http2Options options) : MessageStream(connection, options), IOneWayStream
{
    // What a server says of a stream takes less: 1024 slots, and a pair of numbers for each time that it has seen.
    private const int MostReply = 1 << 20;

    private readonly ArrayBufferWriter<byte> reply = new();
    private long dueNs, beganNs;
    private bool isWaiting;
    private Receipt? receipt;

    public void SetDue(long dueNs) => this.dueNs = dueNs;

    public Receipt? TakeReceipt()
    {
        var taken = receipt;
        receipt = null;
        return taken;
    }

    public override void BeginStream(int id, long window)
    {
        base.BeginStream(id, window);
        reply.ResetWrittenCount();
        beganNs = MonotonicClock.NowNs;
    }

    public override void BeginMessage()
    {
        base.BeginMessage();
        Stamp = (ulong)dueNs;
    }

    public override void OnWritten()
    {
        if (IsLast)
            return;
        if (Connection.HasOutputRoom(this))
            Complete(CallResult.Ok(Options.Size));
        else
            isWaiting = true;
    }

    /// <summary>The output has room again.</summary>
    public void Resume()
    {
        if (!isWaiting)
            return;
        isWaiting = false;
        Complete(CallResult.Ok(Options.Size));
    }

    public override string? OnData(ReadOnlySpan<byte> bytes)
    {
        if (!SawHeaders)
            return "protocol";
        if (reply.WrittenCount + bytes.Length > MostReply)
            return "wrong length";
        reply.Write(bytes);
        return null;
    }

    public override CallResult Conclude(bool endedByHeaders)
    {
        var why = Failure ?? (!endedByHeaders ? "no status" : !IsSent ? "ended early" : Judge());
        return InTime(why is null ? CallResult.Ok(Ends ? 0 : Options.Size) : CallResult.Failed(why));
    }

    public override void Ended(CallResult result)
    {
        isWaiting = false;
        base.Ended(result);
    }

    /// <returns>What is wrong with what the server says to have received; null: nothing.</returns>
    private string? Judge()
    {
        var bytes = reply.WrittenSpan;
        if (bytes.IsEmpty)
            return "no message";
        if (bytes.Length < GrpcFraming.PrefixLength)
            return "wrong length";
        GrpcFraming.ReadPrefix(bytes, out var flag, out var length);
        if (flag != 0 || length != bytes.Length - GrpcFraming.PrefixLength)
            return "protocol";
        try
        {
            var said = Received.Parser.ParseFrom(bytes[GrpcFraming.PrefixLength..]);
            if (said.Messages != Count)
                return "wrong count";
            if (said.Bytes != Count * Options.Size)
                return "wrong length";
            receipt = Receipts.Of(said, beganNs);
            return receipt is null ? "no times" : null;
        }
        catch (InvalidProtocolBufferException)
        {
            return "protocol";
        }
    }
}

/// <summary>Messages of <c>Bench.Pull</c>, each over when it has come.</summary>
internal sealed class PullStream(Http2Client connection, Http2Options options) : MessageStream(connection, options), IOneWayStream
{
    private (double PerSecond, long DelayNs) pace;
    private long askedNs;
    private bool hasLast;

    public void Pace(double perSecond, long delayNs) => pace = (perSecond, delayNs);

    public long? DueNs(long nowNs) => (long)Stamp >= askedNs && (long)Stamp <= nowNs ? (long)Stamp : null;

    /// <summary>Nobody waits for another message.</summary>
    public void StopWaiting()
    {
        if (IsOut && !Ends)
            Complete(CallResult.Over);
    }

    public override string? OnData(ReadOnlySpan<byte> bytes) => ReadMessages(bytes);

    public override CallResult Conclude(bool endedByHeaders)
    {
        var why = Failure ?? (!endedByHeaders ? "no status" : !IsBetween ? "wrong length" : hasLast ? null : "ended early");
        return InTime(why is null ? CallResult.Ok(Options.Size) : CallResult.Failed(why));
    }

    /// <summary>What is asked when a stream is opened: one body for all its messages.</summary>
    public RequestBody Request()
    {
        (askedNs, hasLast) = (MonotonicClock.NowNs, false);
        var request = new PullRequest
        {
            Size = Options.Size,
            Messages = Options.Messages,
            Rate = pace.PerSecond,
            DelayNs = pace.DelayNs,
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
            Complete(failure);
    }

    /// <summary>The server sends as long as it is not told to stop.</summary>
    protected override ValueTask<CallResult> End(long nowNs)
    {
        Connection.Cancel(this);
        return new(TakeBroken() ?? CallResult.Ok(0));
    }

    protected override string? OnMessage(in PayloadReader message)
    {
        if (hasLast)
            return "unasked message";
        if (message.Sequence != (uint)Count)
            return "wrong sequence";
        if (message.Size != Options.Size)
            return "wrong length";
        Count++;
        hasLast = IsLast;
        if (hasLast || !IsOut)
            return null;
        Stamp = message.Stamp;
        Complete(CallResult.Ok(message.Size));
        return null;
    }
}
