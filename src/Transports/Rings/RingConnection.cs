using System.Diagnostics;
using System.IO.Pipelines;

namespace IpcBench.Transports.Rings;

/// <summary>
/// One end of a connection through shared memory: a ring of bytes for each direction. One thread receives and waits.
/// One thread at a time may send. What the other process writes into the memory is never trusted.
/// </summary>
public sealed unsafe class RingConnection : IDisposable
{
    /// <summary>The result of a receive or send when the other process has written an impossible position.</summary>
    public const int Broken = -1;

    /// <summary>The error message for <see cref="Broken"/>.</summary>
    public const string BrokenText = "the other process wrote a wrong position into the shared memory";

    // How often a spin reads the memory before it reads the clock once.
    private const int LooksAtOnce = 64;

    // A spin that takes longer than this yields the CPU after each reading of the clock. Otherwise two ends on one CPU
    // would each wait until the other end's time slice is over.
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

    /// <summary>
    /// Sends as many bytes as there is room for. If there was no room for all bytes, <see cref="Wait"/> also waits for
    /// room, until <see cref="TakeRoom"/> has returned true.
    /// </summary>
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
                // The barrier orders the write of the position before the read of theySleep. So either this process
                // sees that the other process sleeps, or the other process sees the bytes before it sleeps.
                Interlocked.MemoryBarrier();
                if (Volatile.Read(ref *theySleep) != 0)
                    Wake();
            }
            sent += count;
            if (sent == bytes.Length)
                return sent;
            wantsRoom = true;
            // The barrier orders the write of the wish for room before the read of HasRoom. So either this process sees
            // the room, or the other process sees the wish.
            writer.AskForRoom();
            Interlocked.MemoryBarrier();
            if (!writer.HasRoom)
                return sent;
        }
    }

    /// <summary>
    /// Returns true when a send had no room for all bytes and there is room now. Then also resets the wish for room. A later
    /// send that had room does not reset it, because the caller may have told others to wait for room.
    /// </summary>
    public bool TakeRoom()
    {
        if (!wantsRoom || !writer.HasRoom)
            return false;
        wantsRoom = false;
        return true;
    }

    /// <summary>Waits for bytes to receive, for room if a send had too little, or for the end.</summary>
    /// <param name="forRoomAlone">
    /// True to wait for room alone: bytes that arrive stay in the ring and do not end the wait.
    /// </param>
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

    /// <summary>
    /// Makes a stream of the client's end. Disposing the stream ends the child and gives the memory back. Call nothing else of
    /// this object afterwards.
    /// </summary>
    internal Stream ToStream()
    {
        var pipes = ThreadPipes.Start(new RingChannel(this), Address.Child.SharedMemory, PipeScheduler.ThreadPool, static () => { });
        return new ChildStream(child!, pipes.Input.AsStream(), pipes.Output.AsStream());
    }

    /// <summary>Notes that the child has written a wrong position into the shared memory.</summary>
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
        // The word is reset first. So later calls do not ring again, and a sleep on the word (futex) that is about to
        // begin ends at once.
        Interlocked.Exchange(ref *theySleep, 0);
        theirs.Ring();
    }

    private bool IsReady(bool forRoomAlone) =>
        isStopped || !forRoomAlone && reader.HasBytes || wantsRoom && writer.HasRoom;

    /// <summary>
    /// Reads the memory again and again for the time of <see cref="RingWait.SpinNs"/>. Returns false when there is
    /// still nothing that ends the wait.
    /// </summary>
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
