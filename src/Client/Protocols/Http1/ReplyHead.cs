using System.Buffers;
using System.Buffers.Text;
using System.Globalization;
using System.Text;

namespace IpcBench.Client.Protocols.Http1;

/// <summary>
/// The status line of a reply, and the headers that determine where the reply ends (RFC 9112, 6.3). An ambiguous
/// reply is rejected.
/// </summary>
internal struct ReplyHead
{
    private bool isVersion0;
    private bool hasEncoding;
    private bool isChunkedLast;
    private bool saysKeepAlive;
    private bool saysClose;

    /// <summary>The status. 0 before the status line has arrived.</summary>
    public int Status { get; private set; }

    /// <summary>The length of the body in bytes. -1 when the headers do not give a length.</summary>
    public long Length { get; private set; }

    /// <summary>True for an interim response, after which another head follows.</summary>
    public readonly bool IsInterim => Status is >= 100 and < 200;

    public readonly bool IsChunked => isChunkedLast;

    /// <summary>True when the body lasts until the server closes the connection.</summary>
    public readonly bool IsUntilClose => !isChunkedLast && Length < 0;

    /// <summary>True when the connection takes no further request.</summary>
    public readonly bool EndsConnection => saysClose || IsUntilClose || isVersion0 && !saysKeepAlive;

    public void Clear() => this = new ReplyHead { Length = -1 };

    /// <summary>Takes a line of the head, except the last line, which is empty. Returns false when the line is not valid HTTP/1.</summary>
    public bool Add(ReadOnlySpan<byte> line)
    {
        if (line.IndexOfAny((byte)'\r', (byte)'\0') >= 0)
            return false;
        return Status == 0 ? ReadStatus(line) : ReadHeader(line);
    }

    /// <summary>Called when all header lines have arrived. Returns false when the lines contradict each other.</summary>
    /// <param name="isBodyless">True when the request was HEAD.</param>
    public bool End(bool isBodyless)
    {
        if (Status is 0 or 101) // no status line, or a change of the protocol without a request for it
            return false;
        // A reply with both a length and an encoding may be an attempt at request smuggling. The same is true for an
        // HTTP/1.0 reply with an encoding, since HTTP/1.0 defines no encoding (RFC 9112, 6.1).
        if (hasEncoding && (Length >= 0 || isVersion0))
            return false;
        if (isBodyless || IsInterim || Status is 204 or 304)
            (Length, isChunkedLast) = (0, false);
        return true;
    }

    private bool ReadStatus(ReadOnlySpan<byte> line)
    {
        if (line.Length < 12 || !line.StartsWith("HTTP/1."u8) || !char.IsAsciiDigit((char)line[7])
            || line[8] != ' ' || line.Length > 12 && line[12] != ' ')
        {
            return false;
        }
        isVersion0 = line[7] == '0';
        var status = Number(line.Slice(9, 3));
        Status = (int)status;
        return status is >= 100 and <= 599;
    }

    private bool ReadHeader(ReadOnlySpan<byte> line)
    {
        var colon = line.IndexOf((byte)':');
        // A line that begins with a blank would continue the header before it. This form is obsolete (RFC 9112, 5.2).
        // A blank before the colon is forbidden too (5.1).
        if (colon <= 0 || line[..colon].IndexOfAny((byte)' ', (byte)'\t') >= 0)
            return false;
        var name = line[..colon];
        var value = Trim(line[(colon + 1)..]);
        return name.Length switch
        {
            10 when Ascii.EqualsIgnoreCase(name, "connection"u8) => ReadConnection(value),
            14 when Ascii.EqualsIgnoreCase(name, "content-length"u8) => ReadLength(value),
            17 when Ascii.EqualsIgnoreCase(name, "transfer-encoding"u8) => ReadEncoding(value),
            _ => true,
        };
    }

    private bool ReadLength(ReadOnlySpan<byte> value)
    {
        var isFirst = Length < 0;
        Length = Number(value);
        return isFirst && Length >= 0;
    }

    private bool ReadEncoding(ReadOnlySpan<byte> value)
    {
        hasEncoding = true;
        foreach (var range in value.Split((byte)','))
        {
            var coding = Trim(value[range]);
            var isChunked = Ascii.EqualsIgnoreCase(coding, "chunked"u8);
            if (isChunked && isChunkedLast)
                return false;
            isChunkedLast = isChunked;
        }
        return true;
    }

    private bool ReadConnection(ReadOnlySpan<byte> value)
    {
        foreach (var range in value.Split((byte)','))
        {
            var option = Trim(value[range]);
            saysClose |= Ascii.EqualsIgnoreCase(option, "close"u8);
            saysKeepAlive |= Ascii.EqualsIgnoreCase(option, "keep-alive"u8);
        }
        return true;
    }

    private static ReadOnlySpan<byte> Trim(ReadOnlySpan<byte> value) => value.Trim(" \t"u8);

    /// <summary>Reads a number that has only digits. Returns -1 for any other text, and for a number that is too large.</summary>
    private static long Number(ReadOnlySpan<byte> digits) =>
        digits.Length <= 18 && long.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : -1;
}

/// <summary>Reads the line before a chunk: its size in hexadecimal, and extensions, which are ignored.</summary>
internal static class ChunkSize
{
    private const int MostDigits = 15;

    public static bool TryRead(ReadOnlySpan<byte> line, out long size) =>
        Utf8Parser.TryParse(line, out size, out var digits, 'x') && digits <= MostDigits
        && (digits == line.Length || line[digits] is (byte)';' or (byte)' ' or (byte)'\t');
}

/// <summary>Cuts arriving bytes into lines, and keeps the beginning of a line whose end has not arrived.</summary>
internal sealed class LineReader
{
    private readonly ArrayBufferWriter<byte> kept = new();
    private int budget;

    /// <summary>True when the lines together were longer than allowed. No more lines follow.</summary>
    public bool IsOverBudget => budget < 0;

    /// <summary>Forgets an incomplete line.</summary>
    /// <param name="most">The largest sum of the lengths of all lines until the next call of Begin, in bytes.</param>
    public void Begin(int most)
    {
        kept.ResetWrittenCount();
        budget = most;
    }

    /// <summary>
    /// Takes the next line without its line end. The line is valid until the next call of this method, or until
    /// <paramref name="bytes"/> is reused. Returns false when the line is incomplete or the lines were too long.
    /// </summary>
    public bool TryTake(ref ReadOnlySpan<byte> bytes, out ReadOnlySpan<byte> line)
    {
        var end = bytes.IndexOf((byte)'\n');
        var piece = end < 0 ? bytes : bytes[..end];
        bytes = end < 0 ? default : bytes[(end + 1)..];
        line = default;
        budget -= piece.Length + 1;
        if (IsOverBudget)
            return false;
        if (end < 0)
        {
            budget++; // the line end, counted above, has not arrived
            kept.Write(piece);
            return false;
        }
        line = piece;
        if (kept.WrittenCount > 0)
        {
            kept.Write(piece);
            line = kept.WrittenSpan;
            kept.ResetWrittenCount();
        }
        if (line is [.., (byte)'\r'])
            line = line[..^1];
        return true;
    }
}
