using IpcBench.Client.Engine;
using IpcBench.Protocol;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>
/// One stream's place on an HTTP/2 connection where a call is a message of a stream that outlives it: sent or received on the stream that
/// is open, or on a new one. What happens to an idle stream is told with the next message.
/// </summary>
internal abstract class MessageStream(ReconnectingHttp2Connection connection, Http2Options options) : Http2Stream(connection, options)
{
    // The fields beside the payload, and room for some that are not known.
    private const int MostBeside = 1024;

    private PayloadReader reader;
    private CallResult? broken;
    private FirstReply? watched;

    /// <summary>What is written into the message that is out, or was read from the last one.</summary>
    public ulong Stamp { get; protected set; }

    /// <summary>The number in its stream of the message that is out.</summary>
    public uint Sequence { get; private set; }

    /// <summary>The message that is out is the last of its stream, and over when the stream is.</summary>
    public bool IsLast => Options.Messages > 0 && Count == Options.Messages;

    public override bool IsSent => IsRead && (Ends || IsLast);

    /// <summary>Messages that come on it would be no answers of the method.</summary>
    public override bool EndsWithFailure => Failure is not null;

    /// <summary>Where in the connection's output the last byte of the stream so far was written.</summary>
    public long WrittenTo { get; set; }

    protected ReconnectingHttp2Connection Connection { get; } = connection;

    protected Http2Options Options { get; } = options;

    /// <summary>Messages of the stream so far.</summary>
    protected long Count { get; set; }

    /// <summary>The stream is out to end.</summary>
    protected bool Ends { get; set; }

    /// <summary>The server may have read all that was written on the stream when it wrote the bytes that are being read.</summary>
    protected bool IsRead => Unsent == 0 && Connection.HadSent(WrittenTo);

    /// <summary>Nothing has come of a next message.</summary>
    protected bool IsBetween => reader.IsBetween;

    public override ValueTask<bool> ReadyAsync()
    {
        if (Id == 0)
            return base.ReadyAsync();
        if (!Connection.IsAccepting || Connection.IsOpen)
            return new(Connection.IsAccepting);
        return MoveAsync();
    }

    public override ValueTask<CallResult> EndAsync(long nowNs)
    {
        Connection.Enter();
        try
        {
            return Id == 0 ? new(TakeBroken() ?? CallResult.Ok(0)) : End(nowNs);
        }
        finally
        {
            Connection.Leave();
        }
    }

    /// <summary>A new HTTP/2 stream is opened for the next message.</summary>
    public virtual void BeginStream(int id, long window)
    {
        BeginRequest(id, 0, window);
        (reader, Count) = (new(isOpaque: Options.IsUserMethod), 0);
    }

    /// <summary>Numbers the next message, which is about to be sent.</summary>
    public virtual void BeginMessage()
    {
        (Sequence, Stamp) = ((uint)Count, (ulong)SentNs);
        Count++;
    }

    /// <summary>All of a message has been written.</summary>
    public virtual void OnWritten()
    {
    }

    public override CallResult? Withdrawn() => Ends ? CallResult.Ok(0) : null;

    public override void Ended(CallResult result)
    {
        Ends = false;
        if (watched is not null && !result.IsOk)
        {
            watched = null;
            Connection.LookAtNext();
        }
        if (IsInFlight)
            Complete(result);
        else if (!result.IsOk)
            broken = result;
    }

    protected override void Send()
    {
        if (TakeBroken() is { } failure)
        {
            Complete(failure);
            return;
        }
        if (Options.IsUserMethod)
            Body = null; // the next of those that were given
        Watch();
        Connection.Send(this);
    }

    /// <summary>The next message that comes is looked at where that is due.</summary>
    protected void Watch()
    {
        if (Options.Expect is not null && Options.Flow != Flow.Out && IsBetween && Connection.TakesFirstReply())
            watched = new FirstReply();
    }

    /// <summary>Ends the stream that is open.</summary>
    protected virtual ValueTask<CallResult> End(long nowNs)
    {
        var end = Begin(nowNs);
        Ends = true;
        Connection.HalfClose(this);
        return end;
    }

    /// <summary>Reads messages and hands on each whole one, until the stream is another.</summary>
    /// <returns>Why the stream must be reset; null: it goes on.</returns>
    protected string? ReadMessages(ReadOnlySpan<byte> bytes)
    {
        if (!SawHeaders)
            return "protocol";
        for (var id = Id; !bytes.IsEmpty && Id == id;)
        {
            var taken = reader.Read(bytes);
            watched?.Add(bytes[..taken]);
            bytes = bytes[taken..];
            if (reader.IsBroken)
                return "protocol";
            if (!Options.IsUserMethod && reader.Length > Options.Size + MostBeside)
                return "wrong length";
            if (!reader.IsComplete)
                break;
            if (LookAt() is { } other)
                return other;
            if (OnMessage(reader) is { } wrong)
                return wrong;
        }
        return null;
    }

    /// <returns>What is wrong with it; null: nothing.</returns>
    protected virtual string? OnMessage(in PayloadReader message) => "unasked message";

    /// <returns>Whether a message says what it should; null: it does, or it is not looked at.</returns>
    protected string? Judge(byte[] message)
    {
        if (Options.Expect?.Invoke(message) is not { } difference)
            return null;
        Options.Notes.Add(NotAsExpected, difference);
        return NotAsExpected;
    }

    protected CallResult? TakeBroken()
    {
        var taken = broken;
        broken = null;
        return taken;
    }

    private string? LookAt()
    {
        if (watched is not { } seen)
            return null;
        watched = null;
        return Judge(seen.Message);
    }

    /// <summary>Ends the stream on a connection that is about to close, and waits for the next Connection.</summary>
    private async ValueTask<bool> MoveAsync()
    {
        if (await EndAsync(MonotonicClock.NowNs) is { IsOk: false } failure)
            broken = failure;
        return await base.ReadyAsync();
    }
}

/// <summary>Messages of <c>Bench.Echo</c>, or of another method with streams both ways, each over when its answer has come.</summary>
internal sealed class PingPongStream(ReconnectingHttp2Connection connection, Http2Options options) : MessageStream(connection, options)
{
    private bool hasAnswer;
    private long answerBytes;

    public override string? OnData(ReadOnlySpan<byte> bytes) => ReadMessages(bytes);

    public override CallResult Conclude(bool endedByHeaders)
    {
        var why = Failure ?? (!endedByHeaders ? "no status" : !IsBetween ? "wrong length" : Ends || hasAnswer ? null : "ended early");
        return InTime(why is null ? CallResult.Ok(hasAnswer ? answerBytes : 0) : CallResult.Failed(why));
    }

    public override void Ended(CallResult result)
    {
        hasAnswer = false;
        base.Ended(result);
    }

    protected override string? OnMessage(in PayloadReader message)
    {
        if (!IsInFlight || Ends || hasAnswer || !IsRead)
            return "unasked message";
        if (!Options.IsUserMethod && (message.Sequence, message.Stamp) != (Sequence, Stamp))
            return "wrong sequence";
        if (!Options.IsUserMethod && message.Size != Options.Size)
            return "wrong length";
        if (IsLast)
            (hasAnswer, answerBytes) = (true, message.Size);
        else
            Complete(InTime(CallResult.Ok(message.Size))); // the next message may be out after this
        return null;
    }
}
