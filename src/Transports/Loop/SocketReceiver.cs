using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>From a socket into a pipe, as far as its reader keeps up. On the loop's thread.</summary>
/// <param name="socket">Where bytes come from.</param>
/// <param name="input">Where they go; its scheduler runs on the loop.</param>
/// <param name="onEnd">Called once: nothing more will arrive.</param>
/// <param name="broken">What its reader is told when the connection broke, with the system's words.</param>
[SupportedOSPlatform("linux")]
internal sealed class SocketReceiver(LoopSocket socket, PipeWriter input, Action onEnd, Func<string, IOException> broken)
{
    private const int MostAtOnce = 256 << 10;

    // Then the other connections of the loop have their turn.
    private const int MostReadsAtOnce = 8;

    private bool flushes;
    private bool hungUp;
    private bool ended;
    private Exception? endReason;

    /// <summary>Takes what has arrived.</summary>
    /// <param name="hangUp">The other side has closed.</param>
    public void OnReadable(bool hangUp)
    {
        hungUp |= hangUp;
        for (var reads = 0; !flushes && !ended; reads++)
        {
            if (reads == MostReadsAtOnce)
            {
                socket.ReadAgain();
                return;
            }
            if (!Receive())
                return;
        }
    }

    /// <summary>Takes no more; what has been received is still read. A second time is nothing.</summary>
    /// <param name="failure">What its reader is told instead of the end; null for none.</param>
    public void End(Exception? failure)
    {
        if (ended)
            return;
        // A pipe must not be completed while it is flushed: that is done afterwards.
        if (flushes)
        {
            endReason ??= failure;
            input.CancelPendingFlush();
            return;
        }
        ended = true;
        input.Complete(failure);
        onEnd();
    }

    /// <summary>False when nothing more is there, or its reader is behind.</summary>
    private bool Receive()
    {
        // By way of the loop's own buffer: a connection that waits for bytes holds none.
        var buffer = socket.Loop.ReceiveBuffer.AsSpan(0, MostAtOnce);
        var count = socket.Receive(buffer);
        if (count == LoopSocket.WouldBlock)
            return false;
        if (count <= 0)
        {
            End(count == 0 ? null : broken(LoopSocket.Describe(count)));
            return false;
        }
        input.Write(buffer[..count]);
        var flush = input.FlushAsync();
        if (!flush.IsCompleted)
        {
            flushes = true;
            _ = ReceiveAfterAsync(flush);
            return false;
        }
        if (flush.GetAwaiter().GetResult().IsCompleted)
            End(null);
        // Less than asked for was all there was (epoll(7), on edge-triggered reads of stream sockets).
        return count == MostAtOnce || hungUp;
    }

    /// <summary>The application is to read first.</summary>
    private async Task ReceiveAfterAsync(ValueTask<FlushResult> flush)
    {
        var isOver = true;
        try
        {
            var result = await flush.ConfigureAwait(false);
            isOver = result.IsCompleted || result.IsCanceled;
        }
#pragma warning disable CA1031 // The application completed its input with an exception.
        catch (Exception e)
#pragma warning restore CA1031
        {
            endReason ??= e;
        }
        flushes = false;
        if (isOver)
            End(endReason);
        else
            OnReadable(hangUp: false);
    }
}
