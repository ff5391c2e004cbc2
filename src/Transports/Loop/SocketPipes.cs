using System.IO.Pipelines;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>
/// One socket of an event loop between two pipes, from its start to its end: what arrives goes into <see cref="Input"/>, what is written
/// to <see cref="Output"/> is sent. The pipes' other ends are for any thread.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class SocketPipes : ILoopHandler, ILoopTimer
{
    // What a disposed stream may still take to send its last bytes.
    private const long LingerNs = 5_000_000_000;

    private readonly long mostWaiting;
    private readonly Pipe input;
    private readonly Pipe output;
    private readonly TaskCompletionSource ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Action onInputEnd;
    private readonly Func<string, IOException> broken;
    private LoopSocket? socket;
    private SocketReceiver? receiver;
    private SocketSender? sender;

    /// <param name="input">Its writer's scheduler runs on the loop.</param>
    /// <param name="output">Its reader's scheduler runs on the thread that flushes.</param>
    /// <param name="onInputEnd">Called on the loop's thread when nothing more will arrive.</param>
    /// <param name="broken">What the pipes' users are told when the system says that the connection broke, with its words.</param>
    public SocketPipes(PipeOptions input, PipeOptions output, Action onInputEnd, Func<string, IOException> broken)
    {
        (this.input, this.output, this.onInputEnd, this.broken) = (new Pipe(input), new Pipe(output), onInputEnd, broken);
        mostWaiting = input.PauseWriterThreshold;
    }

    public PipeReader Input => input.Reader;

    public PipeWriter Output => output.Writer;

    /// <summary>Completes when both directions are over and the socket is closed; never fails.</summary>
    public Task Ended => ended.Task;

    private bool IsOpen => socket is { IsClosed: false };

    /// <summary>Begins both directions. On the loop's thread, once.</summary>
    public void Start(LoopSocket socket)
    {
        this.socket = socket;
        receiver = new SocketReceiver(socket, input.Writer, mostWaiting, onInputEnd, broken);
        sender = new SocketSender(output.Reader, socket, OnOutputEnd, broken);
        sender.Start();
        // What came before this object was told of events.
        OnReadable();
    }

    /// <summary>There is no socket after all. On the loop's thread, in place of <see cref="Start"/>.</summary>
    public void Fail(Exception reason)
    {
        input.Writer.Complete(reason);
        onInputEnd();
        output.Reader.Complete();
        ended.TrySetResult();
    }

    /// <summary>Closes the socket now; TCP is reset. On the loop's thread; a second time is nothing.</summary>
    public void Abort(Exception reason)
    {
        if (!IsOpen)
            return;
        socket!.ResetOnClose();
        sender!.Close(reason);
        receiver!.End(reason);
    }

    /// <summary>Reads no more, and gives the rest of the output, which has been completed, a moment. On the loop's thread.</summary>
    public void Drop()
    {
        if (!IsOpen)
            return;
        receiver!.End(null);
        socket!.Loop.Schedule(MonotonicClock.NowNs + LingerNs, this);
    }

    /// <summary>The moment is over.</summary>
    void ILoopTimer.OnDue() => Abort(new IOException("the other side does not read"));

    public void OnReadable()
    {
        try
        {
            sender!.NoteReceived();
            receiver!.OnReadable();
        }
#pragma warning disable CA1031 // An application's completion may throw; the loop serves others.
        catch (Exception e)
#pragma warning restore CA1031
        {
            Abort(e);
        }
    }

    public void OnWritable() => sender!.OnWritable();

    private void OnOutputEnd(Exception? failure)
    {
        if (socket!.Loop.IsCurrent)
            EndOutput(failure);
        else
            socket.Loop.Post(_ => EndOutput(failure), null);
    }

    private void EndOutput(Exception? failure)
    {
        // A client that is still sending learns that nobody reads it; what was sent is delivered first. A body that was broken off must
        // not look like a whole one.
        if (failure is null)
            socket!.Shutdown(both: true);
        else
            socket!.ResetOnClose();
        socket.Close();
        // Without the reason: a flush would throw it, which Kestrel takes for a fault of its own; the streams that wait for the flush would
        // never end. The reason is in the input.
        output.Reader.Complete();
        receiver!.End(failure);
        ended.TrySetResult();
    }
}
