using System.Buffers.Binary;
using IpcBench.Client.Callers.Wire.Hpack;
using IpcBench.Client.Load;

namespace IpcBench.Client.Callers.Wire;

/// <summary>
/// HTTP/2 on one open link, from the preface to its end: a client's whole part of RFC 9113 in terms of bytes in and bytes out.
/// It knows nothing of sockets and threads; <see cref="WireConnection"/> sees to it that one thread at a time is in here.
/// </summary>
internal sealed class WireSession : IFrameHandler
{
    private const int LargestId = int.MaxValue;
    private const int MostUnsent = 4 * 1024 * 1024;

    private static ReadOnlySpan<byte> Preface => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8;

    private readonly ISessionOwner owner;
    private readonly RequestBytes request;
    private readonly long size;
    private readonly OutputBuffer output;
    private readonly FrameReader reader;
    private readonly StreamTable streams;
    private readonly HpackDecoder decoder = new(HeaderBlocks.TableSize);
    private readonly HeaderBlocks blocks = new();
    private readonly ReceiveWindow receiving;
    private readonly PeerSettings peer;
    private readonly FieldEncoder fields;
    private readonly List<WireStream> blocked = [];
    private WireStream? dataStream;
    private FrameHeader dataFrame;
    private long sendWindow = 65535;
    private int nextId;
    private bool sawSettings;

    public WireSession(ISessionOwner owner, SessionOptions options, OutputBuffer output)
    {
        (this.owner, this.output) = (owner, output);
        (request, size, nextId) = (options.Request, options.Size, options.FirstId);
        reader = new FrameReader(this);
        streams = new StreamTable(options.Streams);
        receiving = new ReceiveWindow(options.Window);
        peer = new PeerSettings();
        fields = new FieldEncoder(request);
    }

    /// <summary>Nothing can be sent or received any more.</summary>
    public bool IsClosed { get; private set; }

    /// <summary>The server's or our own last word: what is out may end, nothing new begins.</summary>
    public bool IsDraining { get; private set; }

    /// <summary>The server's SETTINGS have come, so its limits are known.</summary>
    public bool IsOpen => sawSettings && !IsDraining && !IsClosed;

    /// <summary>A call can be sent now.</summary>
    public bool IsReady => IsOpen && streams.Count < peer.MaxConcurrentStreams && nextId > 0;

    public int Active => streams.Count;

    /// <summary>Writes the client's preface, SETTINGS and the connection's window.</summary>
    public void Begin()
    {
        output.Append(Preface);
        receiving.WriteSettings(output);
    }

    /// <summary>Takes bytes that have arrived. Never throws for anything a peer can send: a broken connection is closed.</summary>
    public void Receive(ReadOnlySpan<byte> bytes)
    {
        try
        {
            reader.Read(bytes);
            receiving.CreditConnection(output);
            if (output.Length > MostUnsent)
                throw new Http2Exception(Http2Error.EnhanceYourCalm, "the server asks for answers faster than it reads them");
            if (IsDraining && streams.Count == 0)
                Close(Http2Error.None, "the server said goodbye");
        }
        catch (Http2Exception e)
        {
            Close(e.Error, e.Message);
        }
        catch (HpackException e)
        {
            Close(Http2Error.Compression, e.Message);
        }
    }

    /// <summary>Sends a call's request, or as much as the server's window allows; only when <see cref="IsReady"/>.</summary>
    public void Send(WireStream stream)
    {
        var id = nextId;
        nextId = id == LargestId ? 0 : id + 2;
        IsDraining |= nextId == 0;
        var message = request.Message;
        stream.BeginRequest(id, message.Length, peer.InitialWindow);
        streams.Add(id, stream);
        if (fields.IsSteady && sendWindow >= message.Length && peer.InitialWindow >= message.Length)
        {
            WriteWhole(id);
            sendWindow -= message.Length;
            stream.Unsent = 0;
            return;
        }
        output.AppendFrame(FrameType.Headers, FrameFlags.EndHeaders, id, fields.Next());
        if (!TrySendRest(stream))
            blocked.Add(stream);
    }

    /// <summary>Gives a call up and tells the server so.</summary>
    public void Cancel(WireStream stream, CallResult result) => Reset(stream, Http2Error.Cancel, result);

    /// <summary>The link has ended or is to end. Calls that the server has surely not begun are sent again on the next connection, the others fail.</summary>
    public void Close(Http2Error error, string reason)
    {
        if (IsClosed)
            return;
        IsClosed = true;
        if (error != Http2Error.None)
            WriteGoAway(error);
        owner.OnSessionClosed(this, error, reason);
    }

