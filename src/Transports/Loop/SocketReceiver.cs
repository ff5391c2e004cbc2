using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>From a socket into a pipe, as far as its reader keeps up. On the loop's thread.</summary>
/// <param name="socket">Where bytes come from.</param>
/// <param name="input">Where they go; its scheduler runs on the loop.</param>
/// <param name="mostWaiting">Bytes that may wait for its reader; 0: any number.</param>
/// <param name="onEnd">Called once: nothing more will arrive.</param>
/// <param name="broken">What its reader is told when the connection broke, with the system's words.</param>
[SupportedOSPlatform("linux")]
internal sealed class SocketReceiver(
    LoopSocket socket, PipeWriter input, long mostWaiting, Action onEnd, Func<string, IOException> broken)
{
    private const int LeastAtOnce = 4 << 10;
    private const int MostAtOnce = 128 << 10;

    // The pipe says that it is full only after it has been given more, so that the last receive goes beyond its limit: by an eighth.
    private readonly int atOnce = mostWaiting == 0 ? MostAtOnce : (int)Math.Clamp(mostWaiting / 8, LeastAtOnce, MostAtOnce);
    private TurnBudget budget;
    private bool flushes;
    private bool ended;
    private Exception? endReason;

    /// <summary>Takes what has arrived.</summary>
    public void OnReadable()
    {
        while (!flushes && !ended)
        {
            if (budget.IsSpent(socket.Loop))
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
        var buffer = socket.Loop.ReceiveBuffer.AsSpan(0, atOnce);
        var count = socket.Receive(buffer);
        budget.Take(Math.Max(0, count));
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
        return socket.MayHoldMore;
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
            OnReadable();
    }
}
