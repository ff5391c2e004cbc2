using System.Runtime.Versioning;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Dialing;

/// <summary>A duplex that is a socket of an event loop: one receive and one send for a call, no task, no buffer of its own.</summary>
[SupportedOSPlatform("linux")]
internal sealed class SocketDuplex(IDuplexOwner owner) : Duplex, ILoopHandler
{
    // Reads in a row before the thread's other connections are served.
    private const int MostReadsAtOnce = 8;

    [ThreadStatic]
    private static ReadOnlyMemory<byte>[]? parts;

    private LoopSocket? socket;

    public void Attach(LoopSocket opened) => socket = opened;

    public override void NeedSoon(object[] objects) => socket!.NeededSoon = objects;

    public override void Start() => OnReadable();

    public override void Flush(OutputBuffer output)
    {
        while (!output.IsEmpty)
        {
            var open = socket!;
            var asked = output.Length;
            var sent = output.IsPlain ? open.Send(output.Unsent.Span) : SendParts(open, output, out asked);
            if (sent > 0)
                output.Sent(sent);
            if (sent == asked)
                continue;
            // Less than asked for was all that there was room for.
            if (sent is > 0 or LoopSocket.WouldBlock)
                open.WantWritable();
            else
                Fail(open, output, sent);
            return;
        }
    }

    /// <summary>A part of what was to be sent is lost, and with it the connection.</summary>
    private void Fail(LoopSocket open, OutputBuffer output, int result)
    {
        output.Clear();
        if (open.IsClosed || LoopSocket.IsOthersEnd(result))
            return; // the reason comes with the next receive, behind answers that have arrived
        open.ResetOnClose();
        // Not at once: the owner is about to send.
        open.Loop.Post(_ => owner.OnEnd(this, LoopSocket.Describe(result)), null);
    }

    private static int SendParts(LoopSocket open, OutputBuffer output, out int asked)
    {
        var some = parts ??= new ReadOnlyMemory<byte>[LoopSocket.MostSegments];
        var (count, all) = (output.Parts(some), 0);
        foreach (var part in some.AsSpan(0, count))
            all += part.Length;
        asked = all;
        return open.Send(some.AsSpan(0, count));
    }

    public void OnReadable()
    {
        for (var reads = 0; socket is { IsClosed: false } open; reads++)
        {
            if (reads == MostReadsAtOnce)
            {
                open.ReadAgain();
                return;
            }
            var buffer = open.Loop.ReceiveBuffer;
            var count = open.Receive(buffer);
            if (count > 0)
                owner.OnBytes(this, buffer.AsSpan(0, count));
            else if (count != LoopSocket.WouldBlock)
                owner.OnEnd(this, count == 0 ? null : LoopSocket.Describe(count));
            if (!open.MayHoldMore)
                return;
        }
    }

    public void OnWritable() => owner.OnRoom(this);

    public override void Close() => socket?.Close();
}
