using System.Runtime.Versioning;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Dialing;

/// <summary>
/// A duplex over a socket of an event loop. A small call costs one receive and one send, and needs neither a task nor its own buffer.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class SocketDuplex(IDuplexOwner owner) : Duplex, ILoopHandler
{
    // The maximum number of reads of this socket in a row. Then the loop serves its other connections.
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
            // The socket took only a part of the bytes, so it is full.
            if (sent is > 0 or LoopSocket.WouldBlock)
                open.WantWritable();
            else
                Fail(open, output, sent);
            return;
        }
    }

    /// <summary>Ends the connection, since a part of the output is lost.</summary>
    private void Fail(LoopSocket open, OutputBuffer output, int result)
    {
        output.Clear();
        if (open.IsClosed || LoopSocket.IsOthersEnd(result))
            return; // the next receives deliver the replies that have arrived, and then the error
        open.ResetOnClose();
        // OnEnd is posted and not called here, since the owner is in the middle of sending.
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
