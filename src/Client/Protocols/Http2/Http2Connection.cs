using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Http2;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>
/// Does the client's part of RFC 9113 on one HTTP/2 connection, from the preface to the end. Takes received bytes
/// and writes bytes to send. This class checks the order of frames and keeps the connection's state.
/// <see cref="RequestSender"/> handles requests, <see cref="ReplyReceiver"/> handles replies. These three classes use no
/// sockets and no locks: <see cref="ReconnectingHttp2Connection"/> lets only one thread at a time call them.
/// </summary>
internal sealed class Http2Connection : IFrameHandler
{
    private const int MostUnsent = 4 * 1024 * 1024;

    private readonly ReconnectingHttp2Connection client;
    private readonly OutputBuffer output;
    private readonly FrameReader reader;
    private readonly StreamTable streams;
    private readonly RequestSender requests;
    private readonly ReplyReceiver replies;
    private readonly HeaderBlocks blocks = new();
    private readonly long mostUnsent;
    private long sentBefore;
    private bool isDraining;
    private bool sawSettings;

    public Http2Connection(ReconnectingHttp2Connection client, Http2Options options, OutputBuffer output)
    {
        (this.client, this.output) = (client, output);
        reader = new FrameReader(this);
        streams = new StreamTable(options.Streams);
        requests = new RequestSender(options, streams, output, client.BlockedClock);
        replies = new ReplyReceiver(client, options, streams, requests, output);
        mostUnsent = MostUnsent + (options.Request.Fields.PlainBlock.Length + options.Request.LongestBody) * options.Streams;
    }

    /// <summary>Objects to prefetch, since the next reply and the next request use them.</summary>
    public object[] NeededSoon => [reader, streams, blocks, replies, .. replies.NeededSoon, requests, .. requests.NeededSoon];

    /// <summary>True when nothing can be sent or received any more.</summary>
    public bool IsClosed { get; private set; }

    /// <summary>
    /// True when the server's SETTINGS have arrived, the connection is not closed, the server has sent no GOAWAY, and a
    /// stream identifier is left.
    /// </summary>
    public bool IsOpen => IsUp && !IsDraining;

    /// <summary>True when calls in flight can still end, even if no new call can begin.</summary>
    public bool IsUp => sawSettings && !IsClosed;

    /// <summary>The server's SETTINGS_MAX_CONCURRENT_STREAMS.</summary>
    public long StreamsAllowed => requests.StreamsAllowed;

    /// <inheritdoc cref="RequestSender.Ahead"/>
    public long Ahead => requests.Ahead;

    /// <summary>True when a call can be sent now.</summary>
    public bool IsReady => IsOpen && requests.HasRoom;

    // After GOAWAY, or when our stream identifiers are used up, calls in flight may end but no new call begins.
    private bool IsDraining => isDraining || requests.NextId == 0;

    /// <summary>Writes the client's preface, SETTINGS and the connection's window.</summary>
    public void Begin()
    {
        output.Append(FrameWriter.Preface);
        replies.WriteSettings();
    }

    /// <summary>Sends the request of a call. Needs <see cref="IsReady"/>, except for a message on an open stream.</summary>
    public void Send(Http2Stream stream) => requests.Send(stream);

    /// <summary>Half-closes an open stream, since no more messages follow.</summary>
    public void HalfClose(MessageStream stream)
    {
        output.WriteFrame(FrameType.Data, FrameFlags.EndStream, stream.Id);
        stream.WrittenTo = output.Written;
    }

    /// <summary>
    /// True when the output up to <paramref name="writtenTo"/> had left the output buffer before <see cref="Receive"/> got the
    /// bytes that it is reading now. Only then can these bytes be an answer to this output. Output that is written during
    /// Receive is sent later.
    /// </summary>
    public bool HadSent(long writtenTo) => writtenTo <= sentBefore;

