using System.Buffers;
using System.Runtime.InteropServices;
using IpcBench.Http2;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>The body of a request. It also keeps the whole request, encoded in the form that most calls send.</summary>
internal sealed class RequestBody
{
    /// <summary>
    /// The smallest part of a message, in bytes, that is sent without a copy. For a smaller part, a copy costs less
    /// than an additional segment in the system call.
    /// </summary>
    public const int FewestBorrowed = 4096;

    /// <param name="block">The encoded fields in the form that most calls send: <see cref="RepeatedFields.IndexedBlock"/>.</param>
    /// <param name="message">The message with its prefix. Empty when the request has no body.</param>
    public RequestBody(byte[] block, byte[] message)
    {
        Message = message.Length < FewestBorrowed ? message : Pinned(message);
        var frames = new ArrayBufferWriter<byte>();
        var end = message.Length == 0 ? FrameFlags.EndStream : FrameFlags.None;
        frames.WriteFrame(FrameType.Headers, FrameFlags.EndHeaders | end, 0, block);
        SecondFrame = frames.WrittenCount;
        if (message.Length > FrameReader.MaxFrame || block.Length > FrameReader.MaxFrame)
            return;
        if (message.Length > 0)
            frames.WriteFrame(FrameType.Data, FrameFlags.EndStream, 0, message);
        IndexedFrames = frames.WrittenSpan.ToArray();
    }

    /// <summary>The message with its prefix. Empty when the request has no body.</summary>
    public byte[] Message { get; }

    /// <summary>
    /// The whole request with stream identifier 0: a HEADERS frame, and a DATA frame if there is a body. Null when the
    /// fields or the body need more than one frame.
    /// </summary>
    public byte[]? IndexedFrames { get; }

    /// <summary>The DATA frame of <see cref="IndexedFrames"/>. Empty when there is none.</summary>
    public ReadOnlyMemory<byte> DataFrame => IndexedFrames.AsMemory(IndexedFrames is null ? 0 : SecondFrame);

    /// <summary>Returns a part of the message, of at least <see cref="FewestBorrowed"/> bytes, to send without a copy.</summary>
    public ReadOnlyMemory<byte> Part(int from, int count) => MemoryMarshal.CreateFromPinnedArray(Message, from, count);

    /// <summary>The offset in <see cref="IndexedFrames"/> at which the HEADERS frame ends and a DATA frame may follow.</summary>
    public int SecondFrame { get; }

    private static byte[] Pinned(byte[] message)
    {
        var there = GC.AllocateUninitializedArray<byte>(message.Length, pinned: true);
        message.CopyTo(there, 0);
        return there;
    }
}
