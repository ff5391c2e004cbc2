using System.Runtime.CompilerServices;

namespace IpcBench.Http2;

/// <summary>The integers of HPACK (RFC 7541, 5.1).</summary>
public static class HpackInteger
{
    private const int Largest = 1 << 28;

    /// <summary>
    /// Reads an integer that starts in the low <paramref name="prefixBits"/> of the first byte, and moves past the integer.
    /// </summary>
    /// <exception cref="HpackException">The integer is truncated or above 2^28.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int Read(ref ReadOnlySpan<byte> bytes, int prefixBits)
    {
        var mask = (1 << prefixBits) - 1;
        var value = bytes[0] & mask;
        bytes = bytes[1..];
        return value < mask ? value : ReadMore(ref bytes, value);
    }

    /// <summary>Writes an integer, with <paramref name="flags"/> in its first byte.</summary>
    public static void Write(List<byte> output, int value, int prefixBits, byte flags)
    {
        var mask = (1 << prefixBits) - 1;
        if (value < mask)
        {
            output.Add((byte)(flags | value));
            return;
        }
        output.Add((byte)(flags | mask));
        for (value -= mask; value >= 0x80; value >>= 7)
            output.Add((byte)(value | 0x80));
        output.Add((byte)value);
    }

    private static int ReadMore(ref ReadOnlySpan<byte> bytes, int value)
    {
        for (var shift = 0; ; shift += 7)
        {
            if (bytes.IsEmpty || shift > 28)
                throw new HpackException("a broken integer");
            var next = bytes[0];
            bytes = bytes[1..];
            var sum = value + ((long)(next & 0x7F) << shift);
            if (sum > Largest)
                throw new HpackException("an integer above 2^28");
            value = (int)sum;
            if ((next & 0x80) == 0)
                return value;
        }
    }
}
