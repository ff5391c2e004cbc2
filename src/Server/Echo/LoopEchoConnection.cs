using System.Buffers;
using System.Diagnostics;
using System.Runtime.Versioning;
using IpcBench.Transports.Loop;

namespace IpcBench.Server.Echo;

/// <summary>
/// Sends every byte of a connection back on the thread of an event loop. Each piece of input takes one receive and one
/// send, and creates no task. The connection has a buffer of its own only while bytes wait to be sent.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class LoopEchoConnection : ILoopHandler
{
    // The most bytes that may wait for one client, besides the system's own buffers.
    private const int MostAtOnce = 64 << 10;

    // The most reads in a row before the loop's other connections are served.
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

    /// <summary>Starts to serve the connection. Only the loop's thread may call this.</summary>
    /// <param name="descriptor">The descriptor of the connection, which this object closes.</param>
    /// <param name="hold">
    /// Called before each answer: does the work of <c>--work</c>, and delays the answer for tests. Null for neither.
    /// </param>
    /// <param name="onWaiting">Called when bytes wait for the client to read.</param>
    /// <param name="output">The pipe to write to, if the descriptor is a pipe to read from. -1 for a socket.</param>
    public LoopEchoConnection(
        EventLoop loop, int descriptor, Func<ValueTask>? hold, Action<LoopEchoConnection> onWaiting, Action<LoopEchoConnection> onEnd,
        int output = -1)
    {
        (this.hold, this.onWaiting, this.onEnd) = (hold, onWaiting, onEnd);
        socket = output < 0 ? LoopSocket.Take(loop, descriptor, this) : LoopSocket.TakePipes(loop, descriptor, output, this);
    }

    /// <summary>Whether bytes have waited for the client for longer than <paramref name="patience"/>.</summary>
    public bool IsStalled(TimeSpan patience) => waitingSince != 0 && Stopwatch.GetElapsedTime(waitingSince) > patience;

    /// <summary>Whether bytes wait for the client to read.</summary>
    public bool IsWaiting => waitingSince != 0;

    /// <summary>Closes the connection and drops the bytes that wait.</summary>
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

    /// <summary>
    /// Sends the bytes back. Returns false when the caller must stop reading, because bytes wait to be sent or the
    /// connection broke.
    /// </summary>
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

    /// <summary>Sends the kept bytes. Returns true when all of them are sent.</summary>
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

    // The connection is reset, so that a truncated echo does not look complete.
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
