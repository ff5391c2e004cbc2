using System.Runtime.CompilerServices;

namespace IpcBench.Transports.Rings;

/// <summary>
/// The writing end of a ring. The number of bytes written so far is kept in this object. The copy in the shared memory
/// is for the other process, and is never read here. One thread at a time may write.
/// </summary>
internal sealed unsafe class RingWriter(RingMemory.Line* line, byte* data)
{
    private long written;
    private long knownRead;

    /// <summary>Copies as many bytes as there is room for, and then publishes the new position to the reader.</summary>
    /// <returns>The number of copied bytes, or <see cref="RingConnection.Broken"/>.</returns>
    public int Write(ReadOnlySpan<byte> bytes)
    {
        if (RingMemory.Capacity - (written - knownRead) < bytes.Length)
        {
            var read = Volatile.Read(ref line->Read);
            // The other process could have written any value as its position.
            if (read < knownRead || read > written)
                return RingConnection.Broken;
            knownRead = read;
        }
        var count = (int)Math.Min(RingMemory.Capacity - (written - knownRead), bytes.Length);
        var at = (int)(written & (RingMemory.Capacity - 1));
        var first = Math.Min(count, RingMemory.Capacity - at);
        bytes[..first].CopyTo(new Span<byte>(data + at, first));
        bytes[first..count].CopyTo(new Span<byte>(data, count - first));
        // The position is written after the bytes, so that the reader never reads bytes that are not written yet.
        Volatile.Write(ref written, written + count);
        Volatile.Write(ref line->Written, written);
        return count;
    }

    /// <summary>
    /// Whether a writer that found the ring full may go on. Also true when the reader's position lies after the writer's: the
    /// write then reports the fault. Any thread may read this property.
    /// </summary>
    public bool HasRoom
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref written) - Volatile.Read(ref line->Read) <= RingMemory.Capacity / 2;
    }

    /// <summary>Asks the reader to wake this side when the ring is half empty.</summary>
    public void AskForRoom() => Volatile.Write(ref line->AwaitsRoom, 1);
}
