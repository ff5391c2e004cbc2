using System.Buffers;
using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>
/// Opens connections to one TCP or Unix socket address, on event loops that the whole process shares. Any thread may use
/// the streams of these connections. The connector does not add TLS.
/// </summary>
[SupportedOSPlatform("linux")]
public sealed class PipedConnector(Address address, ConnectorOptions options) : Connector
{
    private const long MostWaiting = 1 << 20;

    private static readonly Lock Gate = new();
    private static IReadOnlyList<LoopThread>? threads;
    private static uint turn;

    private LoopConnector? sockets;

    public override long Retries => Volatile.Read(ref sockets)?.Retries ?? 0;

    /// <inheritdoc/>
    /// <exception cref="NotSupportedException">The address is a pipe or shared memory.</exception>
    public override async ValueTask<Stream> ConnectAsync(CancellationToken cancellation)
    {
        if (sockets is null)
        {
            var made = await LoopConnector.ForAsync(address, options, cancellation)
                ?? throw new NotSupportedException($"no event loop connects to {address}: the address is not a TCP or Unix socket");
            Interlocked.CompareExchange(ref sockets, made, null);
        }
        var loops = Threads();
        var thread = loops[(int)(Interlocked.Increment(ref turn) % (uint)loops.Count)];
        var opened = new TaskCompletionSource<Stream>(TaskCreationOptions.RunContinuationsAsynchronously);
        thread.Loop.Post(_ => _ = OpenAsync(thread, opened, cancellation), null);
        return await opened.Task;
    }

    private async Task OpenAsync(LoopThread thread, TaskCompletionSource<Stream> opened, CancellationToken cancellation)
    {
        try
        {
            var pipes = new SocketPipes(thread.Input, thread.Output, static () => { }, static reason => new IOException(reason));
            pipes.Start(await sockets!.ConnectAsync(thread.Loop, pipes, cancellation).ConfigureAwait(false));
            opened.SetResult(new SocketPipesStream(pipes, thread.Loop));
        }
#pragma warning disable CA1031 // The caller that awaits the connection gets the exception.
        catch (Exception e)
#pragma warning restore CA1031
        {
            opened.TrySetException(e);
        }
    }

    /// <summary>Returns the loops of all clients of this process, and starts them for the first connection.</summary>
    private IReadOnlyList<LoopThread> Threads()
    {
        lock (Gate)
        {
            try
            {
                return threads ??= LoopThread.Start(
                    Math.Clamp(Environment.ProcessorCount / 2, 1, 8),
                    static index => new LoopThread(
                        FormattableString.Invariant($"client loop {index}"), MemoryPool<byte>.Shared, (MostWaiting, MostWaiting),
                        inline: false, static _ => { }));
            }
            catch (IOException e)
            {
                // There are too many open files. The next connection tries to start the loops again.
                throw new CannotConnectException(address, e.Message, e);
            }
        }
    }
}

/// <summary>The pipes of a socket as a stream. Any thread may use the stream, with one read and one write at a time.</summary>
[SupportedOSPlatform("linux")]
internal sealed class SocketPipesStream(SocketPipes pipes, EventLoop loop) : ConnectionStream
{
    private volatile bool disposed;

    public override bool CanRead => !disposed;

    public override bool CanWrite => !disposed;

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(disposed, this);
        var read = await pipes.Input.ReadAsync(cancellationToken);
        if (read.IsCanceled || disposed)
            throw Closed();
        var count = (int)Math.Min(read.Buffer.Length, buffer.Length);
        var part = read.Buffer.Slice(0, count);
        part.CopyTo(buffer.Span);
        // The bytes that did not fit stay for the next read. A read with an empty buffer only waits for bytes.
        pipes.Input.AdvanceTo(part.End);
        return count;
    }

    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(disposed, this);
        try
        {
            var flushed = await pipes.Output.WriteAsync(buffer, cancellationToken);
            if (flushed.IsCompleted || flushed.IsCanceled)
                throw Closed();
        }
        catch (InvalidOperationException) when (disposed)
        {
            // Another thread disposed the stream just before the write.
            throw Closed();
        }
    }

    public override int Read(byte[] buffer, int offset, int count) =>
        ReadAsync(buffer.AsMemory(offset, count), CancellationToken.None).AsTask().GetAwaiter().GetResult();

    public override void Write(byte[] buffer, int offset, int count) =>
        WriteAsync(buffer.AsMemory(offset, count), CancellationToken.None).AsTask().GetAwaiter().GetResult();

    // A pending read fails. Written bytes are still sent, unless the other side takes longer than SocketPipes.LingerNs to read them.
    protected override void Dispose(bool disposing)
    {
        if (disposing && !disposed)
        {
            disposed = true;
            pipes.Output.Complete();
            pipes.Input.CancelPendingRead();
            loop.Post(static state => ((SocketPipes)state!).Drop(), pipes);
        }
        base.Dispose(disposing);
    }

    private static IOException Closed() => new("the connection is closed");
}
