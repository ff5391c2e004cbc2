namespace IpcBench.Http2;

/// <summary>Takes what a <see cref="FrameReader"/> finds, in order.</summary>
public interface IFrameHandler
{
    /// <summary>Nothing more is wanted: the reader drops the rest.</summary>
    bool IsClosed { get; }

    /// <summary>A whole frame of any kind but unpadded DATA.</summary>
    void OnFrame(FrameHeader header, ReadOnlySpan<byte> payload);

    /// <summary>An unpadded DATA frame begins; its bytes follow as they arrive, then its end.</summary>
    void OnDataBegin(FrameHeader header);

    void OnDataBytes(ReadOnlySpan<byte> bytes);

    void OnDataEnd();
}
