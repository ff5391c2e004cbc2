using System.IO.Pipelines;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>
/// A socket that an event loop serves, and that other code uses through two pipes. Received bytes go into
/// <see cref="Input"/>, and bytes written to <see cref="Output"/> are sent. Any thread may use these two.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class SocketPipes : ILoopHandler, ILoopTimer
{
    // How long a disposed stream may take to send its last bytes.
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

    /// <param name="input">Options of the pipe for received bytes. Its writer continues on the loop's thread.</param>
    /// <param name="output">Options of the pipe for bytes to send. Its reader continues on the thread that flushes.</param>
    /// <param name="onInputEnd">Called on the loop's thread when no more bytes will arrive.</param>
    /// <param name="broken">
    /// Makes the exception that the users of the pipes get when the connection breaks. Its argument is the system's text.
    /// </param>
    public SocketPipes(PipeOptions input, PipeOptions output, Action onInputEnd, Func<string, IOException> broken)
    {
        (this.input, this.output, this.onInputEnd, this.broken) = (new Pipe(input), new Pipe(output), onInputEnd, broken);
        mostWaiting = input.PauseWriterThreshold;
    }

    public PipeReader Input => input.Reader;

    public PipeWriter Output => output.Writer;

    /// <summary>Completes when both directions have ended and the socket is closed. Never fails.</summary>
    public Task Ended => ended.Task;

    private bool IsOpen => socket is { IsClosed: false };

    /// <summary>Starts both directions. Called once, on the loop's thread.</summary>
    public void Start(LoopSocket socket)
    {
        this.socket = socket;
        receiver = new SocketReceiver(socket, input.Writer, mostWaiting, onInputEnd, broken);
        sender = new SocketSender(output.Reader, socket, OnOutputEnd, broken);
        sender.Start();
        // Bytes may have arrived before this object received events.
        OnReadable();
    }

    /// <summary>
    /// Ends both pipes because the socket could not be opened. Called on the loop's thread, in place of <see cref="Start"/>.
    /// </summary>
    public void Fail(Exception reason)
    {
        input.Writer.Complete(reason);
        onInputEnd();
        output.Reader.Complete();
        ended.TrySetResult();
    }

    /// <summary>Closes the socket now, and resets a TCP connection. Called on the loop's thread. A second call does nothing.</summary>
    public void Abort(Exception reason)
    {
        if (IsOpen)
            socket!.ResetOnClose();
        Close(reason);
    }

    /// <summary>
    /// Closes the socket now, without a reset. Bytes that wait to be sent are dropped. Called on the loop's thread. A
    /// second call does nothing.
    /// </summary>
    public void Close(Exception reason)
    {
        if (!IsOpen)
            return;
        sender!.Close(reason);
        receiver!.End(reason);
    }

    /// <summary>
    /// Ends reading. The socket closes when the completed output is sent, or at the latest after <see cref="LingerNs"/>.
    /// Called on the loop's thread.
    /// </summary>
    public void Drop()
    {
        if (!IsOpen)
            return;
        receiver!.End(null);
        socket!.Loop.Schedule(MonotonicClock.NowNs + LingerNs, this);
    }

    /// <summary>Called when <see cref="LingerNs"/> is over.</summary>
    void ILoopTimer.OnDue() => Abort(new IOException("the other side does not read"));

    public void OnReadable()
    {
        try
        {
            sender!.NoteReceived();
            receiver!.OnReadable();
        }
#pragma warning disable CA1031 // The application's continuation may throw; the loop must go on for other connections.
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
        // A close delivers the bytes that were sent, and a client that still sends learns that nobody reads. If the
        // output has failed, the connection is reset instead, so that a truncated body does not look complete.
        if (failure is null)
            socket!.Shutdown(both: true);
        else
            socket!.ResetOnClose();
        socket.Close();
        // Only the input gets the reason why the connection ended. If the output had the reason too, a flush would throw it,
        // Kestrel would take it for a fault of its own, and streams that wait for the flush would never end.
        output.Reader.Complete();
        receiver!.End(failure);
        ended.TrySetResult();
    }
}
