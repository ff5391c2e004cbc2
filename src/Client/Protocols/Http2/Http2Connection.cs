using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Http2;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>
/// HTTP/2 on one open link, from the preface to its end: a client's whole part of RFC 9113 in terms of bytes in and bytes out.
/// It knows nothing of sockets and threads; <see cref="Http2Client"/> sees to it that one thread at a time is in here.
/// </summary>
internal sealed partial class Http2Connection : IFrameHandler
{
    private const int LargestId = int.MaxValue;
    private const int MostUnsent = 4 * 1024 * 1024;

    private static ReadOnlySpan<byte> Preface => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8;

    private readonly ISessionOwner owner;
    private readonly Http2Request request;
    private readonly long size;
    private readonly OutputBuffer output;
    private readonly FrameReader reader;
    private readonly StreamTable streams;
    private readonly HpackDecoder decoder = new(HeaderBlocks.TableSize);
    private readonly HeaderBlocks blocks = new();
    private readonly ReceiveWindow receiving;
    private readonly PeerSettings peer;
    private readonly FieldEncoder fields;
    private readonly List<Http2Stream> blocked = [];
    private Http2Stream? dataStream;
    private FrameHeader dataFrame;
    private long sendWindow = 65535;
    private int nextId;
    private bool sawSettings;

    public Http2Connection(ISessionOwner owner, Http2Options options, OutputBuffer output)
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

    /// <summary>The server's SETTINGS_MAX_CONCURRENT_STREAMS.</summary>
    public long StreamsAllowed => peer.MaxConcurrentStreams;

    /// <summary>A call can be sent now.</summary>
    public bool IsReady => IsOpen && streams.Count < peer.MaxConcurrentStreams && nextId > 0;

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

    /// <summary>Gives a call up and tells the server so.</summary>
    public void Cancel(Http2Stream stream, CallResult result)
    {
        Reset(stream, Http2Error.Cancel, result);
        CloseIfDrained();
    }

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

    private void CloseIfDrained()
    {
        if (IsDraining && streams.Count == 0)
            Close(Http2Error.None, "the server said goodbye");
    }

    private void Finish(Http2Stream stream, bool endedByHeaders)
    {
        if (stream.Unsent > 0)
        {
            // Answered before all was asked (RFC 9113, 8.1): the rest is of no use to anybody.
            blocked.Remove(stream);
            WriteReset(stream.Id, Http2Error.Cancel);
        }
        End(stream, stream.Conclude(size, endedByHeaders));
    }

    private void Reset(Http2Stream stream, Http2Error error, CallResult result)
    {
        WriteReset(stream.Id, error);
        End(stream, result);
    }

    private void End(Http2Stream stream, CallResult result)
    {
        if (stream.Unsent > 0)
            blocked.Remove(stream);
        if (ReferenceEquals(dataStream, stream))
            dataStream = null;
        streams.Remove(stream.Id);
        stream.Complete(result);
        owner.OnStreamEnded();
    }

    /// <summary>Takes a call back that the server has not begun; it may be sent on another connection.</summary>
    public void Withdraw(Http2Stream stream)
    {
        if (stream.Unsent > 0)
            blocked.Remove(stream);
        streams.Remove(stream.Id);
        stream.Id = 0;
    }
}