    /// <summary>Takes received bytes. Never throws, whatever the peer sent. A protocol violation closes the connection.</summary>
    public void Receive(ReadOnlySpan<byte> bytes)
    {
        sentBefore = output.Taken;
        try
        {
            reader.Read(bytes);
            replies.CreditConnection();
            if (output.Length > mostUnsent)
                throw new Http2Exception(Http2Error.EnhanceYourCalm, "the server sends PING or SETTINGS faster than it reads the answers");
            CloseIfDrained();
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

    /// <summary>Ends a call with this result and resets its stream.</summary>
    public void Cancel(Http2Stream stream, CallResult result)
    {
        replies.End(stream, result, Http2Error.Cancel);
        CloseIfDrained();
    }

    /// <summary>Takes back a call that the server has not begun. The call may be sent on another connection.</summary>
    public void Withdraw(Http2Stream stream)
    {
        requests.Forget(stream);
        streams.Remove(stream.Id);
        stream.Id = 0;
    }

    /// <summary>
    /// Closes the connection, because its duplex has ended or must end. Withdrawn calls are sent again if there is a
    /// next connection. All other calls fail.
    /// </summary>
    public void Close(Http2Error error, string reason)
    {
        if (IsClosed)
            return;
        IsClosed = true;
        if (error != Http2Error.None)
            output.WriteGoAway(0, error); // the server opens no streams, so the last stream is 0
        client.OnClosed(error, reason);
    }

    void IFrameHandler.OnFrame(FrameHeader header, ReadOnlySpan<byte> payload)
    {
        RequireSettingsFirst(header);
        if (blocks.IsOpen != (header.Type == FrameType.Continuation) || (blocks.IsOpen && blocks.StreamId != header.StreamId))
            throw Broken("a frame inside a field block, or CONTINUATION outside one");
        switch (header.Type)
        {
            case FrameType.Headers or FrameType.Continuation:
                RequireOpened(header.StreamId);
                if (blocks.Take(header, payload, out var block))
                    replies.OnFields(blocks, block);
                break;
            case FrameType.Data:
                BeginData(header);
                replies.OnDataBytes(FrameRules.WithoutPadding(header, payload));
                replies.OnDataEnd();
                break;
            case FrameType.WindowUpdate:
                OnWindowUpdate(header, FrameRules.WindowUpdate(header, payload));
                break;
            case FrameType.Settings:
                OnSettings(header, payload);
                break;
            case FrameType.Ping:
                FrameRules.Ping(header);
                if (!header.Has(FrameFlags.Ack))
                    output.WriteFrame(FrameType.Ping, FrameFlags.Ack, 0, payload);
                break;
            case FrameType.RstStream:
                FrameRules.Length(header, 4);
                RequireOpened(header.StreamId);
                if (streams.Find(header.StreamId) is { } stream)
                    replies.End(stream, stream.InTime(CallResult.Failed(FailureKind.Reset)));
                break;
            case FrameType.GoAway:
                var last = FrameRules.GoAway(header, payload);
                isDraining = true;
                client.OnGoAway(last);
                break;
            case FrameType.Priority:
                FrameRules.Priority(header);
                break;
            case FrameType.PushPromise:
                throw Broken("PUSH_PROMISE, which this client has disabled");
            default:
                break; // unknown frames are ignored (RFC 9113, 5.5)
        }
    }

    void IFrameHandler.OnDataBegin(FrameHeader header) => BeginData(header);

    void IFrameHandler.OnDataBytes(ReadOnlySpan<byte> bytes) => replies.OnDataBytes(bytes);

    void IFrameHandler.OnDataEnd() => replies.OnDataEnd();

    private void BeginData(FrameHeader header)
    {
        RequireSettingsFirst(header);
        if (blocks.IsOpen)
            throw Broken("DATA inside a field block");
        RequireOpened(header.StreamId);
        replies.OnDataBegin(header);
    }

    private void OnSettings(FrameHeader header, ReadOnlySpan<byte> payload)
    {
        FrameRules.OnConnection(header);
        if (header.Has(FrameFlags.Ack))
        {
            FrameRules.Length(header, 0);
            return;
        }
        var change = requests.OnSettings(payload);
        if (change != 0)
            client.AdjustWindows(change);
        var wasOpen = sawSettings;
        sawSettings = true;
        output.WriteFrame(FrameType.Settings, FrameFlags.Ack, 0);
        requests.SendBlocked();
        if (wasOpen)
            client.OnRoom(); // the new SETTINGS may allow more streams
        else
            client.OnOpen();
    }

    private void OnWindowUpdate(FrameHeader header, int increment)
    {
        if (header.StreamId == 0)
        {
            requests.OnWindowUpdate(increment);
        }
        else
        {
            RequireOpened(header.StreamId);
            if (streams.Find(header.StreamId) is not { } stream)
                return;
            stream.SendWindow += increment;
            if (increment == 0 || stream.SendWindow > int.MaxValue)
                replies.End(stream, CallResult.Failed(FailureKind.Protocol), FrameRules.WindowError(increment));
        }
        requests.SendBlocked();
    }

    private void CloseIfDrained()
    {
        if (IsDraining && streams.Count == 0)
            Close(Http2Error.None, isDraining ? "the server ended the connection with GOAWAY" : "all stream identifiers are used");
    }

    private void RequireSettingsFirst(FrameHeader header)
    {
        if (!sawSettings && (header.Type != FrameType.Settings || header.Has(FrameFlags.Ack)))
            throw Broken("the server's first frame is not SETTINGS: is it an HTTP/2 server?");
    }

    private void RequireOpened(int streamId)
    {
        // Only the server could open streams with even identifiers, but this client has disabled push. Streams from NextId
        // on were not opened yet.
        if (streamId == 0 || (streamId & 1) == 0 || (requests.NextId != 0 && streamId >= requests.NextId))
            throw Broken("a frame for a stream that was never opened");
    }

    private static Http2Exception Broken(string message) => new(Http2Error.Protocol, message);
}
