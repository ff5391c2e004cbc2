using System.IO.Pipelines;

namespace IpcBench.Transports;

/// <summary>
/// A channel that other code uses through two pipes. A separate thread receives, because a receive blocks until bytes
/// arrive. Bytes are sent on the thread that flushes them.
/// </summary>
public sealed class ThreadPipes : IDuplexPipe
{
    private const int LeastRoom = 4096;
    private const long MostUnsent = 64 << 10;

    private readonly IByteChannel channel;
    private readonly Action onInputEnd;
    private readonly Pipe input, output;
    private readonly TaskCompletionSource ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // The receiving thread and the sender. The last of the two frees the channel.
    private int users = 2;

    private ThreadPipes(IByteChannel channel, PipeScheduler application, Action onInputEnd)
    {
        (this.channel, this.onInputEnd) = (channel, onInputEnd);
        // The input has no limit: a thread that waited for the application would not notice that there is room to send, and
        // the application may wait for this room. HTTP/2 limits the bytes that can wait by its flow control.
        input = new(new PipeOptions(readerScheduler: application, writerScheduler: PipeScheduler.Inline, pauseWriterThreshold: 0,
            useSynchronizationContext: false));
        output = new(new PipeOptions(readerScheduler: PipeScheduler.Inline, writerScheduler: application,
            pauseWriterThreshold: MostUnsent, resumeWriterThreshold: MostUnsent / 2, useSynchronizationContext: false));
    }

    public PipeReader Input => input.Reader;

    public PipeWriter Output => output.Writer;

    /// <summary>Completes when everything that was written to <see cref="Output"/> is sent, or cannot be sent. Never fails.</summary>
    public Task Sent => ended.Task;

    /// <summary>Starts to receive and to send.</summary>
    /// <param name="channel">The channel, which is disposed when it is used no more.</param>
    /// <param name="name">The name of the thread that receives.</param>
    /// <param name="application">
    /// Runs the code that reads the input. With <see cref="PipeScheduler.Inline"/>, the receiving thread runs this code, which then
    /// must not block.
    /// </param>
    /// <param name="onInputEnd">Called on the receiving thread when no more bytes will arrive.</param>
    public static ThreadPipes Start(IByteChannel channel, string name, PipeScheduler application, Action onInputEnd)
    {
        var pipes = new ThreadPipes(channel, application, onInputEnd);
        new Thread(pipes.ReceiveAll) { IsBackground = true, Name = name }.Start();
        _ = pipes.SendAllAsync();
        return pipes;
    }

    /// <summary>Ends the connection. Bytes that wait to be sent are dropped.</summary>
    public void Close() => channel.Close();

    private void ReceiveAll()
    {
        IOException? failure = null;
        try
        {
            for (int count; (count = channel.Receive(input.Writer.GetSpan(LeastRoom))) > 0;)
            {
                // When nobody reads any more, the pipe drops the bytes. The thread still receives, since Receive also tells the sender
                // that there is room, or that the connection has ended.
                input.Writer.Advance(count);
                _ = input.Writer.FlushAsync();
            }
        }
        catch (IOException e)
        {
            failure = e;
        }
        input.Writer.Complete(failure);
        onInputEnd();
        Release();
    }

    private async Task SendAllAsync()
    {
        try
        {
            for (var isCompleted = false; !isCompleted;)
            {
                var read = await output.Reader.ReadAsync();
                isCompleted = read.IsCompleted;
                foreach (var part in read.Buffer)
                    await channel.SendAsync(part);
                output.Reader.AdvanceTo(read.Buffer.End);
            }
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException)
        {
            // The other side has ended, or Close has closed the channel during a write. The input tells the application that the
            // connection has ended. If the output had the reason too, a flush would throw, which Kestrel takes for its own fault.
        }
        output.Reader.Complete();
        channel.Close();
        ended.TrySetResult();
        Release();
    }

    private void Release()
    {
        if (Interlocked.Decrement(ref users) == 0)
            channel.Dispose();
    }
}

/// <summary>A channel over two streams, for example standard input and output. Any read or write may block.</summary>
public sealed class StreamChannel(Stream input, Stream output) : IByteChannel
{
    public int Receive(Span<byte> buffer) => input.Read(buffer);

    public ValueTask SendAsync(ReadOnlyMemory<byte> bytes)
    {
        output.Write(bytes.Span);
        output.Flush();
        return ValueTask.CompletedTask;
    }

    /// <summary>Ends the output. A read of standard input cannot be ended.</summary>
    public void Close() => output.Dispose();

    public void Dispose()
    {
        input.Dispose();
        output.Dispose();
    }
}
