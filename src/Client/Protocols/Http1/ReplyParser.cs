namespace IpcBench.Client.Protocols.Http1;

/// <summary>
/// Reads HTTP/1 replies one after the other while their bytes arrive. Keeps the status and the length of a reply, but
/// not its body. Allocates nothing in the steady state.
/// </summary>
/// <param name="isBodyless">True when replies have headers only, as replies to HEAD have.</param>
internal sealed class ReplyParser(bool isBodyless)
{
    /// <summary>The largest head or trailers of a reply, and the longest line before a chunk, in bytes.</summary>
    private const int MostHead = 64 * 1024, MostChunkLine = 4 * 1024;

    private readonly LineReader lines = new();
    private State state;
    private ReplyHead head;
    private long left;
    private byte[] known = [];
    private int knownLength;
    private ReplyHead knownHead;

    private enum State : byte
    {
        Begin,
        Head,
        Length,
        ChunkSize,
        Chunk,
        ChunkEnd,
        Trailers,
        UntilClose,
    }

    public int Status => head.Status;

    /// <summary>The bytes of the body so far.</summary>
    public long BodyLength { get; private set; }

    /// <summary>True when the server accepts no further request on this connection.</summary>
    public bool EndsConnection => head.EndsConnection;

    /// <summary>True when the reply is complete as soon as the server closes the connection.</summary>
    public bool EndsWithConnection => state == State.UntilClose;

    /// <summary>Prepares for the first reply on a new connection.</summary>
    public void Reset() => state = State.Begin;

    /// <summary>Reads the reply's bytes and removes them from the front of <paramref name="bytes"/>.</summary>
    public ReplyProgress Read(ref ReadOnlySpan<byte> bytes)
    {
        var progress = state == State.Begin ? Begin(ref bytes) : ReplyProgress.More;
        while (progress == ReplyProgress.More)
        {
            if (!Step(ref bytes, out progress))
                return progress;
        }
        state = State.Begin;
        return progress;
    }

    /// <summary>
    /// Begins to read a reply. A head that equals the last reply's head is not parsed again. Most heads are equal,
    /// since the date in a head changes only once a second.
    /// </summary>
    private ReplyProgress Begin(ref ReadOnlySpan<byte> bytes)
    {
        BodyLength = 0;
        if (knownLength > 0 && bytes.StartsWith(known.AsSpan(0, knownLength)))
        {
            head = knownHead;
            bytes = bytes[knownLength..];
            BeginBody();
            return ReplyProgress.More;
        }
        head.Clear();
        BeginLine(State.Head);
        var whole = bytes;
        var progress = ReplyProgress.More;
        while (state == State.Head && progress == ReplyProgress.More && Step(ref bytes, out progress))
        {
        }
        if (state != State.Head)
            Know(whole[..^bytes.Length]);
        return progress;
    }

    private void Know(ReadOnlySpan<byte> bytes)
    {
        if (known.Length < bytes.Length)
            known = new byte[bytes.Length + 64];
        bytes.CopyTo(known);
        (knownLength, knownHead) = (bytes.Length, head);
    }

    private bool Step(ref ReadOnlySpan<byte> bytes, out ReplyProgress progress)
    {
        progress = ReplyProgress.More;
        switch (state)
        {
            case State.Length or State.Chunk:
                Skip(ref bytes);
                if (left > 0)
                    return false;
                if (state == State.Length)
                    progress = ReplyProgress.Done;
                else
                    BeginLine(State.ChunkEnd);
                return true;
            case State.UntilClose:
                BodyLength += bytes.Length;
                bytes = default;
                return false;
            default:
                return StepLine(ref bytes, out progress);
        }
    }

    private bool StepLine(ref ReadOnlySpan<byte> bytes, out ReplyProgress progress)
    {
        progress = ReplyProgress.More;
        if (!lines.TryTake(ref bytes, out var line))
        {
            if (lines.IsOverBudget)
                progress = ReplyProgress.Broken;
            return false;
        }
        progress = state switch
        {
            State.Head => OnHeadLine(line),
            State.ChunkSize => OnChunkSize(line),
            State.ChunkEnd => OnChunkEnd(line),
            _ => OnTrailer(line),
        };
        return true;
    }

    private ReplyProgress OnHeadLine(ReadOnlySpan<byte> line)
    {
        if (!line.IsEmpty)
            return head.Add(line) ? ReplyProgress.More : ReplyProgress.Broken;
        if (!head.End(isBodyless))
            return ReplyProgress.Broken;
        if (head.IsInterim)
            head.Clear(); // the next head counts against the same limit, so that the server cannot send interim heads forever
        else
            BeginBody();
        return ReplyProgress.More;
    }

    private void BeginBody()
    {
        if (head.IsChunked)
            BeginLine(State.ChunkSize);
        else
            (state, left) = (head.IsUntilClose ? State.UntilClose : State.Length, Math.Max(0, head.Length));
    }

    private void BeginLine(State next)
    {
        state = next;
        lines.Begin(next is State.Head or State.Trailers ? MostHead : MostChunkLine);
    }

    private ReplyProgress OnChunkSize(ReadOnlySpan<byte> line)
    {
        if (!ChunkSize.TryRead(line, out left))
            return ReplyProgress.Broken;
        if (left > 0)
            state = State.Chunk;
        else
            BeginLine(State.Trailers);
        return ReplyProgress.More;
    }

    private ReplyProgress OnChunkEnd(ReadOnlySpan<byte> line)
    {
        BeginLine(State.ChunkSize);
        return line.IsEmpty ? ReplyProgress.More : ReplyProgress.Broken;
    }

    private static ReplyProgress OnTrailer(ReadOnlySpan<byte> line) =>
        line.IsEmpty ? ReplyProgress.Done : line.IndexOf((byte)':') > 0 ? ReplyProgress.More : ReplyProgress.Broken;

    private void Skip(ref ReadOnlySpan<byte> bytes)
    {
        var take = (int)Math.Min(left, bytes.Length);
        bytes = bytes[take..];
        left -= take;
        BodyLength += take;
    }
}

/// <summary>The progress of reading a reply.</summary>
internal enum ReplyProgress
{
    /// <summary>The reply is incomplete.</summary>
    More,

    /// <summary>The reply is complete.</summary>
    Done,

    /// <summary>The bytes are no HTTP/1, or are ambiguous.</summary>
    Broken,
}
