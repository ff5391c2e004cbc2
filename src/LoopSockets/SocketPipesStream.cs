using System.Buffers;
using System.Runtime.Versioning;
using IpcBench.Transports.Loop;

namespace IpcBench.LoopSockets;

/// <summary>The pipes of a socket as a stream: one read and one write at a time, from any thread.</summary>
[SupportedOSPlatform("linux")]
internal sealed class SocketPipesStream(SocketPipes pipes, EventLoop loop) : Stream
{
    private volatile bool disposed;

    public override bool CanRead => !disposed;

    public override bool CanWrite => !disposed;

    public override bool CanSeek => false;

    public override long Length => throw new NotSupportedException();

    public override long Position { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(disposed, this);
        var read = await pipes.Input.ReadAsync(cancellationToken);
        if (read.IsCanceled || disposed)
            throw Closed();
        var count = (int)Math.Min(read.Buffer.Length, buffer.Length);
        var part = read.Buffer.Slice(0, count);
        part.CopyTo(buffer.Span);
        // Bytes that are left are found by the next read, also after one of no bytes, which only waits for some.
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
            // Disposed elsewhere in the moment before it was written.
            throw Closed();
        }
    }

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override int Read(byte[] buffer, int offset, int count) =>
        ReadAsync(buffer.AsMemory(offset, count), CancellationToken.None).AsTask().GetAwaiter().GetResult();

    public override void Write(byte[] buffer, int offset, int count) =>
        WriteAsync(buffer.AsMemory(offset, count), CancellationToken.None).AsTask().GetAwaiter().GetResult();

    public override Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public override void Flush()
    {
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    // A read that waits fails; what was written is sent, unless the other side takes its time.
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
