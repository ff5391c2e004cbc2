using IpcBench.Client.Engine;
using IpcBench.Transports;

namespace IpcBench.Client.Dialing;

/// <summary>A duplex over a .NET stream. One loop awaits the reads, and one write at a time is in flight.</summary>
internal sealed class StreamDuplex(Scheduler scheduler, IDuplexOwner owner, Stream stream, int bufferSize) : Duplex
{
    // The most bytes of one write. Output is copied before a write, so larger writes would cost memory when hundreds of
    // connections upload.
    private const int MostAtOnce = 1 << 20;

    private readonly Lock gate = new();
    private byte[] sending = [];
    private bool isSending;
    private bool isClosed;

    public override void Start() => _ = ReadAsync();

    public override void Flush(OutputBuffer output)
    {
        while (true)
        {
            ValueTask write;
            lock (gate)
            {
                if (isSending || isClosed || output.IsEmpty)
                    return;
                var count = Math.Min(output.Length, MostAtOnce);
                if (sending.Length < count)
                    sending = new byte[Math.Max(1024, (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)count))];
                output.CopyTo(sending.AsSpan(0, count));
                output.Sent(count);
                isSending = true;
                write = WriteAsync(count);
            }
            if (!write.IsCompletedSuccessfully)
            {
                _ = FinishAsync(write);
                return;
            }
            write.GetAwaiter().GetResult();
            EndSending();
        }
    }

    public override void Close()
    {
        lock (gate)
        {
            if (isClosed)
                return;
            isClosed = true;
        }
        // The disposal is not awaited, since the close_notify of a TLS stream may wait for a write that never ends.
        _ = DisposeAsync();
    }

    private async Task DisposeAsync()
    {
        try
        {
            await stream.DisposeAsync();
        }
        catch (Exception e) when (IsExpected(e))
        {
            // The stream was broken already.
        }
    }

    private async Task FinishAsync(ValueTask write)
    {
        try
        {
            await write;
        }
        catch (Exception e)
        {
            // A write may fail at once, in the middle of Flush. OnEnd is never called there, since the owner is sending.
            scheduler.Post(_ => owner.OnEnd(this, e.Message), null);
            return;
        }
        EndSending();
        owner.OnRoom(this);
    }

    /// <summary>Begins a write. Does not throw, since the caller holds a lock: after an error the returned task has failed.</summary>
    private ValueTask WriteAsync(int count)
    {
        try
        {
            return stream.WriteAsync(sending.AsMemory(0, count));
        }
        catch (Exception e)
        {
            return ValueTask.FromException(e);
        }
    }

    private void EndSending()
    {
        lock (gate)
            isSending = false;
    }

    private async Task ReadAsync()
    {
        var buffer = new byte[bufferSize];
        string? fault = null;
        try
        {
            for (var count = await stream.ReadAsync(buffer); count > 0; count = await stream.ReadAsync(buffer))
                owner.OnBytes(this, buffer.AsSpan(0, count));
            if (stream is TlsStream { IsCut: true })
                fault = "the server closed the connection without TLS's close_notify";
        }
        catch (Exception e) when (IsExpected(e))
        {
            fault = e.Message;
        }
        owner.OnEnd(this, fault);
    }

    private static bool IsExpected(Exception e) =>
        e is IOException or ObjectDisposedException or InvalidOperationException or OperationCanceledException;
}
