using System.Buffers.Binary;
using IpcBench.Client.Dialing;
using IpcBench.Http2;
using IpcBench.Protocol;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>Sends the requests of one HTTP/2 connection, as far as the server's limits and windows allow.</summary>
internal sealed class RequestSender(Http2Options options, StreamTable streams, OutputBuffer output, BlockedClock clock)
{
    private const int LargestId = int.MaxValue;

    private readonly Http2Request request = options.Request;
    private readonly PeerSettings peer = new();
    private readonly HpackEncoder fields = new(options.Request.Fields);
    private readonly Queue<Http2Stream> blocked = [];
    private int turn = options.Request.FirstTurn();
    private long window = Http2Settings.DefaultWindow;

    /// <summary>Objects to prefetch, since the next request uses them.</summary>
    public object[] NeededSoon => [peer, fields, blocked];

    /// <summary>Flow-controlled bytes that were written and that the server has not yet credited to the connection's window.</summary>
    public long Ahead { get; private set; }

    /// <summary>The identifier of the next request. 0 when no identifier is left.</summary>
    public int NextId { get; private set; } = options.FirstId;

    /// <summary>The server's SETTINGS_MAX_CONCURRENT_STREAMS.</summary>
    public long StreamsAllowed => peer.MaxConcurrentStreams;

    /// <summary>True when the server allows one more request.</summary>
    public bool HasRoom => streams.Count < peer.MaxConcurrentStreams && NextId > 0;

    /// <summary>
    /// Writes a request, or as much of it as the windows allow. Needs <see cref="HasRoom"/>, except for a message on an open stream.
    /// </summary>
    public void Send(Http2Stream stream)
    {
        if (Numbered(stream) is { } messages)
        {
            SendMessage(messages);
            return;
        }
        var id = TakeId();
        var pull = stream as PullStream;
        var body = stream.Body ??= pull?.Request() ?? NextBody(); // a request that is sent again keeps its body
        var length = body.Message.Length;
        pull?.BeginStream(id, 0);
        stream.BeginRequest(id, length, peer.InitialWindow);
        streams.Add(id, stream);
        if (fields.IsSteady && window >= length && peer.InitialWindow >= length && body.IndexedFrames is { } whole)
        {
            var frames = output.Append(whole.Length);
            whole.CopyTo(frames);
            stream.OpenedAt = output.Written - whole.Length + body.SecondFrame;
            BinaryPrimitives.WriteInt32BigEndian(frames[FrameHeader.StreamOffset..], id);
            if (length > 0)
                BinaryPrimitives.WriteInt32BigEndian(frames[(body.SecondFrame + FrameHeader.StreamOffset)..], id);
            Take(stream, length);
            return;
        }
        var end = length == 0 ? FrameFlags.EndStream : FrameFlags.None;
        output.WriteHeaders(end, id, fields.Next());
        stream.OpenedAt = output.Written;
        if (length > 0 && !TrySendRest(stream))
            blocked.Enqueue(stream);
    }

    /// <summary>Sends a stream's next message. The headers go before the first message.</summary>
    private void SendMessage(MessageStream stream)
    {
        var body = stream.Body ??= NextBody();
        if (stream.Id == 0)
        {
            stream.BeginStream(TakeId(), peer.InitialWindow);
            streams.Add(stream.Id, stream);
            output.WriteHeaders(FrameFlags.None, stream.Id, fields.Next());
            stream.OpenedAt = output.Written;
        }
        stream.BeginMessage();
        var length = stream.Unsent = body.Message.Length;
        if (window < length || stream.SendWindow < length || body.DataFrame is not { IsEmpty: false } whole)
        {
            if (TrySendRest(stream))
                OnWritten(stream);
            else
                blocked.Enqueue(stream);
            return;
        }
        var frame = output.Append(whole.Length);
        whole.Span.CopyTo(frame);
        frame[FrameHeader.FlagsOffset] = (byte)(stream.IsLast ? FrameFlags.EndStream : FrameFlags.None);
        BinaryPrimitives.WriteInt32BigEndian(frame[FrameHeader.StreamOffset..], stream.Id);
        if (!options.IsUserMethod)
            PayloadFrame.Number(frame[FrameHeader.Size..], stream.Stamp, stream.Sequence);
        Take(stream, length);
        OnWritten(stream);
    }

    private void OnWritten(MessageStream stream)
    {
        stream.WrittenTo = output.Written;
        stream.OnWritten();
    }

    /// <summary>Returns the stream if it sends several messages, one after the other. Returns null if it sends one request.</summary>
    private static MessageStream? Numbered(Http2Stream stream) => stream is PullStream ? null : stream as MessageStream;

    private int TakeId()
    {
        var id = NextId;
        NextId = id == LargestId ? 0 : id + 2;
        return id;
    }

