using System.Runtime.CompilerServices;

namespace IpcBench.Transports.Rings;

/// <summary>
/// The reading end of a ring. The number of bytes read so far is kept in this object. The copy in the shared memory is
/// for the other process, and is never read here. One thread at a time may read.
/// </summary>
internal sealed unsafe class RingReader(RingMemory.Line* line, byte* data)
{
    private long read;

    /// <summary>
    /// Whether there are bytes to read. Also true when the writer's position is impossible: the read then reports the
    /// fault.
    /// </summary>
    public bool HasBytes
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref line->Written) != read;
    }

    /// <summary>Copies bytes out of the ring, and then gives their room back to the writer.</summary>
    /// <returns>The number of bytes, 0 when there are none, or <see cref="RingConnection.Broken"/>.</returns>
    public int Read(Span<byte> buffer)
    {
        var waiting = Volatile.Read(ref line->Written) - read;
        // The other process could have written any value as its position.
        if (waiting is < 0 or > RingMemory.Capacity)
            return RingConnection.Broken;
        var count = (int)Math.Min(waiting, buffer.Length);
        if (count == 0)
            return 0;
        var at = (int)(read & (RingMemory.Capacity - 1));
        var first = Math.Min(count, RingMemory.Capacity - at);
        new Span<byte>(data + at, first).CopyTo(buffer);
        new Span<byte>(data, count - first).CopyTo(buffer[first..]);
        read += count;
        Volatile.Write(ref line->Read, read);
        return count;
    }

    /// <summary>
    /// Returns true when the writer waits for room and there is room now. Then also resets the writer's wish for room.
    /// The caller must place a memory barrier between <see cref="Read"/> and this call.
    /// </summary>
    public bool OwesRoom() => Volatile.Read(ref line->AwaitsRoom) != 0
        && Volatile.Read(ref line->Written) - read <= RingMemory.Capacity / 2
        && Interlocked.Exchange(ref line->AwaitsRoom, 0) != 0;
}
