namespace IpcBench.Http2;

/// <summary>
/// Splits a stream of bytes into frames. The bytes of unpadded DATA are passed on as they arrive. Any other frame is
/// passed on when all its bytes have arrived. A buffer is made only when a frame or its header arrives in parts.
/// </summary>
public sealed class FrameReader(IFrameHandler handler)
{
    /// <summary>The default of SETTINGS_MAX_FRAME_SIZE. This client announces no other value.</summary>
    public const int MaxFrame = 16384;

    private byte[] carry = [];
    private int carried;
    private int dataLeft;

    /// <exception cref="Http2Exception">A frame is larger than allowed, or the handler rejected a frame.</exception>
    public void Read(ReadOnlySpan<byte> bytes)
    {
        if (carried > 0 && !CompleteCarried(ref bytes))
            return;
        while (!bytes.IsEmpty && !handler.IsClosed)
        {
            if (dataLeft > 0)
            {
                ReadData(ref bytes);
                continue;
            }
            if (bytes.Length < FrameHeader.Size)
            {
                Carry(bytes, FrameHeader.Size);
                return;
            }
            var header = Header(bytes);
            if (IsPlainData(header))
            {
                bytes = bytes[FrameHeader.Size..];
                BeginData(header);
                continue;
            }
            var size = FrameHeader.Size + header.Length;
            if (bytes.Length < size)
            {
                Carry(bytes, size);
                return;
            }
            handler.OnFrame(header, bytes[FrameHeader.Size..size]);
            bytes = bytes[size..];
        }
    }

    private static bool IsPlainData(FrameHeader header) => header.Type == FrameType.Data && !header.Has(FrameFlags.Padded);

    private static FrameHeader Header(ReadOnlySpan<byte> bytes)
    {
        var header = FrameHeader.Read(bytes);
        return header.Length <= MaxFrame
            ? header
            : throw new Http2Exception(Http2Error.FrameSize, "a frame larger than SETTINGS_MAX_FRAME_SIZE");
    }

    private void BeginData(FrameHeader header)
    {
        dataLeft = header.Length;
        handler.OnDataBegin(header);
        if (dataLeft == 0)
            handler.OnDataEnd();
    }

    private void ReadData(ref ReadOnlySpan<byte> bytes)
    {
        var take = Math.Min(dataLeft, bytes.Length);
        dataLeft -= take;
        handler.OnDataBytes(bytes[..take]);
        bytes = bytes[take..];
        if (dataLeft == 0)
            handler.OnDataEnd();
    }

    private void Carry(ReadOnlySpan<byte> bytes, int expected)
    {
        if (carry.Length < expected)
            Array.Resize(ref carry, expected <= 64 ? 64 : FrameHeader.Size + MaxFrame);
        bytes.CopyTo(carry.AsSpan(carried));
        carried += bytes.Length;
    }

    /// <summary>
    /// Completes the kept frame, or the kept header of unpadded DATA. Returns false when some of the bytes are still missing.
    /// </summary>
    private bool CompleteCarried(ref ReadOnlySpan<byte> bytes)
    {
        if (!FillTo(FrameHeader.Size, ref bytes))
            return false;
        var header = Header(carry);
        if (IsPlainData(header))
        {
            carried = 0;
            BeginData(header);
            return true;
        }
        if (!FillTo(FrameHeader.Size + header.Length, ref bytes))
            return false;
        carried = 0;
        handler.OnFrame(header, carry.AsSpan(FrameHeader.Size, header.Length));
        return true;
    }

    private bool FillTo(int size, ref ReadOnlySpan<byte> bytes)
    {
        var take = Math.Min(Math.Max(0, size - carried), bytes.Length);
        Carry(bytes[..take], size);
        bytes = bytes[take..];
        return carried >= size;
    }
}

/// <summary>Receives the frames of a <see cref="FrameReader"/> in order.</summary>
public interface IFrameHandler
{
    /// <summary>Whether the connection is closed. The reader then drops the remaining bytes.</summary>
    bool IsClosed { get; }

    /// <summary>Called with a whole frame of any kind except unpadded DATA.</summary>
    void OnFrame(FrameHeader header, ReadOnlySpan<byte> payload);

    /// <summary>Called when an unpadded DATA frame begins. Its bytes follow as they arrive, then <see cref="OnDataEnd"/>.</summary>
    void OnDataBegin(FrameHeader header);

    void OnDataBytes(ReadOnlySpan<byte> bytes);

    void OnDataEnd();
}
