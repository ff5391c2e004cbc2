using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;

namespace IpcBench.Client.Protocols.InOrder;

/// <summary>
/// A connection whose replies come in the order of the requests. The <see cref="InOrderProtocol"/> defines requests and replies.
/// </summary>
internal sealed class InOrderConnection : DuplexConnection
{
    private const string ServerClosed = "the server closed the connection";

    private readonly InOrderProtocol protocol;
    private readonly InOrderStream[] calls;
    private readonly Queue<InOrderStream> due;
    private bool isOpen;
    private bool hasSurplus;
    private bool awaitsFirst;

    /// <param name="scheduler">Runs the connection.</param>
    /// <param name="dialer">Opens the duplexes of the connection.</param>
    /// <param name="protocol">The protocol object, which no other connection uses.</param>
    /// <param name="atOnce">The largest number of calls in flight.</param>
    public InOrderConnection(Scheduler scheduler, Dialer dialer, InOrderProtocol protocol, int atOnce)
        : base(scheduler, dialer)
    {
        this.protocol = protocol;
        calls = [.. Enumerable.Range(0, atOnce).Select(_ => new InOrderStream(this))];
        due = new Queue<InOrderStream>(atOnce);
    }

    /// <summary>
    /// True to make a call before the connection counts as open. The connection to a child process is open before the
    /// child is ready, and the start of the child must not count as part of a call.
    /// </summary>
    public bool OpensWithCall { get; init; }

    public override IReadOnlyList<IStream> Streams => calls;

    public override bool IsOpen => isOpen;

    protected override bool CanSend => isOpen;

    protected override bool ServerEndsFirst => protocol.ServerEndsFirst;

    public void Send(InOrderStream call)
    {
        using var inside = Inside();
        if (!isOpen)
        {
            call.Complete(CallResult.Failed(FailureKind.ConnectionLost));
            return;
        }
        if (hasSurplus)
        {
            hasSurplus = false;
            call.Complete(CallResult.Failed(protocol.Surplus));
            return;
        }
        due.Enqueue(call);
        protocol.Write(Output);
    }

    /// <summary>
    /// Cuts off the oldest call if it is late. A reply does not identify its request. Therefore the connection
    /// ends, and all its calls in flight are cut off.
    /// </summary>
    public override void CutOff(long sentBeforeNs)
    {
        using var inside = Inside();
        if (due.TryPeek(out var oldest) && oldest.SentNs < sentBeforeNs)
            End(CallResult.CutOff, CallResult.CutOff);
    }

    protected override void OnDuplex()
    {
        protocol.Reset();
        awaitsFirst = OpensWithCall;
        if (awaitsFirst)
            protocol.Write(Output);
        else
            Open();
    }

    private void Open()
    {
        isOpen = true;
        SignalOpen();
    }

    protected override void Abandon() => isOpen = false;

    protected override void Receive(ReadOnlySpan<byte> bytes)
    {
        if (awaitsFirst)
        {
            var first = protocol.Read(ref bytes, out _);
            awaitsFirst = first == ReplyEnd.NotYet;
            if (first == ReplyEnd.Last || !bytes.IsEmpty)
                End(default, default, "the server does not send the same bytes back");
            else if (!awaitsFirst)
                Open();
            return;
        }
        // A request that is made while these bytes are read is sent later, so these bytes cannot answer it.
        for (var asked = due.Count; !bytes.IsEmpty && isOpen;)
        {
            if (asked == 0)
            {
                // These bytes belong to no call, and the next call would take them for its reply. No call is in flight that
                // could fail, so the next call fails instead.
                hasSurplus = true;
                End(default, default);
                return;
            }
            var end = protocol.Read(ref bytes, out var result);
            // Bytes after the last expected reply came before the next request was sent, so they cannot be its reply.
            var isSurplus = !bytes.IsEmpty && (end == ReplyEnd.Last || end == ReplyEnd.Next && asked == 1);
            if (end == ReplyEnd.Last || isSurplus)
            {
                End(isSurplus && result.IsOk ? CallResult.Failed(protocol.Surplus) : result, CallResult.Failed(FailureKind.ConnectionLost));
                return; // the connection may be open again by now: the remaining bytes came on the old duplex
            }
            if (end != ReplyEnd.Next)
                continue;
            asked--;
            due.Dequeue().Complete(result);
        }
    }

    protected override void OnEnd(string? fault) =>
        End(fault is null && due.Count > 0 ? protocol.AtEnd() : CallResult.Failed(FailureKind.ConnectionLost),
            CallResult.Failed(FailureKind.ConnectionLost), fault ?? ServerClosed);

    protected override void Close() => End(CallResult.Failed(FailureKind.ConnectionLost), CallResult.Failed(FailureKind.ConnectionLost));

    private void End(CallResult oldest, CallResult others, string why = ServerClosed)
    {
        isOpen = false;
        Drop(() => FailOut(oldest, others), () => new IOException(why));
    }

    private void FailOut(CallResult oldest, CallResult others)
    {
        // Complete lets a caller continue. The caller then waits for the next connection, so it adds no call to the queue here.
        for (var result = oldest; due.TryDequeue(out var call); result = others)
            call.Complete(result);
    }
}

/// <summary>One of the calls that may be in flight on an <see cref="InOrderConnection"/>.</summary>
internal sealed class InOrderStream(InOrderConnection connection) : CallStream(connection)
{
    protected override void Send() => connection.Send(this);
}
