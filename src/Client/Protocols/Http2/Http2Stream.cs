using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Http2;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>One stream's place on an HTTP/2 connection: each call is a new HTTP/2 stream.</summary>
internal sealed class Http2Stream : CallStream
{
    private static readonly string[] StatusKinds =
        [.. Enumerable.Range(0, 17).Select(code => FormattableString.Invariant($"status {code}"))];

    private readonly Http2Client connection;
    private readonly bool isBare;
    private ReplyReader reply;
    private long bytesReceived;
    private string? failure;
    private bool sawHeaders;

    /// <param name="connection">Its place.</param>
    /// <param name="isBare">Replies are no gRPC: a status and a body.</param>
    public Http2Stream(Http2Client connection, bool isBare)
        : base(connection) => (this.connection, this.isBare) = (connection, isBare);

    /// <summary>The HTTP/2 stream of the call that is out; 0 when none is, or it waits to be sent on a new connection.</summary>
    public int Id { get; set; }

    /// <summary>Bytes of the request still to be sent.</summary>
    public int Unsent { get; set; }

    /// <summary>What the server allows us to send on this stream; may be negative (RFC 9113, 6.9.2).</summary>
    public long SendWindow { get; set; }

    /// <summary>Flow-controlled bytes received since the last credit.</summary>
    public int Uncredited;

    /// <summary>Forgets the last reply, before a request is sent or sent again.</summary>
    public void BeginRequest(int id, int length, long window)
    {
        (Id, Unsent, SendWindow, Uncredited) = (id, length, window, 0);
        (failure, sawHeaders, bytesReceived) = (null, false, 0);
        reply.Reset();
    }

    public void OnData(ReadOnlySpan<byte> bytes)
    {
        if (!sawHeaders)
            failure ??= "protocol";
        bytesReceived += bytes.Length;
        if (!isBare)
            reply.Read(bytes);
    }

    /// <returns>False when the response is malformed and the stream must be reset.</returns>
    public bool OnHeaders(in HeaderBlock block, bool isLast)
    {
        if (block.Malformed || (sawHeaders ? block.Status != 0 || !isLast : block.Status == 0))
            return false;
        if (!sawHeaders && block.Status is >= 100 and < 200)
            return !isLast;
        if (!sawHeaders && block.Status != 200)
            failure ??= FormattableString.Invariant($"http {block.Status}");
        else if (!sawHeaders && !isBare && !block.IsGrpc)
            failure ??= "content type";
        sawHeaders = true;
        if (isLast && !isBare && block.GrpcStatus is not 0)
            failure = GrpcFailure(block.GrpcStatus, failure);
        return true;
    }

    /// <summary>How the call went, now that the server has said all, the last of it in a field block or not.</summary>
    public CallResult Conclude(long size, bool endedByHeaders)
    {
        if (isBare)
            failure ??= bytesReceived == size ? null : "wrong length";
        else if (!endedByHeaders)
            failure ??= "no status";
        else if (failure is null && !reply.IsComplete(size))
            failure = reply.IsBroken ? "protocol" : "wrong length";
        return failure is null ? CallResult.Ok : CallResult.Failed(failure);
    }

    protected override void Send() => connection.Send(this);

    private static string GrpcFailure(int status, string? earlier) => status switch
    {
        > 0 and <= 16 => StatusKinds[status],
        _ when earlier is not null => earlier,
        -1 => "no status",
        _ => "unknown status",
    };
}

/// <summary>Finds the call of a stream identifier: a ring of the latest, and a dictionary for those that lag far behind.</summary>
internal sealed class StreamTable
{
    private readonly Http2Stream?[] ring;
    private readonly int mask;
    private Dictionary<int, Http2Stream>? laggards;

    public StreamTable(int streams)
    {
        ring = new Http2Stream?[(int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)streams)];
        mask = ring.Length - 1;
    }

    public int Count { get; private set; }

    public void Add(int id, Http2Stream stream)
    {
        Count++;
        ref var slot = ref ring[id >> 1 & mask];
        if (slot is null)
            slot = stream;
        else
            (laggards ??= []).Add(id, stream);
    }

    public Http2Stream? Find(int id)
    {
        var stream = ring[id >> 1 & mask];
        if (stream is not null && stream.Id == id)
            return stream;
        return laggards is { Count: > 0 } ? laggards.GetValueOrDefault(id) : null;
    }

    public void Remove(int id)
    {
        ref var slot = ref ring[id >> 1 & mask];
        if (slot is not null && slot.Id == id)
            slot = null;
        else if (laggards is null || !laggards.Remove(id))
            return;
        Count--;
    }
}
