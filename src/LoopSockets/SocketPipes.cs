using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.Versioning;
using System.Threading.Tasks.Sources;
using IpcBench.Transports.Loop;
using Microsoft.AspNetCore.Connections;

namespace IpcBench.LoopSockets;

/// <summary>
/// One socket of an event loop between two pipes: what arrives goes into <see cref="Input"/>, what is written to <see cref="Output"/> is
/// sent. Everything about the socket happens on the loop's thread; the pipes' other ends are for any thread.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class SocketPipes : ILoopHandler, ILoopTimer, IValueTaskSource
{
    private const int MostAtOnce = 256 << 10;

    // What a disposed stream may still take to send its last bytes.
    private const long LingerNs = 5_000_000_000;

    // Then the other connections of the loop have their turn.
    private const int MostReadsAtOnce = 8;

    private readonly Pipe input;
    private readonly Pipe output;
    private readonly TaskCompletionSource ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Action onInputEnd;
    private ManualResetValueTaskSourceCore<bool> room;
    private LoopSocket? socket;
    private Exception? abortReason;
    private bool waitsForRoom;
    private bool flushes;
    private bool hungUp;
    private bool inputEnded;

    /// <param name="input">Its writer's scheduler runs on the loop.</param>
    /// <param name="output">Its reader's scheduler runs on the loop.</param>
    /// <param name="onInputEnd">Called on the loop's thread when nothing more will arrive.</param>
    public SocketPipes(PipeOptions input, PipeOptions output, Action onInputEnd)
    {
        (this.input, this.output, this.onInputEnd) = (new Pipe(input), new Pipe(output), onInputEnd);
    }

    public PipeReader Input => input.Reader;

    public PipeWriter Output => output.Writer;

    /// <summary>Completes when both directions are over and the socket is closed; never fails.</summary>
    public Task Ended => ended.Task;

    /// <summary>Begins both directions. On the loop's thread, once.</summary>
    public void Start(LoopSocket socket)
    {
        this.socket = socket;
        _ = SendAsync();
        // What came before this object was told of events.
        OnReadable(hangUp: false);
    }

    /// <summary>There is no socket after all. On the loop's thread, in place of <see cref="Start"/>.</summary>
    public void Fail(Exception reason)
    {
        EndInput(reason);
        output.Reader.Complete(reason);
        ended.TrySetResult();
    }

    /// <summary>Closes the socket now; TCP is reset. On the loop's thread; a second time is nothing.</summary>
    public void Abort(Exception reason)
    {
        if (socket is null or { IsClosed: true })
            return;
        abortReason = reason;
        socket.ResetOnClose();
        socket.Close();
        EndInput(reason);
        output.Reader.CancelPendingRead();
        Room();
    }

    /// <summary>Reads no more, and gives the rest of the output, which has been completed, a moment. On the loop's thread.</summary>
    public void Drop()
    {
        if (socket is null or { IsClosed: true })
            return;
        input.Writer.CancelPendingFlush();
        EndInput(null);
        socket.Loop.Schedule(MonotonicClock.NowNs + LingerNs, this);
    }

    /// <summary>The moment is over.</summary>
    void ILoopTimer.OnDue() => Abort(new ConnectionAbortedException("the other side does not read"));

    public void OnReadable(bool hangUp)
    {
        hungUp |= hangUp;
        if (flushes || inputEnded)
            return;
        try
        {
            Receive();
        }
#pragma warning disable CA1031 // An application's completion may throw; the loop serves others.
        catch (Exception e)
#pragma warning restore CA1031
        {
            Abort(e);
        }
    }

    public void OnWritable() => Room();

    void IValueTaskSource.GetResult(short token) => room.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => room.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        room.OnCompleted(continuation, state, token, flags & ~ValueTaskSourceOnCompletedFlags.UseSchedulingContext);

    private void Receive()
    {
        for (var reads = 0; !inputEnded; reads++)
        {
            if (reads == MostReadsAtOnce)
            {
                socket!.ReadAgain();
                return;
            }
            // By way of the loop's own buffer: a connection that waits for bytes holds none.
            var buffer = socket!.Loop.ReceiveBuffer.AsSpan(0, MostAtOnce);
            var count = socket.Receive(buffer);
            if (count == LoopSocket.WouldBlock)
                return;
            if (count <= 0)
            {
                EndInput(count == 0 ? null : new ConnectionResetException(LoopSocket.Describe(count)));
                return;
            }
            input.Writer.Write(buffer[..count]);
            var flush = input.Writer.FlushAsync();
            if (!flush.IsCompleted)
            {
                flushes = true;
                _ = ReceiveAfterAsync(flush);
                return;
            }
            if (flush.GetAwaiter().GetResult().IsCompleted)
                EndInput(null);
            // Less than asked for was all there was (epoll(7), on edge-triggered reads of stream sockets).
            else if (count < MostAtOnce && !hungUp)
                return;
        }
    }

    /// <summary>The application is to read first.</summary>
    private async Task ReceiveAfterAsync(ValueTask<FlushResult> flush)
    {
        Exception? failure = null;
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
            failure = e;
        }
        flushes = false;
        if (isOver)
            EndInput(abortReason ?? failure);
        else
            OnReadable(hangUp: false);
    }

    private async Task SendAsync()
    {
        Exception? failure = null;
        try
        {
            while (true)
            {
                var read = await output.Reader.ReadAsync().ConfigureAwait(false);
                if (read.IsCanceled)
                    break;
                failure = await SendAsync(read.Buffer).ConfigureAwait(false);
                output.Reader.AdvanceTo(read.Buffer.End);
                if (read.IsCompleted || failure is not null)
                    break;
            }
        }
#pragma warning disable CA1031 // The application completed its output with an exception: that is how it ends the connection.
        catch (Exception e)
#pragma warning restore CA1031
        {
            failure = e;
        }
        EndOutput(failure ?? abortReason);
    }

    /// <summary>Null when all was sent.</summary>
    [System.Runtime.CompilerServices.AsyncMethodBuilder(typeof(System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<Exception?> SendAsync(ReadOnlySequence<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            var sent = socket!.Send(bytes);
            if (sent >= 0)
            {
                bytes = bytes.Slice(sent);
                continue;
            }
            if (sent != LoopSocket.WouldBlock)
                return abortReason ?? new ConnectionResetException(LoopSocket.Describe(sent));
            room.Reset();
            waitsForRoom = true;
            socket.WantWritable();
            await new ValueTask(this, room.Version).ConfigureAwait(false);
        }
        return null;
    }

    private void Room()
    {
        if (!waitsForRoom)
            return;
        waitsForRoom = false;
        room.SetResult(true);
    }

    private void EndOutput(Exception? failure)
    {
        // A client that is still sending learns that nobody reads it; what was sent is delivered first.
        socket!.Shutdown(both: true);
        socket.Close();
        output.Reader.Complete(failure);
        input.Writer.CancelPendingFlush();
        EndInput(failure);
        ended.TrySetResult();
    }

    private void EndInput(Exception? failure)
    {
        if (inputEnded || flushes)
            return;
        inputEnded = true;
        input.Writer.Complete(failure);
        onInputEnd();
    }
}
