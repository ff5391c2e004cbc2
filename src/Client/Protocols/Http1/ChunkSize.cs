namespace IpcBench.Client.Protocols.Http1;

/// <summary>The line before a chunk: its size in hexadecimal digits, and extensions that nobody needs.</summary>
internal static class ChunkSize
{
    private const int MostDigits = 15;

    public static bool TryRead(ReadOnlySpan<byte> line, out long size)
    {
        size = 0;
        var digits = 0;
        for (; digits < line.Length && char.IsAsciiHexDigit((char)line[digits]); digits++)
            size = size << 4 | (uint)(line[digits] <= '9' ? line[digits] - '0' : (line[digits] | 0x20) - 'a' + 10);
        return digits is > 0 and <= MostDigits && (digits == line.Length || line[digits] is (byte)';' or (byte)' ' or (byte)'\t');
    }
}
