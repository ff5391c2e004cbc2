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

/// <summary>Output buffers of one size, for use from one thread at a time; larger ones are made on demand and not kept.</summary>
internal sealed class BufferPool(int size = 16 * 1024)
{
    private readonly Stack<byte[]> free = new();

    public byte[] Rent(int atLeast)
    {
        if (atLeast <= size)
            return free.TryPop(out var buffer) ? buffer : new byte[size];
        return new byte[(int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)atLeast)];
    }

    public void Return(byte[] buffer)
    {
        if (buffer.Length == size)
            free.Push(buffer);
    }
}