    /// <summary>Forgets the part of a request that is not written yet.</summary>
    public void Forget(Http2Stream stream)
    {
        clock.Set(stream, Blocker.None);
        for (var left = stream.Unsent > 0 ? blocked.Count : 0; left > 0; left--)
        {
            if (blocked.Dequeue() is var other && other != stream)
                blocked.Enqueue(other);
        }
    }

    /// <returns>The number of bytes by which the send window of each open stream changes.</returns>
    /// <exception cref="Http2Exception">A value is not allowed.</exception>
    public long OnSettings(ReadOnlySpan<byte> payload)
    {
        var change = peer.Apply(payload);
        // One SETTINGS frame may set the size twice. The server has dropped what does not fit into the smallest size.
        fields.OnTableSize(peer.LeastHeaderTableSize);
        fields.OnTableSize(peer.HeaderTableSize);
        return change;
    }

    /// <summary>Called when the connection's window grows.</summary>
    /// <exception cref="Http2Exception">The increment is 0 or makes the window too large.</exception>
    public void OnWindowUpdate(int increment)
    {
        window += increment;
        Ahead = Math.Max(0, Ahead - increment); // a larger increment makes the window larger than it was at first
        if (increment == 0 || window > int.MaxValue)
            throw new Http2Exception(FrameRules.WindowError(increment), "WINDOW_UPDATE of 0 or above 2^31-1");
    }

    /// <summary>Called when a window has grown. Blocked streams continue in turn.</summary>
    public void SendBlocked()
    {
        for (var left = blocked.Count; left > 0 && blocked.TryDequeue(out var stream); left--)
        {
            if (!TrySendRest(stream))
                blocked.Enqueue(stream);
            else if (stream is MessageStream messages)
                OnWritten(messages); // after this call, the stream may be blocked again with its next message
        }
    }

    private void Take(Http2Stream stream, int count)
    {
        window -= count;
        Ahead += count;
        stream.SendWindow -= count;
        stream.Unsent -= count;
    }

    private RequestBody NextBody()
    {
        var bodies = request.Bodies;
        if (bodies.Length == 1)
            return bodies[0];
        var body = bodies[turn];
        turn = turn + 1 == bodies.Length ? 0 : turn + 1;
        return body;
    }

    /// <summary>Writes a part of a message, with the message's stamp and sequence number instead of the shared body's zeros.</summary>
    private void WriteHead(MessageStream stream, FrameFlags flags, int from, int count)
    {
        var message = stream.Body!.Message;
        Span<byte> head = stackalloc byte[Math.Min(PayloadFrame.LongestHead, message.Length)];
        message.AsSpan(0, head.Length).CopyTo(head);
        PayloadFrame.Number(head, stream.Stamp, stream.Sequence);
        var frame = output.Append(FrameHeader.Size + count);
        new FrameHeader(count, FrameType.Data, flags, stream.Id).Write(frame);
        var part = frame[FrameHeader.Size..];
        message.AsSpan(from, count).CopyTo(part);
        head = head[from..];
        head[..Math.Min(head.Length, count)].CopyTo(part);
    }

    private void WriteData(int stream, FrameFlags flags, RequestBody body, int from, int count)
    {
        if (count < RequestBody.FewestBorrowed)
        {
            output.WriteFrame(FrameType.Data, flags, stream, body.Message.AsSpan(from, count));
            return;
        }
        new FrameHeader(count, FrameType.Data, flags, stream).Write(output.Append(FrameHeader.Size));
        output.Borrow(body.Part(from, count));
    }

    /// <summary>Writes as much of a request's DATA as the windows allow. Returns true when all DATA was written.</summary>
    private bool TrySendRest(Http2Stream stream)
    {
        var body = stream.Body!;
        while (stream.Unsent > 0)
        {
            // Every peer must accept a frame of this size (RFC 9113, 4.2).
            var count = (int)Math.Min(Math.Min(stream.Unsent, FrameReader.MaxFrame), Math.Min(window, stream.SendWindow));
            if (count <= 0)
            {
                clock.Set(stream, window <= 0 ? Blocker.ConnectionWindow : Blocker.StreamWindow, Ahead);
                return false;
            }
            clock.Set(stream, Blocker.None); // the stream writes at least a part: a later wait counts as a new wait
            var (messages, from) = (Numbered(stream), body.Message.Length - stream.Unsent);
            var flags = count == stream.Unsent && messages is not { IsLast: false } ? FrameFlags.EndStream : FrameFlags.None;
            if (messages is not null && !options.IsUserMethod && from < PayloadFrame.LongestHead)
                WriteHead(messages, flags, from, count);
            else
                WriteData(stream.Id, flags, body, from, count);
            Take(stream, count);
        }
        return true;
    }
}
