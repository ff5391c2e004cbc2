using System.Buffers;
using System.Diagnostics;
using System.Runtime.Versioning;
using IpcBench.Transports.Loop;

namespace IpcBench.Server.Echo;

/// <summary>
/// Sends every byte of a connection back as it comes, on the thread of an event loop: one receive and one send for a packet, no task, no
/// buffer of its own while its client reads.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopEchoConnection : ILoopHandler
{
    // What may wait for one client at a time, beside the system's own buffers.
    private const int MostAtOnce = 64 << 10;

    // Reads in a row before the loop's other connections are served.
    private const int MostReadsAtOnce = 8;

    private readonly LoopSocket socket;
    private readonly Func<ValueTask>? hold;
    private readonly Action<LoopEchoConnection> onWaiting;
    private readonly Action<LoopEchoConnection> onEnd;
    private byte[]? kept;
    private int keptStart;
    private int keptEnd;
    private bool isHeld;
    private long waitingSince;

    /// <summary>On the loop's thread.</summary>
    /// <param name="loop">Where it lives.</param>
    /// <param name="descriptor">The connection, which it closes.</param>
    /// <param name="hold">Makes each answer as slow as a test wants it; null for none.</param>
    /// <param name="onWaiting">Bytes wait for the client to read.</param>
    /// <param name="onEnd">It is closed.</param>
    public LoopEchoConnection(
        EventLoop loop, int descriptor, Func<ValueTask>? hold, Action<LoopEchoConnection> onWaiting, Action<LoopEchoConnection> onEnd)
    {
        (this.hold, this.onWaiting, this.onEnd) = (hold, onWaiting, onEnd);
        socket = LoopSocket.Take(loop, descriptor, this);
    }

    /// <summary>Bytes wait for a client that has not read for this long.</summary>
    public bool IsStalled(TimeSpan patience) => waitingSince != 0 && Stopwatch.GetElapsedTime(waitingSince) > patience;

    /// <summary>Bytes wait for the client to read.</summary>
    public bool IsWaiting => waitingSince != 0;

    /// <summary>Closes it, whatever is on its way.</summary>
    public void End()
    {
        if (socket.IsClosed)
            return;
        socket.Close();
        Release();
        onEnd(this);
    }

    public void OnReadable()
    {
        if (kept is null)
            Read();
    }

    public void OnWritable()
    {
        if (SendKept())
            Read();
    }

    private void Read()
    {
        for (var reads = 0; !socket.IsClosed; reads++)
        {
            if (reads == MostReadsAtOnce)
            {
                socket.ReadAgain();
                return;
            }
            var buffer = socket.Loop.ReceiveBuffer.AsSpan(0, MostAtOnce);
            var count = socket.Receive(buffer);
            if (count == LoopSocket.WouldBlock)
                return;
            if (count <= 0)
                End();
            else if (!Return(buffer[..count]) || !socket.MayHoldMore)
                return;
        }
    }

    /// <summary>False when bytes had to be kept: nothing more is read until they are sent.</summary>
    private bool Return(ReadOnlySpan<byte> bytes)
    {
        if (hold?.Invoke() is { IsCompleted: false } held)
        {
            Keep(bytes);
            isHeld = true;
            _ = SendAfterAsync(held);
            return false;
        }
        var sent = socket.Send(bytes);
        if (sent == bytes.Length)
            return true;
        if (sent < 0 && sent != LoopSocket.WouldBlock)
        {
            Break();
            return false;
        }
        Keep(bytes[Math.Max(0, sent)..]);
        Wait();
        return false;
    }

    private async Task SendAfterAsync(ValueTask held)
    {
        await held.ConfigureAwait(false);
        socket.Loop.Post(static state => ((LoopEchoConnection)state!).Resume(), this);
    }

    private void Resume()
    {
        isHeld = false;
        OnWritable();
    }

    /// <summary>True when nothing waits any more.</summary>
    private bool SendKept()
    {
        if (kept is null || isHeld)
            return false;
        var sent = socket.Send(kept.AsSpan(keptStart, keptEnd - keptStart));
        if (sent < 0 && sent != LoopSocket.WouldBlock)
        {
            Break();
            return false;
        }
        if (sent > 0)
            (keptStart, waitingSince) = (keptStart + sent, 0);
        if (keptStart < keptEnd)
        {
            Wait();
            return false;
        }
        Release();
        return true;
    }

    // An echo that lacks bytes must not look like a whole one.
    private void Break()
    {
        socket.ResetOnClose();
        End();
    }

    private void Wait()
    {
        if (waitingSince == 0)
            waitingSince = Stopwatch.GetTimestamp();
        socket.WantWritable();
        onWaiting(this);
    }

    private void Keep(ReadOnlySpan<byte> bytes)
    {
        kept = ArrayPool<byte>.Shared.Rent(bytes.Length);
        bytes.CopyTo(kept);
        (keptStart, keptEnd) = (0, bytes.Length);
    }

    private void Release()
    {
        if (kept is not null)
            ArrayPool<byte>.Shared.Return(kept);
        (kept, waitingSince) = (null, 0);
    }
}
