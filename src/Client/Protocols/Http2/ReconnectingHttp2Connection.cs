using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Http2;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>
/// An HTTP/2 connection that uses one duplex after another. When a duplex dies, a call is sent on the next
/// duplex if the call was not written yet, or if GOAWAY says that the server has not begun it. All other calls in flight fail.
/// </summary>
internal sealed class ReconnectingHttp2Connection : DuplexConnection
{
    // Output is flushed at FlushAt bytes. After MostAtOnce bytes, other streams of this thread have their turn.
    private const int FlushAt = 16 << 10, MostAtOnce = 256 << 10;

    private readonly Scheduler scheduler;
    private readonly Http2Options options;
    private readonly Http2Stream[] streams;
    private Http2Connection? connection;
    private readonly Queue<PushStream> writers = new();
    private int withdrawn, written;
    private volatile bool isFirstDue;

    public ReconnectingHttp2Connection(Scheduler scheduler, Dialer dialer, Http2Options options)
        : base(scheduler, dialer)
    {
        this.options = options;
        this.scheduler = scheduler;
        streams = [.. Enumerable.Range(0, options.Streams).Select(_ => StreamOf())];
    }

    public override IReadOnlyList<IStream> Streams => streams;

    public override bool IsOpen => connection is { IsOpen: true };

    public override bool IsUp => connection is { IsUp: true };

    public override long? StreamsAllowed => connection is { IsOpen: true } open ? Math.Min(streams.Length, open.StreamsAllowed) : null;

    public override BlockedTime? Blocked => BlockedClock.Read();

    /// <summary>Measures how long the streams were blocked from writing.</summary>
    public BlockedClock BlockedClock { get; } = new();

    protected override object[] NeededSoon => connection is { } open ? [open, .. open.NeededSoon] : [];

    protected override bool CanSend => connection is { IsReady: true } && withdrawn == 0;

    public void Send(Http2Stream stream)
    {
        using var inside = Inside();
        // A message can always go over a stream that is already open, even if the server allows no new streams.
        if (connection is { } open && (open.IsReady || stream.Id != 0))
            open.Send(stream);
        else
            Withdraw(stream);
    }

    /// <summary>Half-closes an open stream, since no more messages follow.</summary>
    public void HalfClose(MessageStream stream) => connection!.HalfClose(stream);

    /// <inheritdoc cref="Http2Connection.HadSent"/>
    public bool HadSent(long writtenTo) => connection?.HadSent(writtenTo) == true;

    /// <summary>Cancels an open stream whose further messages are not needed.</summary>
    public void Cancel(Http2Stream stream) => connection!.Cancel(stream, CallResult.Ok(0));

    /// <summary>
    /// True when a stream that has written a message may write the next message at once. If not, the stream waits until
    /// <see cref="PushStream.Resume"/> is called. Output is sent when there are enough bytes for a system call, at the
    /// latest when no stream has more to write.
    /// </summary>
    public bool HasOutputRoom(PushStream stream)
    {
        if (Output.Length < FlushAt)
            return true;
        written += Output.Length;
        var isFull = !HasRoom();
        if (!isFull && written < MostAtOnce)
            return true;
        writers.Enqueue(stream);
        if (isFull)
            BlockedClock.Set(stream, Blocker.Socket, connection?.Ahead ?? 0);
        else
            scheduler.Post(static client => ((ReconnectingHttp2Connection)client!).OnTurn(), this);
        return false;
    }

    /// <summary>
    /// Returns true once after the begin of a window and once after each <see cref="LookAtNext"/>. The caller then checks the
    /// reply to its call.
    /// </summary>
    public bool TakesFirstReply()
    {
        var isFirst = isFirstDue;
        isFirstDue = false;
        return isFirst;
    }

    /// <summary>
    /// Tells the connection to check the reply of its next call. Called when a window begins, or when the checked call has failed.
    /// </summary>
    public void LookAtNext() => isFirstDue = true;

    public override void OnWindow()
    {
        LookAtNext();
        BlockedClock.Begin();
    }

    public override void SetAccepting(bool value)
    {
        isFirstDue = value;
        if (value)
            BlockedClock.Begin();
        using var inside = Inside();
        base.SetAccepting(value);
        if (value || options.Flow != Flow.In)
            return;
        foreach (var stream in streams)
        {
            if (stream is { IsInFlight: true, Id: 0 })
                withdrawn--;
            ((PullStream)stream).StopWaiting();
        }
    }

    public override void CutOff(long sentBeforeNs)
    {
        using var inside = Inside();
        foreach (var stream in streams)
        {
            if (!stream.IsInFlight || stream.SentNs >= sentBeforeNs)
                continue;
            var result = stream.InTime(CallResult.CutOff);
            if (stream.Id != 0)
            {
                connection!.Cancel(stream, result);
                continue;
            }
            withdrawn--;
            stream.Complete(result);
        }
    }

    protected override void OnDuplex()
    {
        connection = new Http2Connection(this, options, Output);
        connection.Begin();
    }

