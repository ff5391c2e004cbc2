using System.Runtime.Versioning;
using System.Threading.Tasks.Sources;

namespace IpcBench.Transports.Loop;

/// <summary>
/// A socket of an <see cref="EventLoop"/> as a <see cref="Stream"/>, for TLS above it. Reads and writes complete on the loop's thread.
/// </summary>
[SupportedOSPlatform("linux")]
public sealed class LoopStream : ConnectionStream, ILoopHandler, IEndNoted
{
    private readonly Operation reading = new();
    private readonly Operation writing = new();
    private LoopSocket? socket;
    private Memory<byte> readInto;
    private ReadOnlyMemory<byte> toWrite;
    private TurnBudget budget;
    private bool readable = true;

    /// <inheritdoc/>
    public bool HasEnded { get; private set; }

    /// <summary>Takes ownership of the socket. Call this method once, before the first read or write.</summary>
    public void Attach(LoopSocket opened) => socket = opened;

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        readInto = buffer;
        return TryRead(out var count, out var failure) ? Ended(count, failure) : reading.Begin();
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        toWrite = buffer;
        if (!TryWrite(out var failure))
            return writing.BeginVoid();
        return failure is null ? ValueTask.CompletedTask : ValueTask.FromException(failure);
    }

    public void OnReadable()
    {
        readable = true;
        if (reading.IsPending && TryRead(out var count, out var failure))
            reading.End(count, failure);
    }

    public void OnWritable()
    {
        if (writing.IsPending && TryWrite(out var failure))
            writing.End(0, failure);
    }

    /// <summary>Closes the socket. A pending read or write fails.</summary>
    public void Abort()
    {
        socket?.Close();
        if (reading.IsPending)
            reading.End(0, Closed());
        if (writing.IsPending)
            writing.End(0, Closed());
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException("would block the loop's thread");
    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException("would block the loop's thread");

    protected override void Dispose(bool disposing)
    {
        if (disposing && socket is { IsClosed: false })
            Abort();
        base.Dispose(disposing);
    }

    /// <summary>
    /// Reads into <c>readInto</c>. Returns false when there are no bytes yet. Makes no system call if the last read took
    /// all bytes and no event came since.
    /// </summary>
    private bool TryRead(out int count, out Exception? failure)
    {
        (count, failure) = (0, null);
        if (socket is null || socket.IsClosed)
        {
            failure = Closed();
            return true;
        }
        if (!readable)
            return false;
        if (readInto.Length == 0)
            return true;
        if (budget.Left(socket.Loop) == 0)
        {
            socket.ReadAgain();
            return false;
        }
        var result = socket.Receive(readInto.Span);
        budget.Take(Math.Max(0, result));
        readable = socket.MayHoldMore || (result <= 0 && result != LoopSocket.WouldBlock);
        if (result == LoopSocket.WouldBlock)
            return false;
        if (result < 0)
            failure = new IOException($"cannot receive: {LoopSocket.Describe(result)}");
        HasEnded |= result == 0;
        count = Math.Max(0, result);
        return true;
    }

    private bool TryWrite(out Exception? failure)
    {
        failure = null;
        while (!toWrite.IsEmpty)
        {
            var result = socket?.Send(toWrite.Span) ?? -1;
            if (result == LoopSocket.WouldBlock)
            {
                socket!.WantWritable();
                return false;
            }
            if (result < 0)
            {
                failure = new IOException($"cannot send: {LoopSocket.Describe(result)}");
                return true;
            }
            toWrite = toWrite[result..];
        }
        return true;
    }

    private static ValueTask<int> Ended(int count, Exception? failure) =>
        failure is null ? ValueTask.FromResult(count) : ValueTask.FromException<int>(failure);

    private static IOException Closed() => new("the connection is closed");

    /// <summary>
    /// A pending read or write. One object serves all reads of the stream, and a second object all writes.
    /// </summary>
    private sealed class Operation : IValueTaskSource<int>, IValueTaskSource
    {
        private ManualResetValueTaskSourceCore<int> core;

        public bool IsPending { get; private set; }

        public ValueTask<int> Begin()
        {
            core.Reset();
            IsPending = true;
            return new(this, core.Version);
        }

        public ValueTask BeginVoid()
        {
            core.Reset();
            IsPending = true;
            return new((IValueTaskSource)this, core.Version);
        }

        public void End(int result, Exception? failure)
        {
            IsPending = false;
            if (failure is null)
                core.SetResult(result);
            else
                core.SetException(failure);
        }

        public int GetResult(short token) => core.GetResult(token);
        void IValueTaskSource.GetResult(short token) => core.GetResult(token);
        public ValueTaskSourceStatus GetStatus(short token) => core.GetStatus(token);

        public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
            core.OnCompleted(continuation, state, token, flags & ~ValueTaskSourceOnCompletedFlags.UseSchedulingContext);
    }
}

/// <summary>
/// Opens streams on one event loop, for layers that need a <see cref="Stream"/>. Use it on the loop's thread only.
/// </summary>
[SupportedOSPlatform("linux")]
public sealed class LoopStreamConnector(EventLoop loop, LoopConnector connector) : Connector
{
    private LoopStream? last;

    /// <summary>
    /// Closes the stream that was opened last, even during a read or write. In this way the caller can give up a TLS
    /// handshake that does not end.
    /// </summary>
    public void Abort() => last?.Abort();

    public override async ValueTask<Stream> ConnectAsync(CancellationToken cancellation)
    {
        var stream = last = new LoopStream();
        stream.Attach(await connector.ConnectAsync(loop, stream, cancellation));
        return stream;
    }
}
