using System.Diagnostics;

namespace IpcBench.Transports.Rings;

/// <summary>
/// One end of a connection through shared memory: a ring of bytes for each direction. One thread receives and waits.
/// One thread at a time may send. What the other process writes into the memory is never trusted.
/// </summary>
public sealed unsafe class RingConnection : IDisposable
{
    /// <summary>The result of a receive or send when the other process has written a position that cannot be.</summary>
    public const int Broken = -1;

    /// <summary>Says what <see cref="Broken"/> means.</summary>
    public const string BrokenText = "the other process wrote a wrong position into the shared memory";

    // The number of looks at the memory before each look at the clock.
    private const int LooksAtOnce = 64;

    // After this time, each look lets other threads run. Otherwise two ends on one CPU would wait for the end of a time slice.
    private const long PoliteAfterNs = 50_000;

    private readonly RingMemory memory;
    private readonly RingReader reader;
    private readonly RingWriter writer;
    private readonly Doorbell ours, theirs;
    private readonly int* weSleep;
    private readonly int* theySleep;
    private readonly RingWait wait;
    private readonly ChildProgram? child;
    private readonly Lock gate = new();
    private volatile bool isStopped;
    private volatile bool wantsRoom;
    private bool isDisposed;

    internal RingConnection(RingMemory memory, bool isClient, (Doorbell Client, Doorbell Child) bells, RingWait wait, ChildProgram? child)
    {
        (this.memory, this.wait, this.child) = (memory, wait, child);
        (ours, theirs) = isClient ? bells : (bells.Child, bells.Client);
        var (to, from) = isClient ? (0, 1) : (1, 0);
        (writer, reader) = (new(memory.LineOf(to), memory.DataOf(to)), new(memory.LineOf(from), memory.DataOf(from)));
        weSleep = memory.SleeperOf(to);
        theySleep = memory.SleeperOf(from);
        child?.Ended.ContinueWith(
            _ =>
            {
                child.NoteEnd();
                Stop();
            },
            TaskScheduler.Default);
    }

    /// <summary>Copies the bytes that have arrived.</summary>
    /// <returns>The number of bytes, 0 when there are none, or <see cref="Broken"/>.</returns>
    public int Receive(Span<byte> buffer)
    {
        var count = reader.Read(buffer);
        if (count <= 0 || wait.IsEndless)
            return count;
        Interlocked.MemoryBarrier();
        if (reader.OwesRoom())
            Wake();
        return count;
    }

    /// <summary>Sends as many bytes as there is room for. After fewer, <see cref="Wait"/> also waits for room.</summary>
    /// <returns>The number of bytes, or <see cref="Broken"/>.</returns>
    public int Send(ReadOnlySpan<byte> bytes)
    {
        var sent = 0;
        while (true)
        {
            var count = writer.Write(bytes[sent..]);
            if (count == Broken)
                return Broken;
            if (count > 0 && !wait.IsEndless)
            {
                // The barrier orders the position before the look. So either this process sees that the other one sleeps, or the
                // other one sees the bytes before it sleeps.
                Interlocked.MemoryBarrier();
                if (Volatile.Read(ref *theySleep) != 0)
                    Wake();
            }
            sent += count;
            wantsRoom = sent < bytes.Length;
            if (!wantsRoom)
                return sent;
            // The wish stands in the memory before the look. So either there is room now, or the other process sees the wish.
            writer.AskForRoom();
            Interlocked.MemoryBarrier();
            if (!writer.HasRoom)
                return sent;
        }
    }

    /// <summary>Whether a send had no room for all bytes and now has room. Resets the wish for room.</summary>
    public bool TakeRoom()
    {
        if (!wantsRoom || !writer.HasRoom)
            return false;
        wantsRoom = false;
        return true;
    }

    /// <summary>Waits for bytes to receive, for room if a send had too little, or for the end.</summary>
    /// <param name="forRoomAlone">True to leave bytes that arrive where they are.</param>
    /// <returns>False when the connection has ended. Bytes that arrived before the end may still be received.</returns>
    public bool Wait(bool forRoomAlone = false)
    {
        while (!Spin(forRoomAlone))
        {
            Volatile.Write(ref *weSleep, 1);
            Interlocked.MemoryBarrier();
            if (!IsReady(forRoomAlone))
                ours.Sleep();
            Volatile.Write(ref *weSleep, 0);
        }
        return !isStopped;
    }

    /// <summary>Ends the wait, and with it the connection. Any thread may call this, at any time.</summary>
    public void Stop()
    {
        lock (gate)
        {
            isStopped = true;
            if (isDisposed)
                return;
            Interlocked.Exchange(ref *weSleep, 0);
            ours.Ring();
        }
    }

    /// <summary>Ends the wait, and lets the child end.</summary>
    public void Close()
    {
        child?.Dispose();
        Stop();
    }

    /// <summary>Notes that the other process has broken the ring.</summary>
    public void NoteBroken() => child?.NoteEnd("it wrote a wrong position into the shared memory");

    /// <summary>Gives the memory back. No thread may receive, send or wait any more.</summary>
    public void Dispose()
    {
        lock (gate)
        {
            if (isDisposed)
                return;
            isDisposed = true;
            ours.Dispose();
            theirs.Dispose();
            memory.Dispose();
        }
    }

    private void Wake()
    {
        // Only one of several that see the sleeper rings.
        Interlocked.Exchange(ref *theySleep, 0);
        theirs.Ring();
    }

    private bool IsReady(bool forRoomAlone) =>
        isStopped || !forRoomAlone && reader.HasBytes || wantsRoom && writer.HasRoom;

    /// <summary>Looks at the memory for the time of <see cref="RingWait.SpinNs"/>. Returns false when nothing has come.</summary>
    private bool Spin(bool forRoomAlone)
    {
        if (wait.SpinNs == 0)
            return IsReady(forRoomAlone);
        for (var start = 0L; ;)
        {
            for (var looks = 0; looks < LooksAtOnce; looks++)
            {
                if (IsReady(forRoomAlone))
                    return true;
            }
            if (start == 0)
                start = Stopwatch.GetTimestamp();
            var spun = Stopwatch.GetElapsedTime(start).Ticks * 100;
            if (spun >= wait.SpinNs)
                return false;
            if (spun > PoliteAfterNs)
                Thread.Yield();
        }
    }
}
