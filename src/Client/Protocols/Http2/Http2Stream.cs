using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Http2;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>A stream of the load over HTTP/2. Each call opens an HTTP/2 stream, except in <see cref="MessageStream"/>.</summary>
internal class Http2Stream : CallStream
{
    /// <summary>The kind of failure of a reply that does not fit the expectation.</summary>
    protected const string NotAsExpected = "not as expected";

    private readonly ReconnectingHttp2Connection connection;
    private readonly Http2Options options;
    private readonly bool isBare;
    private ReplyReader reply;
    private long bytesReceived;
    private string? failure;
    private bool isChecked;
    private FirstReply? first;

    public Http2Stream(ReconnectingHttp2Connection connection, Http2Options options)
        : base(connection) =>
        (this.connection, this.options, isBare, reply) = (connection, options, options.Request.IsBare, new(options.Reply));

    /// <summary>The identifier of the HTTP/2 stream. 0 when none is open, for example while a call waits for a connection.</summary>
    public int Id { get; set; }

    /// <summary>The body of the call. Null before the call is first sent.</summary>
    public RequestBody? Body { get; set; }

    /// <summary>Bytes of the request body that are not yet written to the output.</summary>
    public int Unsent { get; set; }

    /// <summary>The send window of the stream. It may be negative (RFC 9113, 6.9.2).</summary>
    public long SendWindow { get; set; }

    /// <summary>Flow-controlled bytes that were received since the last WINDOW_UPDATE for this stream.</summary>
    public int Uncredited;

    /// <summary>The value of <see cref="OutputBuffer.Written"/> just after the headers of the request were written.</summary>
    public long OpenedAt { get; set; }

    public Blocker Blocker { get; set; }

    /// <summary>True when the whole request was written to the output. Messages must also have left the output before the reply.</summary>
    public virtual bool IsSent => Unsent == 0;

    /// <summary>True when the server's headers have arrived.</summary>
    public bool SawHeaders { get; private set; }

    /// <summary>The failure of the reply so far. Null when nothing is wrong.</summary>
    public string? Failure => failure;

    /// <summary>
    /// True when the HTTP/2 stream must be reset at once, because the first headers of the reply report a failure. Always
    /// false if the HTTP/2 stream is used for one call only.
    /// </summary>
    public virtual bool EndsWithFailure => false;

    /// <summary>Forgets the last reply. Called before a request is sent, for the first time or again.</summary>
    public void BeginRequest(int id, int length, long window)
    {
        (Id, Unsent, SendWindow, Uncredited) = (id, length, window, 0);
        (failure, SawHeaders, bytesReceived) = (null, false, 0);
        reply.Reset();
        first = isChecked ? new FirstReply() : null;
    }

    /// <returns>The reason to reset the stream. Null to continue.</returns>
    public virtual string? OnData(ReadOnlySpan<byte> bytes)
    {
        if (!SawHeaders)
            failure ??= FailureKind.Protocol;
        bytesReceived += bytes.Length;
        if (!isBare)
            reply.Read(bytes);
        first?.Add(bytes);
        return null;
    }

    /// <returns>False when the response is malformed and the stream must be reset.</returns>
    public bool OnHeaders(in HeaderBlock block, bool isLast)
    {
        if (block.Malformed || (SawHeaders ? block.Status != 0 || !isLast : block.Status == 0))
            return false;
        if (!SawHeaders && block.Status is >= 100 and < 200)
            return !isLast;
        if (!SawHeaders && block.Status != 200)
            failure ??= FailureKind.OfHttp(block.Status);
        else if (!SawHeaders && !isBare && !block.IsGrpc)
            failure ??= "content type";
        SawHeaders = true;
        if (isLast && !isBare && block.GrpcStatus is not 0)
            failure = block.GrpcStatus > 0 ? KindOf(block.GrpcStatus) : failure ?? KindOf(block.GrpcStatus);
        return true;
    }

    /// <summary>
    /// Returns the result of a call whose whole reply has arrived. <paramref name="endedByHeaders"/> is true when the
    /// reply ended with a field block, not with DATA.
    /// </summary>
    public virtual CallResult Conclude(bool endedByHeaders)
    {
        if (!SawHeaders)
            failure ??= FailureKind.Protocol; // an empty DATA frame ended the stream
        if (isBare)
            failure ??= bytesReceived == options.Size ? null : "wrong length";
        else if (!endedByHeaders)
            failure ??= "no status";
        else if (failure is null && !reply.IsComplete(options.Size))
            failure = reply.IsBroken ? FailureKind.Protocol
                : reply.IsEmpty && options.Reply != ReplyKind.Download ? "no message" : "wrong length";
        if (first is not null && failure is null)
            failure = Judge(first.Message);
        return InTime(failure is null ? CallResult.Ok(isBare ? bytesReceived : reply.Payload) : CallResult.Failed(failure));
    }

    /// <summary>Called when the server has not begun the HTTP/2 stream and will not begin it.</summary>
    /// <returns>The result of the call. Null when the call may be sent again on another connection.</returns>
    public virtual CallResult? Withdrawn() => null;

    public virtual void Ended(CallResult result)
    {
        // The reply that was to be checked did not arrive, or is a failure of another kind. So the next reply is checked.
        if (isChecked && !result.IsOk && failure != NotAsExpected)
            connection.LookAtNext();
        isChecked = false;
        Complete(result);
    }

    /// <summary>Turns every result that comes after the deadline into a failure, since an application would not wait so long.</summary>
    public CallResult InTime(CallResult result) => options.DeadlineNs > 0 && MonotonicClock.NowNs - SentNs >= options.DeadlineNs
        ? CallResult.Failed(KindOf((int)GrpcStatusCode.DeadlineExceeded))
        : result;

    /// <summary>Returns the kind of failure for this status, such as <c>status 13</c>.</summary>
    public static string KindOf(int status) => status switch
    {
        > 0 and <= 16 => FailureKind.OfGrpc(status),
        -1 => "no status",
        _ => "unknown status",
    };

    protected override void Send()
    {
        (Body, failure) = (null, null);
        isChecked = options.Expect is not null && connection.TakesFirstReply();
        connection.Send(this);
    }

    /// <summary>Checks a message of a reply, or null for a message that is too long to check.</summary>
    /// <returns>The kind of failure. Null when the message is as expected.</returns>
    protected string? Judge(byte[]? message)
    {
        if ((message is null ? "the reply is too long to be checked" : options.Expect?.Invoke(message)) is not { } difference)
            return null;
        options.Notes.Add(NotAsExpected, difference);
        return NotAsExpected;
    }
}
