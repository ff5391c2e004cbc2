using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.InOrder;

namespace IpcBench.Client.Protocols.Echo;

/// <summary>A packet out, the same bytes back; every byte is compared.</summary>
/// <param name="size">Bytes of a packet, at least 1.</param>
internal sealed class EchoProtocol(int size) : InOrderProtocol
{
    private int nextOut;
    private int nextBack;
    private int arrived;

    public override void Reset() => (nextBack, arrived) = (nextOut, 0);

    public override void Write(OutputBuffer output)
    {
        EchoPattern.Fill(output.Append(size), nextOut);
        nextOut = EchoPattern.Next(nextOut, size);
    }

    public override ReplyEnd Read(ref ReadOnlySpan<byte> bytes, out CallResult result)
    {
        var part = bytes[..Math.Min(bytes.Length, size - arrived)];
        bytes = bytes[part.Length..];
        result = CallResult.Ok(size);
        if (!EchoPattern.Matches(part, nextBack + arrived))
        {
            // What follows cannot be told apart any more: the next packet begins on a new connection.
            result = CallResult.Failed("wrong bytes");
            return ReplyEnd.Last;
        }
        arrived += part.Length;
        if (arrived < size)
            return ReplyEnd.NotYet;
        (nextBack, arrived) = (EchoPattern.Next(nextBack, size), 0);
        return ReplyEnd.Next;
    }

    public override string Surplus => "wrong bytes";

    public override CallResult AtEnd() => CallResult.Failed(arrived > 0 ? "short reply" : "connection lost");
}
