using IpcBench.Client.Engine;
using IpcBench.Protocol;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>
/// A stream of the load whose calls are messages of one HTTP/2 stream. The HTTP/2 stream stays open after a call. If the
/// HTTP/2 stream has ended, the next message opens a new one. If an error arrives between two calls, the next call fails.
/// </summary>
internal abstract class MessageStream(ReconnectingHttp2Connection connection, Http2Options options) : Http2Stream(connection, options)
{
    // The largest number of bytes in a message besides the payload. It is enough for the known fields and some unknown fields.
    private const int MostBeside = 1024;

    private PayloadReader reader;
    private CallResult? broken;
    private FirstReply? watched;

    /// <summary>The stamp of the message in flight. In <see cref="PullStream"/>, the stamp of the last payload that arrived.</summary>
    public ulong Stamp { get; protected set; }

    /// <summary>The sequence number of the message in flight.</summary>
    public uint Sequence { get; private set; }

    /// <summary>True when the message in flight is the last of its HTTP/2 stream. Its call ends when the HTTP/2 stream ends.</summary>
    public bool IsLast => Options.Messages > 0 && Count == Options.Messages;

    public override bool IsSent => IsRead && (Ends || IsLast);

    /// <summary>
    /// True when the first headers of the reply report a failure. Messages after such headers are not answers of the method.
    /// </summary>
    public override bool EndsWithFailure => Failure is not null;

    /// <summary>The value of <c>OutputBuffer.Written</c> just after the latest byte of this stream was written.</summary>
    public long WrittenTo { get; set; }

    protected ReconnectingHttp2Connection Connection { get; } = connection;

    protected Http2Options Options { get; } = options;

    /// <summary>Messages of the stream so far.</summary>
    protected long Count { get; set; }

    protected bool Ends { get; set; }

    /// <summary>True when all messages of this stream were sent before the arrival of the bytes that are now being read.</summary>
    protected bool IsRead => Unsent == 0 && Connection.HadSent(WrittenTo);

    /// <summary>True when no part of the next message has arrived.</summary>
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
        using var inside = Connection.Inside();
        return Id == 0 ? new(TakeBroken() ?? CallResult.Ok(0)) : End(nowNs);
    }

    /// <summary>Starts a new HTTP/2 stream for the next message.</summary>
    public virtual void BeginStream(int id, long window)
    {
        BeginRequest(id, 0, window);
        (reader, Count) = (new(isOpaque: Options.IsUserMethod), 0);
    }

    /// <summary>Numbers the next message just before it is sent.</summary>
    public virtual void BeginMessage()
    {
        (Sequence, Stamp) = ((uint)Count, (ulong)SentNs);
        Count++;
    }

    /// <summary>Called when the whole message has been written.</summary>
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
            Body = null; // the sender then takes the next of the user's messages
        Watch();
        Connection.Send(this);
    }

    /// <summary>Keeps the bytes of the next received message for a check, if a check is due.</summary>
    protected void Watch()
    {
        if (Options.Expect is not null && Options.Flow != Flow.Out && IsBetween && Connection.TakesFirstReply())
            watched = new FirstReply();
    }

    /// <summary>Half-closes the open stream. The returned task ends when the server has ended the stream.</summary>
    protected virtual ValueTask<CallResult> End(long nowNs)
    {
        var end = Begin(nowNs);
        Ends = true;
        Connection.HalfClose(this);
        return end;
    }

    /// <summary>Reads messages and handles each complete message, until the HTTP/2 stream ends or is replaced.</summary>
    /// <returns>The reason to reset the stream. Null to continue.</returns>
    protected string? ReadMessages(ReadOnlySpan<byte> bytes)
    {
        if (!SawHeaders)
            return FailureKind.Protocol;
        for (var id = Id; !bytes.IsEmpty && Id == id;)
        {
            var taken = reader.Read(bytes);
            watched?.Add(bytes[..taken]);
            bytes = bytes[taken..];
            if (reader.IsBroken)
                return FailureKind.Protocol;
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

    /// <returns>What is wrong with the message. Null when nothing is wrong.</returns>
    protected virtual string? OnMessage(in PayloadReader message) => "unasked message";

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

    /// <summary>Ends the stream on a connection that is about to close, and waits for the next connection.</summary>
    private async ValueTask<bool> MoveAsync()
    {
        if (await EndAsync(MonotonicClock.NowNs) is { IsOk: false } failure)
            broken = failure;
        return await base.ReadyAsync();
    }
}

/// <summary>
/// Exchanges messages of <c>Bench.Echo</c>, or of a user's bidirectional method. A call ends with the answer to its message.
/// </summary>
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
            Complete(InTime(CallResult.Ok(message.Size))); // the worker may send the next message during this call
        return null;
    }
}
