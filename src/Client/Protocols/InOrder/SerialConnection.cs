using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;

namespace IpcBench.Client.Protocols.InOrder;

/// <summary>One connection whose replies come in the order of the requests; what a request and a reply are is the <see cref="Exchange"/>'s business.</summary>
internal sealed class SerialConnection : LinkConnection
{
    private readonly Exchange exchange;
    private readonly SerialCall[] calls;
    private readonly Queue<SerialCall> due;
    private bool isOpen;
    private bool hasSurplus;

    /// <param name="atOnce">Calls that may be out at a time.</param>
    /// <param name="isShared">Several threads may come: each passes a lock. Otherwise all is done on the lane's one thread.</param>
    public SerialConnection(Lane lane, ILinkOpener opener, BufferPool pool, Exchange exchange, int atOnce, bool isShared)
        : base(lane, opener, pool, isShared)
    {
        this.exchange = exchange;
        calls = [.. Enumerable.Range(0, atOnce).Select(_ => new SerialCall(this))];
        due = new Queue<SerialCall>(atOnce);
    }

    public override IReadOnlyList<ICaller> Callers => calls;

    public override bool IsOpen => isOpen;

    protected override bool CanSend => isOpen;

    protected override bool ServerEndsFirst => exchange.ServerEndsFirst;

    public void Send(SerialCall call)
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
            call.Complete(CallResult.Failed(exchange.Surplus));
            return;
        }
        due.Enqueue(call);
        exchange.Write(Output);
    }

    /// <summary>Replies have no names: one that is given up takes the connection and all that is out on it along.</summary>
    public override void CutOff(long sentBeforeNs)
    {
        using var inside = Inside();
        if (due.TryPeek(out var oldest) && oldest.SentNs < sentBeforeNs)
            End(CallResult.CutOff, CallResult.CutOff);
    }

    protected override void OnLink()
    {
        exchange.Reset();
        isOpen = true;
        SignalOpen();
    }

    protected override void Abandon() => isOpen = false;

    protected override void Receive(ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty && isOpen)
        {
            if (due.Count == 0)
            {
                // Nobody asked for them: whatever comes next would be read as the wrong reply. No call is out that they could fail, so the next one does.
                hasSurplus = true;
                End(CallResult.Ok, CallResult.Ok);
                return;
            }
            var end = exchange.Read(ref bytes, out var result);
            // Bytes beyond the last reply that is due were sent before anybody asked for them: they are not the next one's.
            var isSurplus = !bytes.IsEmpty && (end == ReplyEnd.Last || end == ReplyEnd.Next && due.Count == 1);
            if (end == ReplyEnd.Last || isSurplus)
            {
                End(isSurplus && result.IsOk ? CallResult.Failed(exchange.Surplus) : result, CallResult.Failed("connection lost"));
                return; // it may have been opened again already: what is left came on the old link
            }
            if (end == ReplyEnd.Next)
                due.Dequeue().Complete(result);
        }
    }

    protected override void OnEnd(string? fault) =>
        End(fault is null && due.Count > 0 ? exchange.AtEnd() : CallResult.Failed("connection lost"), CallResult.Failed("connection lost"));

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
