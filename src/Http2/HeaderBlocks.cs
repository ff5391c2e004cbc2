namespace IpcBench.Http2;

/// <summary>Puts a field block together that comes in several frames, up to a limit.</summary>
public sealed class HeaderBlocks
{
    /// <summary>SETTINGS_HEADER_TABLE_SIZE that we leave at its default.</summary>
    public const int TableSize = 4096;

    private const int LargestBlock = 64 * 1024;
    private const int MostFrames = 128;

    private byte[] bytes = [];
    private int length;
    private int frames;

    /// <summary>A block was begun and not ended.</summary>
    public bool IsOpen { get; private set; }

    public int StreamId { get; private set; }

    public bool EndsStream { get; private set; }

    public void Begin(FrameHeader header, ReadOnlySpan<byte> first)
    {
        (StreamId, EndsStream, IsOpen, length, frames) = (header.StreamId, header.Has(FrameFlags.EndStream), true, 0, 0);
        Continue(first);
    }

    /// <exception cref="Http2Exception">The block grows beyond all measure, in bytes or in frames (even empty ones).</exception>
    public void Continue(ReadOnlySpan<byte> next)
    {
        if (length + next.Length > LargestBlock || ++frames > MostFrames)
            throw new Http2Exception(Http2Error.EnhanceYourCalm, "an endless field block");
        if (length + next.Length > bytes.Length)
            Array.Resize(ref bytes, Math.Max(length + next.Length, 2 * bytes.Length));
        next.CopyTo(bytes.AsSpan(length));
        length += next.Length;
    }

    public ReadOnlySpan<byte> End()
    {
        IsOpen = false;
        return bytes.AsSpan(0, length);
    }
}
