using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Http2;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>One HTTP/2 connection through all its sessions: fails what a dying session had out, and sends again what a server sent back.</summary>
internal sealed class Http2Client : DuplexConnection, ISessionOwner
{
    private readonly Http2Options options;
    private readonly Http2Stream[] streams;
    private Http2Connection? session;
    private int withdrawn;

    public Http2Client(Scheduler scheduler, Dialer dialer, Http2Options options)
        : base(scheduler, dialer)
    {
        this.options = options;
        streams = [.. Enumerable.Range(0, options.Streams).Select(_ => new Http2Stream(this, options.Request.IsBare))];
    }

    public override IReadOnlyList<IStream> Streams => streams;

    public override bool IsOpen => session is { IsOpen: true };

    public override long? StreamsAllowed => session is { IsOpen: true } open ? Math.Min(streams.Length, open.StreamsAllowed) : null;

    protected override bool CanSend => session is { IsReady: true } && withdrawn == 0;

    public void Send(Http2Stream stream)
    {
        using var inside = Inside();
        if (session is { IsReady: true } open)
            open.Send(stream);
        else
            Withdraw(stream);
    }

    public override void CutOff(long sentBeforeNs)
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

    protected override void OnDuplex()
    {
        session = new Http2Connection(this, options, Output);
        session.Begin();
    }

    protected override void Abandon() => session = null;

    protected override void Receive(ReadOnlySpan<byte> bytes) => session?.Receive(bytes);

    protected override void OnEnd(string? fault) => session?.Close(Http2Error.None, fault ?? "the server closed the connection");

    protected override void Close() => session?.Close(Http2Error.None, "disposed");

    /// <summary>Sends again what was withdrawn, then lets those go on who wait.</summary>
    protected override void Pump()
    {
        if (withdrawn > 0)
            SendWithdrawn();
        base.Pump();
    }

    void ISessionOwner.OnSessionOpen(Http2Connection opened) => SignalOpen();

    void ISessionOwner.OnStreamEnded() => Pump();

    void ISessionOwner.OnGoAway(Http2Connection from, int lastId)
    {
        foreach (var stream in streams)
        {
            if (!stream.IsOut || stream.Id <= lastId)
                continue;
            from.Withdraw(stream);
            Withdraw(stream);
        }
    }

    void ISessionOwner.ForEachStream(Http2Connection from, long argument, Action<Http2Connection, Http2Stream, long> visit)
    {
        foreach (var stream in streams)
        {
            if (stream.IsOut && stream.Id != 0)
                visit(from, stream, argument);
        }
    }

    void ISessionOwner.OnSessionClosed(Http2Connection closed, Http2Error error, string reason)
    {
        session = null;
        Drop(
            () => Fail(CallResult.Failed(error == Http2Error.None ? "connection lost" : "protocol")),
            () => new IOException(error == Http2Error.None ? reason : $"the server does not speak HTTP/2 as it should ({reason})"));
    }

    private void Fail(CallResult result)
    {
        foreach (var stream in streams)
        {
            // What was withdrawn is sent again on the next connection, if there is to be one.
            if (!stream.IsOut || (stream.Id == 0 && Reopens))
                continue;
            if (stream.Id == 0)
                withdrawn--;
            stream.Complete(result);
        }
    }

    private void Withdraw(Http2Stream stream)
    {
        stream.Id = 0;
        withdrawn++;
    }

    private void SendWithdrawn()
    {
        foreach (var stream in streams)
        {
            if (!stream.IsOut || stream.Id != 0 || session is not { IsReady: true } open)
                continue;
            withdrawn--;
            open.Send(stream);
        }
    }
}
