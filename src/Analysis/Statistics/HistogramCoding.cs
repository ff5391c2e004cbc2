using System.Buffers.Binary;
using System.IO.Compression;

namespace IpcBench.Analysis.Statistics;

/// <summary>
/// HdrHistogram's V2 compressed coding (AbstractHistogram.encodeIntoCompressedByteBuffer) of histograms in the layout
/// of <see cref="LatencyHistogram"/>, as base64.
/// </summary>
internal static class HistogramCoding
{
    private const int Cookie = 0x1c849303 | 0x10;
    private const int CompressedCookie = 0x1c849304 | 0x10;
    private const int Digits = 3;
    private const int HeaderLength = 40;

    // A counter takes at most 9 bytes. A longer payload belongs to another layout and is refused.
    private const int LongestPayload = LatencyHistogram.Slots * 9;

    // The limit keeps sums of many histograms from overflowing.
    private const long LargestCount = 1L << 53;

    public static string Encode(LatencyCounts counts)
    {
        var payload = new byte[LongestPayload];
        var length = WriteCounts(counts, payload);
        var header = new byte[HeaderLength];
        BinaryPrimitives.WriteInt32BigEndian(header, Cookie);
        BinaryPrimitives.WriteInt32BigEndian(header.AsSpan(4), length);
        BinaryPrimitives.WriteInt32BigEndian(header.AsSpan(12), Digits);
        BinaryPrimitives.WriteInt64BigEndian(header.AsSpan(16), 1);
        BinaryPrimitives.WriteInt64BigEndian(header.AsSpan(24), LatencyHistogram.MaxValue);
        BinaryPrimitives.WriteDoubleBigEndian(header.AsSpan(32), 1.0);

        using var packed = new MemoryStream();
        packed.Write(new byte[8]);
        using (var zlib = new ZLibStream(packed, CompressionLevel.Optimal, leaveOpen: true))
        {
            zlib.Write(header);
            zlib.Write(payload.AsSpan(0, length));
        }
        var bytes = packed.GetBuffer().AsSpan(0, (int)packed.Length);
        BinaryPrimitives.WriteInt32BigEndian(bytes, CompressedCookie);
        BinaryPrimitives.WriteInt32BigEndian(bytes[4..], bytes.Length - 8);
        return Convert.ToBase64String(bytes);
    }

    public static LatencyCounts Decode(string text)
    {
        if (text.Length == 0)
            return LatencyCounts.Empty;
        var inflated = Inflate(Unpack(text));
        if (inflated.Length < HeaderLength || BinaryPrimitives.ReadInt32BigEndian(inflated) != Cookie)
            throw new FormatException("a histogram is not in HdrHistogram's V2 coding");
        // The offset is normally 0. hdr-histogram-js writes 1 but does not shift its counts.
        if (BinaryPrimitives.ReadInt32BigEndian(inflated[8..]) is not (0 or 1)
            || BinaryPrimitives.ReadInt32BigEndian(inflated[12..]) != Digits
            || BinaryPrimitives.ReadInt64BigEndian(inflated[16..]) is not (0 or 1))
            throw new FormatException("a histogram does not have three significant digits and a unit of 1 ns");
        var length = BinaryPrimitives.ReadInt32BigEndian(inflated[4..]);
        if (length != inflated.Length - HeaderLength)
            throw new FormatException("a histogram is cut short");
        return ReadCounts(inflated[HeaderLength..]);
    }

    private static byte[] Unpack(string text)
    {
        var bytes = new byte[text.Length / 4 * 3 + 3];
        if (!Convert.TryFromBase64String(text, bytes, out var written) || written < 8)
            throw new FormatException("a histogram is not base64");
        if (BinaryPrimitives.ReadInt32BigEndian(bytes) != CompressedCookie
            || BinaryPrimitives.ReadInt32BigEndian(bytes.AsSpan(4)) != written - 8)
            throw new FormatException("a histogram is not in HdrHistogram's V2 compressed coding");
        return bytes[8..written];
    }

    private static ReadOnlySpan<byte> Inflate(byte[] packed)
    {
        var bytes = new byte[Math.Min(HeaderLength + LongestPayload, Math.Max(4096, packed.Length * 8))];
        var length = 0;
        try
        {
            using var zlib = new ZLibStream(new MemoryStream(packed), CompressionMode.Decompress);
            for (int read; (read = zlib.Read(bytes, length, bytes.Length - length)) > 0;)
            {
                length += read;
                if (length == bytes.Length && length > HeaderLength + LongestPayload)
                    throw new FormatException("a histogram is too long for this layout");
                if (length == bytes.Length)
                    Array.Resize(ref bytes, Math.Min(length * 2, HeaderLength + LongestPayload + 1));
            }
        }
        catch (InvalidDataException)
        {
            throw new FormatException("a histogram's compressed bytes are damaged");
        }
        return bytes.AsSpan(0, length);
    }

    /// <summary>
    /// Writes the counts as ZigZag LEB128 (64 bits in at most 9 bytes). A positive number is a count. 0 stands for one
    /// empty slot, and a negative number −n for n empty slots.
    /// </summary>
    private static int WriteCounts(LatencyCounts counts, Span<byte> to)
    {
        var (written, next) = (0, 0);
        foreach (var (slot, count) in counts)
        {
            if (slot > next)
                written += WriteNumber(to[written..], slot - next == 1 ? 0 : next - slot);
            written += WriteNumber(to[written..], count);
            next = slot + 1;
        }
        return next == 0 ? WriteNumber(to, 0) : written;
    }

    private static int WriteNumber(Span<byte> to, long number)
    {
        var rest = (ulong)((number << 1) ^ (number >> 63));
        for (var i = 0; ; i++)
        {
            if (i == 8 || rest < 0x80)
            {
                to[i] = (byte)rest;
                return i + 1;
            }
            to[i] = (byte)(rest | 0x80);
            rest >>= 7;
        }
    }

    private static LatencyCounts ReadCounts(ReadOnlySpan<byte> from)
    {
        var (slots, counts) = (new List<int>(), new List<long>());
        var (slot, total) = (0L, 0L);
        while (from.Length > 0)
        {
            var number = ReadNumber(ref from);
            if (number is > LargestCount or < -LatencyHistogram.Slots || (total += Math.Max(0, number)) > LargestCount)
                throw new FormatException("a histogram holds an impossible count");
            if (number > 0 && slot < LatencyHistogram.Slots)
            {
                slots.Add((int)slot);
                counts.Add(number);
            }
            else if (number > 0)
                throw new FormatException("a histogram holds durations beyond 73 minutes");
            // Histograms of other libraries may have more slots than this layout, which are allowed if they are empty.
            slot += number < 0 ? -number : 1;
        }
        return new LatencyCounts([.. slots], [.. counts]);
    }

    private static long ReadNumber(ref ReadOnlySpan<byte> from)
    {
        var bits = 0UL;
        for (var i = 0; i < from.Length; i++)
        {
            bits |= (i == 8 ? from[i] : from[i] & 0x7FUL) << (7 * i);
            if (i < 8 && from[i] >= 0x80)
                continue;
            from = from[(i + 1)..];
            return (long)(bits >> 1) ^ -(long)(bits & 1);
        }
        throw new FormatException("a histogram is cut short");
    }
}
