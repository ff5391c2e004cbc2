using System.Buffers;
using System.Runtime.InteropServices;

namespace IpcBench.Client.Dialing;

/// <summary>
/// Bytes on their way out. Its memory comes from a pool shared by the connections of one thread and goes back when all is sent. Large
/// payloads are not copied into it: their place is noted, and they are sent from where they are.
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

    /// <summary>Bytes of it that the system, or a write under way, has taken since it was made.</summary>
    public long Taken { get; private set; }

    /// <summary>How many bytes were written to it since it was made: what was written last is on its way once so many are taken.</summary>
    public long Written => Taken + Length;

    /// <summary>Whether all of it is <see cref="Unsent"/>: nothing is borrowed.</summary>
    public bool IsPlain => borrowedBytes == 0;

    /// <summary>All that is to be sent, where it <see cref="IsPlain"/>.</summary>
    public ReadOnlyMemory<byte> Unsent => Part(start, end);

    /// <summary>
    /// Bytes that are to be sent after all that is here already, without a copy: they must stay as they are until they are sent.
    /// </summary>
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

    /// <summary>The first parts of what is to be sent, as many as there is room for, in their order.</summary>
    /// <returns>How many.</returns>
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

    /// <summary>Copies the first bytes of what is to be sent, as many as there is room for.</summary>
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

    /// <summary>Room for exactly <paramref name="count"/> more bytes, to be filled at once.</summary>
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

    /// <summary>Drops what was sent.</summary>
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

    // Pinned: a gathering send takes its address without making a handle for each part.
    private ReadOnlyMemory<byte> Part(int from, int to) => MemoryMarshal.CreateFromPinnedArray(bytes, from, to - from);

    private static Span<byte> Fill(Span<byte> to, ReadOnlySpan<byte> from)
    {
        var count = Math.Min(to.Length, from.Length);
        from[..count].CopyTo(to);
        return to[count..];
    }

    private void Grow(int count)
    {
        var larger = pool.Rent(end - start + count);
        Unsent.Span.CopyTo(larger);
        var length = end - start;
        for (var next = firstBorrowed; next < endBorrowed; next++)
            borrowed[next].At -= start;
        if (bytes.Length > 0)
            pool.Return(bytes);
        (bytes, start, end) = (larger, 0, length);
    }
}

/// <summary>
/// Output buffers, for use from one thread at a time. All that it keeps have one size: the largest that was ever asked for, because a
/// connection that once had so much to send will again. So it keeps at most what was in use at one time.
/// </summary>
internal sealed class BufferPool(int size = 16 * 1024)
{
    private readonly Stack<byte[]> free = new();
    private int size = size;

    public byte[] Rent(int atLeast)
    {
        if (atLeast > size)
        {
            size = (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)atLeast);
            free.Clear();
        }
        return free.TryPop(out var buffer) ? buffer : GC.AllocateUninitializedArray<byte>(size, pinned: true);
    }

    /// <summary>Takes back what was rented; one that has become too small is let go.</summary>
    public void Return(byte[] buffer)
    {
        if (buffer.Length == size)
            free.Push(buffer);
    }
}