    void IFrameHandler.OnFrame(FrameHeader header, ReadOnlySpan<byte> payload)
    {
        RequireSettingsFirst(header);
        if (blocks.IsOpen != (header.Type == FrameType.Continuation) || (blocks.IsOpen && blocks.StreamId != header.StreamId))
            throw Broken("a frame inside a field block, or CONTINUATION outside one");
        switch (header.Type)
        {
            case FrameType.Headers:
                OnHeaders(header, payload);
                break;
            case FrameType.Continuation:
                blocks.Continue(payload);
                EndBlock(header.Has(FrameFlags.EndHeaders));
                break;
            case FrameType.Data:
                OnPaddedData(header, payload);
                break;
            case FrameType.WindowUpdate:
                OnWindowUpdate(header, payload);
                break;
            case FrameType.Settings:
                OnSettings(header, payload);
                break;
            case FrameType.Ping:
                OnPing(header, payload);
                break;
            case FrameType.RstStream:
                OnReset(header, payload);
                break;
            case FrameType.GoAway:
                OnGoAway(header, payload);
                break;
            case FrameType.Priority:
                FrameRules.Priority(header);
                break;
            case FrameType.PushPromise:
                throw Broken("PUSH_PROMISE, which was switched off");
            default:
                break; // unknown frames are ignored (RFC 9113, 5.5)
        }
    }

    void IFrameHandler.OnDataBegin(FrameHeader header)
    {
        RequireSettingsFirst(header);
        if (blocks.IsOpen)
            throw Broken("DATA inside a field block");
        RequireOpened(header.StreamId);
        dataFrame = header;
        dataStream = streams.Find(header.StreamId);
        receiving.Take(dataStream, header.Length);
    }

    void IFrameHandler.OnDataBytes(ReadOnlySpan<byte> bytes) => dataStream?.OnData(bytes);

    void IFrameHandler.OnDataEnd()
    {
        if (dataStream is not { } stream)
            return;
        dataStream = null;
        if (dataFrame.Has(FrameFlags.EndStream))
            Finish(stream, endedByHeaders: false);
        else
            receiving.CreditStream(stream, output);
    }

    private void OnPaddedData(FrameHeader header, ReadOnlySpan<byte> payload)
    {
        var handler = (IFrameHandler)this;
        handler.OnDataBegin(header);
        handler.OnDataBytes(FrameRules.WithoutPadding(header, payload));
        handler.OnDataEnd();
    }

    private void OnHeaders(FrameHeader header, ReadOnlySpan<byte> payload)
    {
        RequireOpened(header.StreamId);
        var block = FrameRules.WithoutPadding(header, payload);
        if (header.Has(FrameFlags.Priority))
            block = block.Length >= 5 ? block[5..] : throw new Http2Exception(Http2Error.FrameSize, "HEADERS too short for its priority");
        if (header.Has(FrameFlags.EndHeaders))
        {
            OnBlock(header.StreamId, header.Has(FrameFlags.EndStream), block);
            return;
        }
        blocks.Begin(header, block);
    }

    private void EndBlock(bool isWhole)
    {
        if (!isWhole)
            return;
        var block = blocks.End();
        OnBlock(blocks.StreamId, blocks.EndsStream, block);
    }

    private void OnBlock(int streamId, bool isLast, ReadOnlySpan<byte> block)
    {
        // Decoded even when nobody waits for it: the dynamic table must follow.
        var decoded = decoder.Decode(block);
        if (streams.Find(streamId) is not { } stream)
            return;
        if (!stream.OnHeaders(decoded, isLast))
            Reset(stream, Http2Error.Protocol, CallResult.Failed("protocol"));
        else if (isLast)
            Finish(stream, endedByHeaders: true);
    }

    private void Finish(WireStream stream, bool endedByHeaders)
    {
        if (stream.Unsent > 0)
        {
            // Answered before all was asked (RFC 9113, 8.1): the rest is of no use to anybody.
            blocked.Remove(stream);
            WriteReset(stream.Id, Http2Error.Cancel);
        }
        End(stream, stream.Conclude(size, endedByHeaders));
    }

    private void Reset(WireStream stream, Http2Error error, CallResult result)
    {
        WriteReset(stream.Id, error);
        End(stream, result);
    }

    private void End(WireStream stream, CallResult result)
    {
        if (stream.Unsent > 0)
            blocked.Remove(stream);
        if (ReferenceEquals(dataStream, stream))
            dataStream = null;
        streams.Remove(stream.Id);
        stream.Complete(result);
        owner.OnStreamEnded();
    }

    private void OnReset(FrameHeader header, ReadOnlySpan<byte> payload)
    {
        FrameRules.Length(header, 4);
        RequireOpened(header.StreamId);
        if (streams.Find(header.StreamId) is { } stream)
            End(stream, CallResult.Failed("reset"));
    }

    private void OnGoAway(FrameHeader header, ReadOnlySpan<byte> payload)
    {
        var last = FrameRules.GoAway(header, payload);
        IsDraining = true;
        owner.OnGoAway(this, last);
    }

    /// <summary>Takes a call back that the server has not begun; it may be sent on another connection.</summary>
    public void Withdraw(WireStream stream)
    {
        if (stream.Unsent > 0)
            blocked.Remove(stream);
        streams.Remove(stream.Id);
        stream.Id = 0;
    }

