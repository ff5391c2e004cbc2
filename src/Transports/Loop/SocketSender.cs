using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.Versioning;
using System.Threading.Tasks.Sources;

namespace IpcBench.Transports.Loop;

/// <summary>
/// From a pipe into a socket. What an application flushes is sent on the thread that flushes it, which spares a hop to the loop; where the
/// socket has no room, the loop goes on when it has. A connection that carries many calls at once flushes small parts one after the other:
/// there what the thread pool has queued already runs first, and goes along.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class SocketSender : IValueTaskSource, IThreadPoolWorkItem
{
    // More bytes than this are worth a system call of their own.
    private const int Small = 8 << 10;

    // After so many turns that brought nothing more to send, each part is sent at once again.
    private const int Patience = 16;

    private readonly PipeReader output;
    private readonly LoopSocket socket;
    private readonly Action<Exception?> onEnd;
    private readonly Func<string, IOException> broken;

    // The socket is not closed while a thread sends: the system might give its descriptor to another socket.
    private readonly Lock gate = new();
    private ManualResetValueTaskSourceCore<bool> turn;
    private bool waits;
    private Exception? abortReason;
    private TurnBudget budget;
    private int sentSinceReceived;
    private int gathering;

    /// <param name="output">Its scheduler runs continuations on the thread that flushes.</param>
    /// <param name="socket">Where it goes.</param>
    /// <param name="onEnd">
    /// Called once, on any thread: the output is completed, with null, or it cannot be sent. The pipe's reader is then the owner's.
    /// </param>
    /// <param name="broken">The reason that it cannot be sent, with the system's words.</param>
    public SocketSender(PipeReader output, LoopSocket socket, Action<Exception?> onEnd, Func<string, IOException> broken)
    {
        (this.output, this.socket, this.onEnd, this.broken) = (output, socket, onEnd, broken);
    }

    /// <summary>Begins. On the loop's thread, once.</summary>
    public void Start() => _ = RunAsync();

    /// <summary>Tells that something has arrived: answers to it are the first since.</summary>
    public void NoteReceived() => sentSinceReceived = 0;

    /// <summary>What was queued before has run.</summary>
    void IThreadPoolWorkItem.Execute() => Go();

    /// <summary>There is room. On the loop's thread.</summary>
    public void OnWritable() => Go();

    /// <summary>Closes the socket; what waits to be sent is dropped. On the loop's thread.</summary>
    public void Close(Exception reason)
    {
        lock (gate)
        {
            abortReason ??= reason;
            socket.Close();
        }
        output.CancelPendingRead();
        Go();
    }

    void IValueTaskSource.GetResult(short token) => turn.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource.GetStatus(short token) => turn.GetStatus(token);

    void IValueTaskSource.OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        turn.OnCompleted(continuation, state, token, flags & ~ValueTaskSourceOnCompletedFlags.UseSchedulingContext);

    private async Task RunAsync()
    {
        Exception? failure = null;
        try
        {
            while (failure is null)
            {
                var read = await output.ReadAsync().ConfigureAwait(false);
                if (Gathers(read))
                {
                    var before = read.Buffer.Length;
                    output.AdvanceTo(read.Buffer.Start);
                    await PoolsTurn().ConfigureAwait(false);
                    read = await output.ReadAsync().ConfigureAwait(false);
                    gathering = read.Buffer.Length > before ? Patience : gathering - 1;
                }
                if (read.IsCanceled)
                    break;
                failure = await SendAsync(read.Buffer).ConfigureAwait(false);
                output.AdvanceTo(read.Buffer.End);
                if (read.IsCompleted)
                    break;
            }
        }
#pragma warning disable CA1031 // The application completed its output with an exception: that is how it ends the connection.
        catch (Exception e)
#pragma warning restore CA1031
        {
            failure = e;
        }
        onEnd(failure ?? abortReason);
    }

    /// <summary>More is likely to follow at once, and worth waiting for.</summary>
    private bool Gathers(in ReadResult read)
    {
        if (socket.Loop.IsCurrent || read.IsCompleted || read.IsCanceled || read.Buffer.Length > Small)
            return false;
        // The second answer since something was received: several are under way.
        if (++sentSinceReceived > 1 && gathering == 0)
            gathering = Patience;
        return gathering > 0;
    }

    private ValueTask PoolsTurn()
    {
        turn.Reset();
        waits = true;
        ThreadPool.UnsafeQueueUserWorkItem(this, preferLocal: false);
        return new ValueTask(this, turn.Version);
    }

    /// <summary>Ends in the loop's next turn, when its other connections have had theirs.</summary>
    private ValueTask LoopsTurn()
    {
        turn.Reset();
        waits = true;
        socket.Loop.Post(static state => ((SocketSender)state!).Go(), this);
        return new ValueTask(this, turn.Version);
    }

    /// <summary>Null when all was sent.</summary>
    [System.Runtime.CompilerServices.AsyncMethodBuilder(typeof(System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<Exception?> SendAsync(ReadOnlySequence<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            // An application that writes on the loop's thread as fast as the socket takes it would never leave that thread.
            var isOnLoop = socket.Loop.IsCurrent;
            if (isOnLoop && budget.IsSpent(socket.Loop))
            {
                await LoopsTurn().ConfigureAwait(false);
                continue;
            }
            var sent = Send(bytes);
            if (isOnLoop)
                budget.Take(Math.Max(0, sent));
            if (sent >= 0)
                bytes = bytes.Slice(sent);
            else if (sent == LoopSocket.WouldBlock)
                await new ValueTask(this, turn.Version).ConfigureAwait(false);
            else
                return abortReason ?? broken(LoopSocket.Describe(sent));
        }
        return null;
    }

    /// <summary>As <see cref="LoopSocket.Send(in ReadOnlySequence{byte})"/>; where there is no room, the turn is awaited next.</summary>
    private int Send(in ReadOnlySequence<byte> bytes)
    {
        lock (gate)
        {
            var sent = socket.Send(bytes);
            if (sent != LoopSocket.WouldBlock)
                return sent;
            turn.Reset();
            waits = true;
            socket.WantWritable();
            return sent;
        }
    }

    private void Go()
    {
        lock (gate)
        {
            if (!waits)
                return;
            waits = false;
        }
        turn.SetResult(true);
    }
}
