namespace IpcBench.Client.Dialing;

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
