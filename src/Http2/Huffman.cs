namespace IpcBench.Http2;

/// <summary>The Huffman code of RFC 7541, Appendix B. The code is canonical, so the code lengths define it.</summary>
public static class Huffman
{
    private const int EndOfString = 256;
    private const int LongestCode = 30;
    private const int FirstBits = 9; // one table lookup finds the codes up to this length

    private static readonly byte[] Lengths =
    [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
        13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
        20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
        22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
        26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
        20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
        LongestCode,
    ];

    private static readonly Table Codes = new();

    /// <summary>Decodes a whole string.</summary>
    /// <returns>
    /// The number of bytes written. -1 for invalid input: padding longer than 7 bits or not all ones, or an end-of-string code inside.
    /// </returns>
    /// <param name="output">The buffer for the text, at least 8/5 of the input's length.</param>
    public static int Decode(ReadOnlySpan<byte> input, Span<byte> output)
    {
        ulong bits = 0; // left-aligned
        int available = 0, next = 0, written = 0;
        while (true)
        {
            while (available <= 56 && next < input.Length)
            {
                bits |= (ulong)input[next++] << (56 - available);
                available += 8;
            }
            if (available == 0)
                return written;
            var (symbol, length) = Codes.Find((uint)(bits >> 32));
            if (length > available)
                return available < 8 && bits == ~0UL << (64 - available) ? written : -1;
            if (symbol == EndOfString)
                return -1;
            output[written++] = (byte)symbol;
            bits <<= length;
            available -= length;
        }
    }

    private sealed class Table
    {
        private readonly ushort[] first = new ushort[1 << FirstBits]; // symbol << 4 | length; 0 for a longer code
        private readonly ushort[] symbols = new ushort[257];
        private readonly uint[] limits = new uint[LongestCode + 1]; // the first left-aligned code above the codes of this length
        private readonly uint[] starts = new uint[LongestCode + 1];
        private readonly int[] offsets = new int[LongestCode + 1];

        public Table()
        {
            var code = 0u;
            var index = 0;
            for (var length = 5; length <= LongestCode; length++)
            {
                (starts[length], offsets[length]) = (code, index);
                for (var symbol = 0; symbol <= EndOfString; symbol++)
                {
                    if (Lengths[symbol] != length)
                        continue;
                    symbols[index++] = (ushort)symbol;
                    if (length <= FirstBits)
                        first.AsSpan((int)(code << (FirstBits - length)), 1 << (FirstBits - length)).Fill((ushort)(symbol << 4 | length));
                    code++;
                }
                limits[length] = length == LongestCode ? uint.MaxValue : code << (32 - length);
                code <<= 1;
            }
        }

        public (int Symbol, int Length) Find(uint bits)
        {
            var entry = first[bits >> (32 - FirstBits)];
            if (entry != 0)
                return (entry >> 4, entry & 15);
            var length = FirstBits + 1;
            while (bits >= limits[length] && length < LongestCode)
                length++;
            return (symbols[offsets[length] + (int)((bits >> (32 - length)) - starts[length])], length);
        }
    }
}