    protected override void Flushed() => OnTurn();

    protected override void Abandon() => connection = null;

    protected override void Receive(ReadOnlySpan<byte> bytes) => connection?.Receive(bytes);

    protected override void OnEnd(string? fault) => connection?.Close(Http2Error.None, fault ?? "the server closed the connection");

    protected override void Close() => connection?.Close(Http2Error.None, "disposed");

    /// <summary>Sends withdrawn calls again, then lets waiting streams continue.</summary>
    protected override void Pump()
    {
        if (withdrawn > 0)
            SendWithdrawn();
        base.Pump();
    }

    /// <summary>Called when the server's SETTINGS have arrived.</summary>
    public void OnOpen() => SignalOpen();

    /// <summary>Called when a stream has ended or the server allows more streams, so that waiting calls may begin.</summary>
    public void OnRoom() => Pump();

    /// <summary>Called when the server announces that it will not begin streams above <paramref name="lastId"/>.</summary>
    public void OnGoAway(int lastId)
    {
        foreach (var stream in streams)
        {
            if (stream.Id <= lastId)
                continue;
            connection!.Withdraw(stream);
            if (stream.SawHeaders) // the server has begun to answer this stream, so its GOAWAY is wrong
                stream.Ended(CallResult.Failed(FailureKind.Protocol));
            else if (stream.Withdrawn() is { } end)
                stream.Ended(end);
            else if (stream.IsInFlight)
                Withdraw(stream);
        }
    }

    /// <summary>Called when the server has changed its initial window. Changes the send window of every open stream equally.</summary>
    /// <exception cref="Http2Exception">A window would exceed 2^31-1.</exception>
    public void AdjustWindows(long change)
    {
        foreach (var stream in streams)
        {
            if (stream.Id == 0)
                continue;
            stream.SendWindow += change;
            if (stream.SendWindow > int.MaxValue)
                throw new Http2Exception(Http2Error.FlowControl, "a stream's window above 2^31-1");
        }
    }

    /// <summary>Called when the connection is over. Waiting output is still sent if possible.</summary>
    public void OnClosed(Http2Error error, string reason)
    {
        connection = null;
        Drop(
            () => Fail(CallResult.Failed(error == Http2Error.None ? FailureKind.ConnectionLost : FailureKind.Protocol)),
            () => new IOException(error == Http2Error.None ? reason : $"the server broke a rule of HTTP/2 ({reason})"));
    }

    private Http2Stream StreamOf() => options switch
    {
        { Flow: Flow.Out } => new PushStream(this, options),
        { Flow: Flow.In } => new PullStream(this, options),
        { IsStream: true } => new PingPongStream(this, options),
        _ => new Http2Stream(this, options),
    };

    /// <summary>Lets streams that wait for room in the output continue in turn.</summary>
    private void OnTurn()
    {
        using var inside = Inside();
        written = 0;
        var isFull = false;
        for (var left = writers.Count; left > 0 && !(isFull = !HasRoom()) && writers.TryDequeue(out var stream); left--)
        {
            if (!stream.IsWaiting) // the stream was reset or withdrawn while it was in the queue
                continue;
            BlockedClock.Set(stream, Blocker.None);
            stream.Resume();
        }
        if (!isFull)
            return;
        foreach (var stream in writers)
        {
            if (stream.IsWaiting) // it now waits for the socket, even if it waited only for its turn before
                BlockedClock.Set(stream, Blocker.Socket, connection?.Ahead ?? 0);
        }
    }

    /// <summary>
    /// Sends the output if there is enough of it for a system call. Returns false when the socket is full. The socket
    /// reports when it has room again.
    /// </summary>
    private bool HasRoom()
    {
        if (Output.Length >= FlushAt)
            Current?.Flush(Output);
        return Output.Length < FlushAt;
    }

    private void Fail(CallResult result)
    {
        while (writers.TryDequeue(out var writer))
            BlockedClock.Set(writer, Blocker.None);
        foreach (var stream in streams)
        {
            // Withdrawn calls are sent again on the next duplex, if this connection opens one.
            if (stream.IsInFlight && stream.Id == 0 && Reopens)
                continue;
            if (stream.IsInFlight && stream.Id == 0)
                withdrawn--;
            // Between two messages no call is in flight, but the messages that were pushed so far are lost with their stream.
            var loses = stream.IsInFlight || (stream is PushStream && stream.Id != 0);
            stream.Id = 0;
            BlockedClock.Set(stream, Blocker.None);
            if (loses)
                stream.Ended(result);
        }
    }

    private void Withdraw(Http2Stream stream)
    {
        stream.Id = 0;
        withdrawn++;
    }

    private void SendWithdrawn()
    {
        foreach (var stream in streams)
        {
            if (!stream.IsInFlight || stream.Id != 0 || connection is not { IsReady: true } open)
                continue;
            withdrawn--;
            open.Send(stream);
        }
    }
}
