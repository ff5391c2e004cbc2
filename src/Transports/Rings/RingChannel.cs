namespace IpcBench.Transports.Rings;

/// <summary>A connection through shared memory, as a channel of bytes.</summary>
public sealed class RingChannel(RingConnection ring) : IByteChannel
{
    private readonly SemaphoreSlim room = new(0);
    private volatile bool isOver;

    public int Receive(Span<byte> buffer)
    {
        for (var isOpen = true; ;)
        {
            if (ring.TakeRoom())
                WakeSender();
            // When the ring has ended, the bytes that arrived before its end are still received.
            var count = ring.Receive(buffer);
            if (count > 0)
                return count;
            if (count == RingConnection.Broken)
            {
                End();
                throw Broken();
            }
            if (!isOpen)
            {
                End();
                return 0;
            }
            isOpen = ring.Wait();
        }
    }

    public async ValueTask SendAsync(ReadOnlyMemory<byte> bytes)
    {
        while (!isOver)
        {
            var sent = ring.Send(bytes.Span);
            if (sent == RingConnection.Broken)
                throw Broken();
            bytes = bytes[sent..];
            if (bytes.IsEmpty)
                return;
            await room.WaitAsync().ConfigureAwait(false);
        }
        throw new IOException("the connection has ended");
    }

    public void Close() => ring.Close();

    public void Dispose()
    {
        ring.Dispose();
        room.Dispose();
    }

    private void End()
    {
        isOver = true;
        WakeSender();
    }

    // Only the receiving thread calls this, so the count is at most 1.
    private void WakeSender()
    {
        if (room.CurrentCount == 0)
            room.Release();
    }

    private IOException Broken()
    {
        ring.NoteBroken();
        return new IOException(RingConnection.BrokenText);
    }
}