    private void OnPing(FrameHeader header, ReadOnlySpan<byte> payload)
    {
        FrameRules.OnConnection(header);
        FrameRules.Length(header, 8);
        if (!header.Has(FrameFlags.Ack))
            output.AppendFrame(FrameType.Ping, FrameFlags.Ack, 0, payload);
    }

    private void OnSettings(FrameHeader header, ReadOnlySpan<byte> payload)
    {
        FrameRules.OnConnection(header);
        if (header.Has(FrameFlags.Ack))
        {
            FrameRules.Length(header, 0);
            return;
        }
        var wasOpen = sawSettings;
        var delta = peer.Apply(payload);
        if (delta != 0)
            owner.ForEachStream(this, delta, static (session, stream, change) => session.AdjustWindow(stream, change));
        fields.OnTableSize(peer.HeaderTableSize);
        sawSettings = true;
        output.AppendFrame(FrameType.Settings, FrameFlags.Ack, 0, []);
        SendBlocked();
        if (wasOpen)
            owner.OnStreamEnded(); // there may be room for more streams now
        else
            owner.OnSessionOpen(this);
    }

    private void AdjustWindow(WireStream stream, long change)
    {
        stream.SendWindow += change;
        if (stream.SendWindow > int.MaxValue)
            throw new Http2Exception(Http2Error.FlowControl, "a stream's window above 2^31-1");
    }

    private void OnWindowUpdate(FrameHeader header, ReadOnlySpan<byte> payload)
    {
        FrameRules.Length(header, 4);
        var increment = BinaryPrimitives.ReadInt32BigEndian(payload) & int.MaxValue;
        if (header.StreamId == 0)
        {
            sendWindow += increment;
            if (increment == 0 || sendWindow > int.MaxValue)
                throw new Http2Exception(increment == 0 ? Http2Error.Protocol : Http2Error.FlowControl, "WINDOW_UPDATE by nothing or beyond 2^31-1");
        }
        else
        {
            RequireOpened(header.StreamId);
            if (streams.Find(header.StreamId) is not { } stream)
                return;
            stream.SendWindow += increment;
            if (increment == 0 || stream.SendWindow > int.MaxValue)
                Reset(stream, increment == 0 ? Http2Error.Protocol : Http2Error.FlowControl, CallResult.Failed("protocol"));
        }
        SendBlocked();
    }

    private void SendBlocked()
    {
        if (blocked.Count > 0)
            blocked.RemoveAll(TrySendRest);
    }

    /// <summary>Sends what the windows allow of a request's DATA; true when that was all of it.</summary>
    private bool TrySendRest(WireStream stream)
    {
        var message = request.Message;
        var count = (int)Math.Min(stream.Unsent, Math.Min(sendWindow, stream.SendWindow));
        if (count <= 0)
            return false;
        var isLast = count == stream.Unsent;
        output.AppendFrame(FrameType.Data, isLast ? FrameFlags.EndStream : FrameFlags.None, stream.Id, message.AsSpan(message.Length - stream.Unsent, count));
        stream.Unsent -= count;
        stream.SendWindow -= count;
        sendWindow -= count;
        return isLast;
    }

    private void WriteWhole(int id)
    {
        var frames = output.Append(request.IndexedFrames.Length);
        request.IndexedFrames.CopyTo(frames);
        BinaryPrimitives.WriteInt32BigEndian(frames[5..], id);
        BinaryPrimitives.WriteInt32BigEndian(frames[request.SecondIdOffset..], id);
    }

    private void WriteReset(int id, Http2Error error)
    {
        Span<byte> code = stackalloc byte[4];
        BinaryPrimitives.WriteInt32BigEndian(code, (int)error);
        output.AppendFrame(FrameType.RstStream, FrameFlags.None, id, code);
    }

    private void WriteGoAway(Http2Error error)
    {
        Span<byte> payload = stackalloc byte[8];
        BinaryPrimitives.WriteInt32BigEndian(payload, 0); // a client's peer opens no streams
        BinaryPrimitives.WriteInt32BigEndian(payload[4..], (int)error);
        output.AppendFrame(FrameType.GoAway, FrameFlags.None, 0, payload);
    }

    private void RequireSettingsFirst(FrameHeader header)
    {
        if (!sawSettings && (header.Type != FrameType.Settings || header.Has(FrameFlags.Ack)))
            throw Broken("the server's first frame is not SETTINGS: not HTTP/2?");
    }

    private void RequireOpened(int streamId)
    {
        // Even identifiers are the server's, which may open none; those from nextId on are idle.
        if (streamId == 0 || (streamId & 1) == 0 || (nextId != 0 && streamId >= nextId))
            throw Broken("a frame for a stream that was never opened");
    }

    private static Http2Exception Broken(string message) => new(Http2Error.Protocol, message);
}
