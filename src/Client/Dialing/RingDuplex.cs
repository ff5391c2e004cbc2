using IpcBench.Transports.Rings;

namespace IpcBench.Client.Dialing;

/// <summary>
/// A duplex through shared memory. The duplex has a thread that waits for bytes and passes them to the owner itself. So the
/// measured way of waiting is not mixed with the cost of waking another thread.
/// </summary>
internal sealed class RingDuplex(IDuplexOwner owner, RingConnection ring, int bufferSize) : Duplex
{
    private readonly ReadOnlyMemory<byte>[] part = new ReadOnlyMemory<byte>[1];

    // Start may be called on another thread than Close.
    private readonly Lock beginning = new();

    // The number of users of the shared memory: the owner until Close, and the thread. The last user frees the memory.
    private int users = 1;
    private bool isClosed;

    public override void Start()
    {
        lock (beginning)
        {
            if (isClosed)
                return;
            users = 2;
        }
        new Thread(Run) { IsBackground = true, Name = "shm" }.Start();
    }

    // The owner holds its lock during Flush and Close, so the memory is not freed during a Flush.
    public override void Flush(OutputBuffer output)
    {
        while (!isClosed && !output.IsEmpty)
        {
            output.Parts(part);
            var sent = ring.Send(part[0].Span);
            if (sent == RingConnection.Broken)
            {
                output.Clear();
                ring.NoteBroken();
                ring.Stop(); // the thread then calls OnEnd: here the owner is in the middle of sending
                return;
            }
            output.Sent(sent);
            if (sent < part[0].Length)
                return;
        }
    }

    public override void Close()
    {
        lock (beginning)
        {
            if (isClosed)
                return;
            isClosed = true;
        }
        ring.Close();
        Release();
    }

    private void Run()
    {
        var buffer = new byte[bufferSize];
        for (var isOpen = true; isOpen;)
        {
            isOpen = ring.Wait();
            if (ring.TakeRoom())
                owner.OnRoom(this);
            // When the ring has ended, the bytes that arrived before its end are still passed on.
            for (int count; (count = ring.Receive(buffer)) != 0;)
            {
                if (count == RingConnection.Broken)
                {
                    ring.NoteBroken();
                    isOpen = false;
                    break;
                }
                owner.OnBytes(this, buffer.AsSpan(0, count));
            }
        }
        owner.OnEnd(this, null);
        Release();
    }

    private void Release()
    {
        if (Interlocked.Decrement(ref users) == 0)
            ring.Dispose();
    }
}
