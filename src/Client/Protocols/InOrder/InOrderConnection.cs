using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;

namespace IpcBench.Client.Protocols.InOrder;

/// <summary>
/// One connection whose replies come in the order of the requests; what a request and a reply are is the <see cref="InOrderProtocol"/>'s
/// business.
/// </summary>
internal sealed class InOrderConnection : DuplexConnection
{
    private readonly InOrderProtocol protocol;
    private readonly InOrderStream[] calls;
    private readonly Queue<InOrderStream> due;
    private bool isOpen;
    private bool hasSurplus;

    /// <param name="scheduler">Where it lives.</param>
    /// <param name="dialer">Opens its duplexes.</param>
    /// <param name="protocol">What it speaks; its own.</param>
    /// <param name="atOnce">Calls that may be out at a time.</param>
    public InOrderConnection(Scheduler scheduler, Dialer dialer, InOrderProtocol protocol, int atOnce)
        : base(scheduler, dialer)
    {
        this.protocol = protocol;
        calls = [.. Enumerable.Range(0, atOnce).Select(_ => new InOrderStream(this))];
        due = new Queue<InOrderStream>(atOnce);
    }

    public override IReadOnlyList<IStream> Streams => calls;

    public override bool IsOpen => isOpen;

    protected override bool CanSend => isOpen;

    protected override bool ServerEndsFirst => protocol.ServerEndsFirst;

    public void Send(InOrderStream call)
    {
        using var inside = Inside();
        if (!isOpen)
        {
            call.Complete(CallResult.Failed("connection lost"));
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
    /// Replies do not say which request they answer: giving one up ends the connection and fails all calls that are out on it.
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
        isOpen = true;
        SignalOpen();
    }

    protected override void Abandon() => isOpen = false;

    protected override void Receive(ReadOnlySpan<byte> bytes)
    {
        // What is asked while these are read goes out after them: they cannot answer it.
        for (var asked = due.Count; !bytes.IsEmpty && isOpen;)
        {
            if (asked == 0)
            {
                // Nobody asked for them: whatever comes next would be read as the wrong reply. No call is in flight that they could
                // fail, so the next one does.
                hasSurplus = true;
                End(default, default);
                return;
            }
            var end = protocol.Read(ref bytes, out var result);
            // Bytes beyond the last reply that is due were sent before anybody asked for them: they are not the next one's.
            var isSurplus = !bytes.IsEmpty && (end == ReplyEnd.Last || end == ReplyEnd.Next && asked == 1);
            if (end == ReplyEnd.Last || isSurplus)
            {
                End(isSurplus && result.IsOk ? CallResult.Failed(protocol.Surplus) : result, CallResult.Failed("connection lost"));
                return; // it may have been opened again already: what is left came on the old duplex
            }
            if (end != ReplyEnd.Next)
                continue;
            asked--;
            due.Dequeue().Complete(result);
        }
    }

    protected override void OnEnd(string? fault) =>
        End(fault is null && due.Count > 0 ? protocol.AtEnd() : CallResult.Failed("connection lost"), CallResult.Failed("connection lost"));

    protected override void Close() => End(CallResult.Failed("connection lost"), CallResult.Failed("connection lost"));

    private void End(CallResult oldest, CallResult others)
    {
        isOpen = false;
        Drop(() => FailOut(oldest, others), static () => new IOException("the server closed the connection"));
    }

    private void FailOut(CallResult oldest, CallResult others)
    {
        // Those who go on inside wait for the next connection: nothing is added to what is due.
        for (var result = oldest; due.TryDequeue(out var call); result = others)
            call.Complete(result);
    }
}

/// <summary>One of the calls that may be out at a time on such a connection.</summary>
internal sealed class InOrderStream(InOrderConnection connection) : CallStream(connection)
{
    protected override void Send() => connection.Send(this);
}

/// <summary>
/// What calls are on a connection whose replies come in the order of the requests. One for each connection; never asked two things at a
/// time.
/// </summary>
internal abstract class InOrderProtocol
{
    /// <summary>It asks the server to close after the reply.</summary>
    public virtual bool ServerEndsFirst => false;

    /// <summary>A new connection: forgets what the last one had begun.</summary>
    public abstract void Reset();

    /// <summary>Appends one request.</summary>
    public abstract void Write(OutputBuffer output);

    /// <summary>Takes what belongs to the oldest open reply off the front of the bytes; they are gone when this returns.</summary>
    /// <param name="bytes">Not empty.</param>
    /// <param name="result">How the call went, when the reply is over.</param>
    public abstract ReplyEnd Read(ref ReadOnlySpan<byte> bytes, out CallResult result);

    /// <summary>What a call fails of when the server says more than it was asked.</summary>
    public virtual string Surplus => "protocol";

    /// <summary>The server has closed the connection in good order while a reply was due: how that call went.</summary>
    public virtual CallResult AtEnd() => CallResult.Failed("connection lost");
}

/// <summary>How far the oldest open reply of a connection has come.</summary>
internal enum ReplyEnd
{
    /// <summary>All bytes were taken and there is more to come.</summary>
    NotYet,

    /// <summary>It is over, and the connection goes on.</summary>
    Next,

    /// <summary>It is over, and so is the connection.</summary>
    Last,
}
