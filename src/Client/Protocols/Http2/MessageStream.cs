using IpcBench.Client.Engine;
using IpcBench.Protocol;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>
/// One stream's place on an HTTP/2 connection where a call is a message of <c>Bench.Echo</c>: sent on the stream that is open, or on a new
/// one, and over when its answer has come. What happens to an idle stream is told with the next message.
/// </summary>
internal sealed class MessageStream(Http2Client connection, Http2Options options) : Http2Stream(connection, options)
{
    // The fields beside the payload, and room for some that are not known.
    private const int MostBeside = 1024;

    private readonly Http2Client connection = connection;
    private readonly Http2Options options = options;
    private PayloadReader reader;
    private long sent;
    private bool isEnding, hasAnswer;
    private CallResult? broken;

    /// <summary>When the message that is out was sent.</summary>
    public ulong Stamp { get; private set; }

    /// <summary>Its number in its stream.</summary>
    public uint Sequence { get; private set; }

    /// <summary>The message that is out is the last of its stream, and over when the stream is.</summary>
    public bool IsLast => options.Messages > 0 && sent == options.Messages;

    public override bool IsSent => Unsent == 0 && (isEnding || IsLast);

    public override bool IsEnding => isEnding;

    public override ValueTask<bool> ReadyAsync()
    {
        if (Id == 0)
            return base.ReadyAsync();
        if (!connection.IsAccepting || connection.IsOpen)
            return new(connection.IsAccepting);
        return MoveAsync();
    }

    public override ValueTask<CallResult> EndAsync(long nowNs)
    {
        connection.Enter();
        try
        {
            if (Id == 0)
                return new(TakeBroken() ?? CallResult.Ok(0));
            var end = Begin(nowNs);
            isEnding = true;
            connection.HalfClose(this);
            return end;
        }
        finally
        {
            connection.Leave();
        }
    }

    /// <summary>A new HTTP/2 stream is opened for the next message.</summary>
    public void BeginStream(int id, long window)
    {
        BeginRequest(id, 0, window);
        (reader, sent) = (default, 0);
    }

    /// <summary>Numbers the next message, which is about to be sent.</summary>
    public void BeginMessage() => (Sequence, Stamp, sent) = ((uint)sent, (ulong)SentNs, sent + 1);

    public override string? OnData(ReadOnlySpan<byte> bytes)
    {
        if (!SawHeaders)
            return "protocol";
        while (!bytes.IsEmpty)
        {
            bytes = bytes[reader.Read(bytes)..];
            if (reader.IsBroken)
                return "protocol";
            if (reader.Length > options.Size + MostBeside)
                return "wrong length";
            if (!reader.IsComplete)
                break;
            if (Wrong() is { } wrong)
                return wrong;
            if (IsLast)
                hasAnswer = true;
            else
                Complete(InTime(CallResult.Ok(reader.Size))); // the next message may be out after this
        }
        return null;
    }

    public override CallResult Conclude(bool endedByHeaders)
    {
        var why = Failure
            ?? (!endedByHeaders ? "no status" : !reader.IsBetween ? "wrong length" : isEnding || hasAnswer ? null : "ended early");
        return InTime(why is null ? CallResult.Ok(hasAnswer ? options.Size : 0) : CallResult.Failed(why));
    }

    public override void Ended(CallResult result)
    {
        (isEnding, hasAnswer) = (false, false);
        if (IsOut)
            Complete(result);
        else if (!result.IsOk)
            broken = result;
    }

    protected override void Send()
    {
        connection.Enter();
        try
        {
            if (TakeBroken() is { } failure)
                Complete(failure);
            else
                connection.Send(this);
        }
        finally
        {
            connection.Leave();
        }
    }

    /// <summary>Ends the stream on a connection that is about to close, and waits for the next connection.</summary>
    private async ValueTask<bool> MoveAsync()
    {
        if (await EndAsync(MonotonicClock.NowNs) is { IsOk: false } failure)
            broken = failure;
        return await base.ReadyAsync();
    }

    private CallResult? TakeBroken()
    {
        var taken = broken;
        broken = null;
        return taken;
    }

    /// <summary>What is wrong with the message that has just come; null: it is the answer.</summary>
    private string? Wrong()
    {
        if (!IsOut || isEnding || hasAnswer || Unsent > 0)
            return "unasked message";
        if ((reader.Sequence, reader.Stamp) != (Sequence, Stamp))
            return "wrong sequence";
        return reader.Size == options.Size ? null : "wrong length";
    }
}
