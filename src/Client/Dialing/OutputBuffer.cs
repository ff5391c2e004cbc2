using System.Buffers;

namespace IpcBench.Client.Dialing;

/// <summary>
/// Bytes on their way out. Its memory comes from a pool shared by the connections of one thread and goes back when all is sent.
/// </summary>
internal sealed class OutputBuffer(BufferPool pool) : IBufferWriter<byte>
{
    private byte[] bytes = [];
    private int start;
    private int end;

    public bool IsEmpty => start == end;

    public int Length => end - start;

    public ReadOnlyMemory<byte> Unsent => bytes.AsMemory(start, end - start);

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
        start += count;
        if (start == end)
            Clear();
    }

    public void Clear()
    {
        if (bytes.Length > 0)
            pool.Return(bytes);
        (bytes, start, end) = ([], 0, 0);
    }

    private void Grow(int count)
    {
        var larger = pool.Rent(end - start + count);
        Unsent.Span.CopyTo(larger);
        var length = end - start;
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
        return free.TryPop(out var buffer) ? buffer : GC.AllocateUninitializedArray<byte>(size);
    }

    /// <summary>Takes back what was rented; one that has become too small is let go.</summary>
    public void Return(byte[] buffer)
    {
        if (buffer.Length == size)
            free.Push(buffer);
    }
}
