namespace IpcBench.Client.Protocols.Http1;

/// <summary>Takes lines off arriving bytes; keeps the beginning of one whose end has not come yet.</summary>
internal sealed class LineReader
{
    private byte[] kept = [];
    private int length;
    private int budget;

    /// <summary>No line has begun.</summary>
    public bool IsBetweenLines => length == 0;

    /// <summary>More came than was allowed: there will be no more lines.</summary>
    public bool IsOverBudget => budget < 0;

    /// <summary>Forgets what has begun.</summary>
    /// <param name="most">Bytes that the lines until the next time may have together.</param>
    public void Begin(int most) => (length, budget) = (0, most);

    /// <summary>Takes one line, without its end; it is gone with the bytes, or at the next call. False: its end has not come.</summary>
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
            budget++; // the end of the line is still to come
            Keep(piece);
            return false;
        }
        line = piece;
        if (length > 0)
        {
            Keep(piece);
            line = kept.AsSpan(0, length);
            length = 0;
        }
        if (line is [.., (byte)'\r'])
            line = line[..^1];
        return true;
    }

    private void Keep(ReadOnlySpan<byte> piece)
    {
        if (kept.Length - length < piece.Length)
            Array.Resize(ref kept, Math.Max(256, (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)(length + piece.Length))));
        piece.CopyTo(kept.AsSpan(length));
        length += piece.Length;
    }
}
