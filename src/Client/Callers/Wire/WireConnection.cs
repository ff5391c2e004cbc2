using IpcBench.Client.Load;

namespace IpcBench.Client.Callers.Wire;

/// <summary>One connection through all its sessions: opens, lets one thread in at a time, fails what a dying session had out, and opens again.</summary>
internal sealed partial class WireConnection : ICallConnection, ILinkOwner, ISessionOwner
{
    private const long FirstPauseNs = 10_000_000, LongestPauseNs = 250_000_000;
    private static readonly TimeSpan ReopenAttempt = TimeSpan.FromSeconds(2);

    private readonly Lane lane;
    private readonly ILinkOpener opener;
    private readonly SessionOptions options;
    private readonly BufferPool pool;
    private readonly object? gate;
    private readonly WireStream[] streams;
    private readonly Queue<WireStream> waiting = new();
    private OutputBuffer output;
    private WireSession? session;
    private Link? link;
    private TaskCompletionSource? opening;
    private bool accepting;
    private bool disposed;
    private bool reopening;
    private int withdrawn;
    private int depth;

    /// <param name="isShared">Several threads may come: each passes a lock. Otherwise all is done on the lane's one thread.</param>
    public WireConnection(Lane lane, ILinkOpener opener, SessionOptions options, BufferPool pool, bool isShared)
    {
        (this.lane, this.opener, this.options, this.pool) = (lane, opener, options, pool);
        gate = isShared ? new object() : null;
        output = new OutputBuffer(pool);
        streams = [.. Enumerable.Range(0, options.Streams).Select(_ => new WireStream(this))];
    }

    public IReadOnlyList<ICaller> Callers => streams;

    public bool IsOpen => session is { IsOpen: true };

    public int Reopened { get; private set; }

    public long? StreamsAllowed => session is { IsOpen: true } open ? Math.Min(streams.Length, open.StreamsAllowed) : null;

    /// <summary>A call can be sent now; true as well when none may be, so that nobody waits for it: see <see cref="WaitForReady"/>.</summary>
    public bool IsReady => accepting && session is { IsReady: true } && withdrawn == 0;

    public async Task OpenAsync(CancellationToken cancellation)
    {
        var opened = new TaskCompletionSource();
        Link? begun = null;
        await using var registration = cancellation.UnsafeRegister(_ => lane.Post(_ => opened.TrySetCanceled(cancellation), null), null);
        try
        {
            begun = await opener.OpenAsync(lane, this, cancellation);
            ObjectDisposedException.ThrowIf(disposed, this);
            Begin(begun, opened);
            begun.Start();
            await opened.Task;
        }
        catch
        {
            Enter();
            opening = null;
            if (begun is not null && ReferenceEquals(link, begun))
                (session, link) = (null, null);
            begun?.Close();
            Leave();
            throw;
        }
    }

    public void Enter()
    {
        if (gate is not null)
            Monitor.Enter(gate);
        depth++;
    }

    public void Leave()
    {
        try
        {
            if (depth == 1)
                Flush();
        }
        finally
        {
            depth--;
            if (gate is not null)
                Monitor.Exit(gate);
        }
    }

    public void WaitForReady(WireStream stream)
    {
        using var inside = Inside();
        if (accepting && !disposed)
            waiting.Enqueue(stream);
        else
            stream.SignalReady(false);
        Pump();
    }

    public void Send(WireStream stream)
    {
        using var inside = Inside();
        if (session is { IsReady: true } open)
            open.Send(stream);
        else
            Withdraw(stream);
    }

    public void CutOff(long sentBeforeNs)
    {
        using var inside = Inside();
        foreach (var stream in streams)
        {
            if (!stream.IsOut || stream.SentNs >= sentBeforeNs)
                continue;
            if (stream.Id != 0)
            {
                session!.Cancel(stream, CallResult.CutOff);
                continue;
            }
            withdrawn--;
            stream.Complete(CallResult.CutOff);
        }
    }

    public void SetAccepting(bool value)
    {
        using var inside = Inside();
        accepting = value;
        while (!value && waiting.TryDequeue(out var stream))
            stream.SignalReady(false);
    }

    public ValueTask DisposeAsync()
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        lane.Post(_ =>
        {
            using (Inside())
            {
                disposed = true;
                session?.Close(Http2Error.None, "disposed");
            }
            done.SetResult();
        }, null);
        return new(done.Task);
    }

    void ILinkOwner.OnBytes(Link from, ReadOnlySpan<byte> bytes)
    {
        using var inside = Inside();
        if (ReferenceEquals(from, link))
            session?.Receive(bytes);
    }

    void ILinkOwner.OnRoom(Link from)
    {
        using var inside = Inside();
        if (ReferenceEquals(from, link) && !output.IsEmpty)
            from.Flush(output);
    }

    void ILinkOwner.OnEnd(Link from, string reason)
    {
        using var inside = Inside();
        if (ReferenceEquals(from, link))
            session?.Close(Http2Error.None, reason);
    }

    private void Begin(Link begun, TaskCompletionSource opened)
    {
        using var inside = Inside();
        (link, opening) = (begun, opened);
        session = new WireSession(this, options, output);
        session.Begin();
    }

    // A flush that finds the link broken ends its session, and the next session may have something to say already.
    private void Flush()
    {
        for (Link? flushed = null; !output.IsEmpty && link is { } now && !ReferenceEquals(now, flushed); flushed = now)
            now.Flush(output);
    }

    private Scope Inside()
    {
        Enter();
        return new Scope(this);
    }

    /// <summary>Leaves however its block ends, so that no fault keeps the lock.</summary>
    private readonly ref struct Scope(WireConnection connection)
    {
        public void Dispose() => connection.Leave();
    }
}
