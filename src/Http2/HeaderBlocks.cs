namespace IpcBench.Http2;

/// <summary>Joins the parts of a field block that comes in several frames, up to a limit of bytes and frames.</summary>
public sealed class HeaderBlocks
{
    /// <summary>The default of SETTINGS_HEADER_TABLE_SIZE. This client announces no other value.</summary>
    public const int TableSize = 4096;

    private const int LargestBlock = 64 * 1024;
    private const int MostFrames = 128;

    private byte[] bytes = [];
    private int length;
    private int frames;

    /// <summary>Whether a block has begun and is not complete.</summary>
    public bool IsOpen { get; private set; }

    public int StreamId { get; private set; }

    public bool EndsStream { get; private set; }

    /// <summary>Takes a HEADERS or CONTINUATION frame. Returns true when this frame completes the block.</summary>
    /// <param name="block">The whole block, which is valid until the next frame.</param>
    /// <exception cref="Http2Exception">
    /// The block exceeds the limit of bytes or frames (empty frames count too), or its padding or priority is invalid.
    /// </exception>
    public bool Take(FrameHeader header, ReadOnlySpan<byte> payload, out ReadOnlySpan<byte> block)
    {
        var isLast = header.Has(FrameFlags.EndHeaders);
        if (header.Type == FrameType.Headers)
        {
            payload = FrameRules.WithoutPriority(header, FrameRules.WithoutPadding(header, payload));
            (StreamId, EndsStream, length, frames) = (header.StreamId, header.Has(FrameFlags.EndStream), 0, 0);
            if (isLast)
            {
                block = payload;
                return true;
            }
        }
        Add(payload);
        IsOpen = !isLast;
        block = bytes.AsSpan(0, length);
        return isLast;
    }

    private void Add(ReadOnlySpan<byte> next)
    {
        if (length + next.Length > LargestBlock || ++frames > MostFrames)
            throw new Http2Exception(Http2Error.EnhanceYourCalm, "a field block above 64 KiB or 128 frames");
        if (length + next.Length > bytes.Length)
            Array.Resize(ref bytes, Math.Max(length + next.Length, 2 * bytes.Length));
        next.CopyTo(bytes.AsSpan(length));
        length += next.Length;
    }
}
