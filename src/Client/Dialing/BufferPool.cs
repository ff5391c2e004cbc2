namespace IpcBench.Client.Dialing;

/// <summary>
/// Keeps free output buffers. Only one thread at a time may use a pool. All free buffers have the same size, which fits
/// the largest request so far: a connection that had much to send will have much to send again. The pool never keeps
/// more buffers than were in use at one time.
/// </summary>
internal sealed class BufferPool(int size = 16 * 1024)
{
    private readonly Stack<byte[]> free = new();
    private int size = size;

    public byte[] Rent(int atLeast)
    {
        if (atLeast > size)
        {
            size = (int)Math.Min(System.Numerics.BitOperations.RoundUpToPowerOf2((uint)atLeast), (uint)Array.MaxLength);
            free.Clear();
        }
        return free.TryPop(out var buffer) ? buffer : GC.AllocateUninitializedArray<byte>(size, pinned: true);
    }

    /// <summary>Takes a buffer back. A buffer that is smaller than the pool's present size is dropped.</summary>
    public void Return(byte[] buffer)
    {
        if (buffer.Length == size)
            free.Push(buffer);
    }
}
