using System.Buffers.Binary;
using IpcBench.Client.Engine;
using IpcBench.Http2;

namespace IpcBench.Client.Protocols.Http2;

// What the server says: one method for each kind of frame.
internal sealed partial class Http2Connection
{
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

    private void AdjustWindow(Http2Stream stream, long change)
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
