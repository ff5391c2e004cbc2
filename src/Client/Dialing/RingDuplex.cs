using IpcBench.Transports.Rings;

namespace IpcBench.Client.Dialing;

/// <summary>
/// A duplex through shared memory. A thread of its own waits for bytes and passes them on, so that the way of waiting is all
/// that lies between a byte and the code that reads it.
/// </summary>
internal sealed class RingDuplex(IDuplexOwner owner, RingConnection ring, int bufferSize) : Duplex
{
    private readonly ReadOnlyMemory<byte>[] part = new ReadOnlyMemory<byte>[1];

    // The thread, and the caller of Close. The last of the two gives the memory back.
    private int users = 1;
    private bool isClosed;

    public override void Start()
    {
        users = 2;
        new Thread(Run) { IsBackground = true, Name = "shm" }.Start();
    }

    // The owner holds its lock here and in Close, so the memory is there.
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
                ring.Stop(); // the thread tells the owner, who is in the middle of sending
                return;
            }
            output.Sent(sent);
            if (sent < part[0].Length)
                return;
        }
    }

    public override void Close()
    {
        if (isClosed)
            return;
        isClosed = true;
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
            // After the end, bytes that arrived before it are still passed on.
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
