namespace IpcBench.Transports;

/// <summary>The connection of a child as one stream: two pipes, or a socketpair for both directions.</summary>
internal sealed class ChildStream(ChildProgram child, Stream input, Stream output) : ConnectionStream
{
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        var count = await input.ReadAsync(buffer, cancellationToken);
        if (count == 0 && buffer.Length > 0)
            child.NoteEnd();
        return count;
    }

    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        await output.WriteAsync(buffer, cancellationToken);
        await output.FlushAsync(cancellationToken);
    }

    public override int Read(byte[] buffer, int offset, int count) => input.Read(buffer, offset, count);

    public override void Write(byte[] buffer, int offset, int count)
    {
        output.Write(buffer, offset, count);
        output.Flush();
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            output.Dispose();
            input.Dispose();
            child.Dispose();
        }
        base.Dispose(disposing);
    }
}
