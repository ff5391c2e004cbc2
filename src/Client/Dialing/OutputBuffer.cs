using System.Buffers;
using System.Runtime.InteropServices;

namespace IpcBench.Client.Dialing;

/// <summary>
/// Holds bytes that wait to be sent. The memory comes from a pool, and returns to the pool when all bytes are sent. A
/// borrowed payload is not copied: the buffer only refers to the payload's own memory, and the payload is sent from there.
/// </summary>
internal sealed class OutputBuffer(BufferPool pool) : IBufferWriter<byte>
{
    private byte[] bytes = [];
    private int start;
    private int end;
    private (int At, ReadOnlyMemory<byte> Bytes)[] borrowed = [];
    private int firstBorrowed, endBorrowed, borrowedBytes;

    public bool IsEmpty => Length == 0;

    public int Length => end - start + borrowedBytes;

    /// <summary>The number of bytes that have left the buffer so far: the system or a pending write has taken them.</summary>
    public long Taken { get; private set; }

    /// <summary>The bytes put into the buffer so far. Equal to <see cref="Taken"/> when no byte waits.</summary>
    public long Written => Taken + Length;

    /// <summary>True when the buffer refers to no borrowed bytes, so that <see cref="Unsent"/> has all bytes to send.</summary>
    public bool IsPlain => borrowedBytes == 0;

    /// <summary>All bytes to send. Valid only while the buffer <see cref="IsPlain"/>.</summary>
    public ReadOnlyMemory<byte> Unsent => Part(start, end);

    /// <summary>Appends bytes without copying them. Their memory must not change until they are sent.</summary>
    public void Borrow(ReadOnlyMemory<byte> source)
    {
        if (source.IsEmpty)
            return;
        if (endBorrowed == borrowed.Length)
        {
            var kept = borrowed.AsSpan(firstBorrowed, endBorrowed - firstBorrowed);
            var room = kept.Length >= borrowed.Length / 2 ? new (int, ReadOnlyMemory<byte>)[Math.Max(16, 2 * borrowed.Length)] : borrowed;
            kept.CopyTo(room);
            (borrowed, firstBorrowed, endBorrowed) = (room, 0, kept.Length);
        }
        borrowed[endBorrowed++] = (end, source);
        borrowedBytes += source.Length;
    }

    /// <summary>Fills <paramref name="into"/> with the first parts to send, in their order.</summary>
    /// <returns>The number of parts.</returns>
    public int Parts(Span<ReadOnlyMemory<byte>> into)
    {
        var (count, at) = (0, start);
        for (var next = firstBorrowed; count < into.Length && next < endBorrowed; next++)
        {
            if (borrowed[next].At > at)
                into[count++] = Part(at, borrowed[next].At);
            at = borrowed[next].At;
            if (count < into.Length)
                into[count++] = borrowed[next].Bytes;
            else
                return count;
        }
        if (count < into.Length && end > at)
            into[count++] = Part(at, end);
        return count;
    }

    /// <summary>Fills <paramref name="to"/> with the first bytes to send. They stay in the buffer.</summary>
    public void CopyTo(Span<byte> to)
    {
        var at = start;
        for (var next = firstBorrowed; next < endBorrowed && !to.IsEmpty; next++)
        {
            to = Fill(to, bytes.AsSpan(at, borrowed[next].At - at));
            at = borrowed[next].At;
            to = Fill(to, borrowed[next].Bytes.Span);
        }
        Fill(to, bytes.AsSpan(at, end - at));
    }

    /// <summary>Makes room for <paramref name="count"/> more bytes, which the caller fills at once.</summary>
    public Span<byte> Append(int count)
    {
        if (bytes.Length - end < count)
            Grow(count);
        end += count;
        return bytes.AsSpan(end - count, count);
    }

    public void Append(ReadOnlySpan<byte> source) => source.CopyTo(Append(source.Length));

    public Span<byte> GetSpan(int sizeHint = 0)
    {
        if (bytes.Length - end < Math.Max(1, sizeHint))
            Grow(Math.Max(1, sizeHint));
        return bytes.AsSpan(end);
    }

    public Memory<byte> GetMemory(int sizeHint = 0) => bytes.AsMemory(end, GetSpan(sizeHint).Length);

    public void Advance(int count) => end += count;

    /// <summary>Removes the first <paramref name="count"/> bytes, which were sent or copied.</summary>
    public void Sent(int count)
    {
        Taken += count;
        while (firstBorrowed < endBorrowed && count > 0)
        {
            ref var next = ref borrowed[firstBorrowed];
            var own = Math.Min(count, next.At - start);
            (start, count) = (start + own, count - own);
            var taken = Math.Min(count, next.Bytes.Length);
            (count, borrowedBytes, next.Bytes) = (count - taken, borrowedBytes - taken, next.Bytes[taken..]);
            if (next.Bytes.IsEmpty)
                firstBorrowed++;
        }
        start += count;
        if (IsEmpty)
            Clear();
    }

    public void Clear()
    {
        if (bytes.Length > 0)
            pool.Return(bytes);
        (bytes, start, end) = ([], 0, 0);
        if (endBorrowed > 0)
            Array.Clear(borrowed, 0, endBorrowed);
        (firstBorrowed, endBorrowed, borrowedBytes) = (0, 0, 0);
    }

    // The array is pinned, so that a send of several parts at once needs no GC handle for each part.
    private ReadOnlyMemory<byte> Part(int from, int to) => MemoryMarshal.CreateFromPinnedArray(bytes, from, to - from);

    private static Span<byte> Fill(Span<byte> to, ReadOnlySpan<byte> from)
    {
        var count = Math.Min(to.Length, from.Length);
        from[..count].CopyTo(to);
        return to[count..];
    }

    // The new array has as much free room as waiting bytes. So each byte is moved about once, however many bytes wait.
    private void Grow(int count)
    {
        var waiting = end - start;
        var larger = pool.Rent((int)Math.Max(waiting + count, Math.Min(2L * waiting, Array.MaxLength)));
        Unsent.Span.CopyTo(larger);
        var length = end - start;
        for (var next = firstBorrowed; next < endBorrowed; next++)
            borrowed[next].At -= start;
        if (bytes.Length > 0)
            pool.Return(bytes);
        (bytes, start, end) = (larger, 0, length);
    }
}
