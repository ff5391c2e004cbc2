using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>
/// Moves bytes from a socket into a pipe, and pauses while too many bytes wait for the pipe's reader. Used on the loop's thread.
/// </summary>
/// <param name="socket">The source of the bytes.</param>
/// <param name="input">The pipe for the bytes. Its writer continues on the loop's thread.</param>
/// <param name="mostWaiting">The most bytes that may wait for the pipe's reader. 0 for no limit.</param>
/// <param name="onEnd">Called once when no more bytes will arrive.</param>
/// <param name="broken">
/// Makes the exception that the pipe's reader gets when the connection breaks. Its argument is the system's text.
/// </param>
[SupportedOSPlatform("linux")]
internal sealed class SocketReceiver(
    LoopSocket socket, PipeWriter input, long mostWaiting, Action onEnd, Func<string, IOException> broken)
{
    private const int LeastAtOnce = 4 << 10;
    private const int MostAtOnce = 128 << 10;

    // A pipe reports that it is full only after a write has exceeded its limit. So each write is at most an eighth of
    // the limit, which keeps the excess small.
    private readonly int atOnce = mostWaiting == 0 ? MostAtOnce : (int)Math.Clamp(mostWaiting / 8, LeastAtOnce, MostAtOnce);
    private TurnBudget budget;
    private bool flushes;
    private bool ended;
    private Exception? endReason;

    /// <summary>Receives the bytes that have arrived.</summary>
    public void OnReadable()
    {
        while (!flushes && !ended)
        {
            var most = budget.Left(socket.Loop);
            if (most == 0)
            {
                socket.ReadAgain();
                return;
            }
            if (!Receive(Math.Min(most, atOnce)))
                return;
        }
    }

    /// <summary>Ends receiving. The pipe's reader still gets all received bytes. A second call does nothing.</summary>
    /// <param name="failure">The exception that the reader gets after the bytes. Null for an orderly end.</param>
    public void End(Exception? failure)
    {
        if (ended)
            return;
        // A pipe must not be completed during a flush. ReceiveAfterAsync completes it later.
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

    /// <summary>
    /// Receives once. Returns false when there are no more bytes, or when too many bytes wait for the pipe's reader.
    /// </summary>
    private bool Receive(int most)
    {
        // The loop's own buffer is used, so that an idle connection holds no memory.
        var buffer = socket.Loop.ReceiveBuffer.AsSpan(0, most);
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

    /// <summary>Continues to receive when the application has read.</summary>
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
