using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.Versioning;
using System.Threading.Tasks.Sources;

namespace IpcBench.Transports.Loop;

/// <summary>
/// Moves bytes from a pipe into a socket. The thread that flushes also sends, without a hop to the loop. When the socket
/// is full, the loop continues as soon as there is room. A connection with many calls in flight flushes many small parts
/// in a row. Before the sender sends such a part, it lets the queued work of the thread pool run. The parts that this
/// work flushes are sent in the same system call.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class SocketSender : IValueTaskSource, IThreadPoolWorkItem
{
    // A part of more bytes than this is sent immediately, without waiting for other parts.
    private const int Small = 8 << 10;

    // After this many waits in a row without more bytes, the sender no longer waits for other parts, until two parts
    // are again sent without a receive between them.
    private const int Patience = 16;

    private readonly PipeReader output;
    private readonly LoopSocket socket;
    private readonly Action<Exception?> onEnd;
    private readonly Func<string, IOException> broken;

    // The lock keeps the socket open while a thread sends. The system might give the number of a closed
    // descriptor to another socket.
    private readonly Lock gate = new();
    private ManualResetValueTaskSourceCore<bool> turn;
    private bool waits;
    private Exception? abortReason;
    private TurnBudget budget;
    private int sentSinceReceived;
    private int gathering;

    /// <param name="output">The pipe. Its reader continues on the thread that flushes.</param>
    /// <param name="socket">The target of the bytes.</param>
    /// <param name="onEnd">
    /// Called once, on any thread, when sending ends: with null when the output is completed and sent, and with the
    /// reason when it cannot be sent. From then on the pipe's reader belongs to the owner.
    /// </param>
    /// <param name="broken">Makes the reason of a failed send. Its argument is the system's text.</param>
    public SocketSender(PipeReader output, LoopSocket socket, Action<Exception?> onEnd, Func<string, IOException> broken)
    {
        (this.output, this.socket, this.onEnd, this.broken) = (output, socket, onEnd, broken);
    }

    /// <summary>Starts sending. Called once, on the loop's thread.</summary>
    public void Start() => _ = RunAsync();

    /// <summary>Notes that bytes have arrived. The parts that are sent from now on are counted anew.</summary>
    public void NoteReceived() => sentSinceReceived = 0;

    /// <summary>Called by the thread pool, after the work that was queued before.</summary>
    void IThreadPoolWorkItem.Execute() => Go();

    /// <summary>Called on the loop's thread when the socket has room.</summary>
    public void OnWritable() => Go();

    /// <summary>Closes the socket and drops the bytes that wait to be sent. Called on the loop's thread.</summary>
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
#pragma warning disable CA1031 // The application ended the connection by completing its output with an exception.
        catch (Exception e)
#pragma warning restore CA1031
        {
            failure = e;
        }
        onEnd(failure ?? abortReason);
    }

    /// <summary>Tells whether more parts are likely to follow at once, so that one system call can send them together.</summary>
    private bool Gathers(in ReadResult read)
    {
        if (socket.Loop.IsCurrent || read.IsCompleted || read.IsCanceled || read.Buffer.Length > Small)
            return false;
        // If two parts are sent without a receive between them, several calls are in flight.
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

    /// <summary>Waits for the loop's next turn. Before that, the loop serves its other connections.</summary>
    private ValueTask LoopsTurn()
    {
        turn.Reset();
        waits = true;
        socket.Loop.Post(static state => ((SocketSender)state!).Go(), this);
        return new ValueTask(this, turn.Version);
    }

    /// <summary>Sends the bytes. Returns the failure, or null when all bytes were sent.</summary>
    [System.Runtime.CompilerServices.AsyncMethodBuilder(typeof(System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<Exception?> SendAsync(ReadOnlySequence<byte> bytes)
    {
        while (!bytes.IsEmpty)
        {
            // An application may write on the loop's thread as fast as the socket takes the bytes. Other connections
            // would then never be served. So the application waits for the next turn when its budget is spent.
            var isOnLoop = socket.Loop.IsCurrent;
            var most = isOnLoop ? budget.Left(socket.Loop) : int.MaxValue;
            if (most == 0)
            {
                await LoopsTurn().ConfigureAwait(false);
                continue;
            }
            var sent = Send(bytes.Length > most ? bytes.Slice(0, most) : bytes);
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

    /// <summary>
    /// Sends as <see cref="LoopSocket.Send(in ReadOnlySequence{byte})"/> does. When the socket is full, the caller must
    /// await <c>turn</c>, which completes when there is room.
    /// </summary>
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
