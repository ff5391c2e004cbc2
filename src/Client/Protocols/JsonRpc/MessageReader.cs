using System.Buffers;
using System.Buffers.Text;
using System.Text;

namespace IpcBench.Client.Protocols.JsonRpc;

/// <summary>Cuts the bytes of a connection into JSON-RPC messages. Copies only messages that arrive in several pieces.</summary>
/// <param name="hasHeaders"><inheritdoc cref="JsonRpcOptions.HasHeaders" path="/summary"/></param>
/// <param name="most">The largest number of bytes of a message.</param>
internal sealed class MessageReader(bool hasHeaders, long most)
{
    private const int MostHeader = 1024;

    private static ReadOnlySpan<byte> HeaderEnd => "\r\n\r\n"u8;

    private readonly ArrayBufferWriter<byte> kept = new();
    private int length = -1;
    private bool isTaken;

    /// <summary>True after a message that is too long, or has no valid header. The connection cannot be read any more.</summary>
    public bool IsBroken { get; private set; }

    /// <summary>Prepares for a new connection.</summary>
    public void Reset()
    {
        kept.ResetWrittenCount();
        (length, isTaken, IsBroken) = (-1, false, false);
    }

    /// <summary>Reads bytes from <paramref name="at"/> on, and moves <paramref name="at"/> behind the bytes that were read.</summary>
    /// <param name="message">The message, which is valid until the next call of this method.</param>
    /// <returns>False when the message is not complete, or the connection is broken.</returns>
    public bool TryRead(ReadOnlySpan<byte> bytes, ref int at, out ReadOnlySpan<byte> message)
    {
        if (isTaken)
            kept.ResetWrittenCount();
        isTaken = false;
        return hasHeaders ? AfterHeader(bytes, ref at, out message) : Line(bytes, ref at, out message);
    }

    private bool Line(ReadOnlySpan<byte> bytes, ref int at, out ReadOnlySpan<byte> message)
    {
        message = default;
        while (at < bytes.Length)
        {
            var rest = bytes[at..];
            var end = rest.IndexOf((byte)'\n');
            var part = end < 0 ? rest : rest[..(end + 1)];
            at += part.Length;
            if (!Take(part, isWhole: end >= 0, out message))
                return false;
            message = message.TrimEnd("\r\n"u8);
            if (!message.IsEmpty)
                return true;
            kept.ResetWrittenCount(); // an empty line is no message
        }
        return false;
    }

    private bool AfterHeader(ReadOnlySpan<byte> bytes, ref int at, out ReadOnlySpan<byte> message)
    {
        message = default;
        if (length < 0 && !IsBroken && kept.WrittenCount == 0 && bytes[at..].IndexOf(HeaderEnd) is >= 0 and <= MostHeader and var end)
        {
            length = LengthIn(bytes.Slice(at, end + HeaderEnd.Length));
            IsBroken = length < 0 || length > most;
            at += end + HeaderEnd.Length;
        }
        // A header that arrives in pieces is copied.
        for (; length < 0 && !IsBroken && at < bytes.Length; at++)
        {
            kept.Write(bytes.Slice(at, 1));
            var header = kept.WrittenSpan;
            IsBroken = header.Length > MostHeader;
            if (!header.EndsWith(HeaderEnd))
                continue;
            length = LengthIn(header);
            IsBroken = length < 0 || length > most;
            kept.ResetWrittenCount();
        }
        if (length < 0 || IsBroken)
            return false;
        var part = bytes.Slice(at, Math.Min(bytes.Length - at, length - kept.WrittenCount));
        at += part.Length;
        if (!Take(part, isWhole: kept.WrittenCount + part.Length == length, out message))
            return false;
        length = -1;
        return true;
    }

    /// <summary>Takes bytes of the message. Returns true when the message is complete.</summary>
    private bool Take(ReadOnlySpan<byte> part, bool isWhole, out ReadOnlySpan<byte> message)
    {
        message = part;
        IsBroken = kept.WrittenCount + (long)part.Length > most;
        if (IsBroken || (isWhole && kept.WrittenCount == 0))
            return !IsBroken;
        kept.Write(part);
        message = kept.WrittenSpan;
        isTaken = isWhole;
        return isWhole;
    }

    // Names of fields ignore case, as in HTTP.
    private static int LengthIn(ReadOnlySpan<byte> header)
    {
        foreach (var range in header.Split("\r\n"u8))
        {
            var line = header[range];
            if (line.IndexOf((byte)':') is > 0 and var colon && Ascii.EqualsIgnoreCase(line[..colon], "content-length"u8))
                return Utf8Parser.TryParse(line[(colon + 1)..].TrimStart((byte)' '), out int length, out _) ? length : -1;
        }
        return -1;
    }
}
