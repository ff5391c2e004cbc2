using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Http2;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>Receives the replies of one HTTP/2 connection, their fields and DATA, and ends each call after its reply.</summary>
internal sealed class ReplyReceiver(
    ReconnectingHttp2Connection client, Http2Options options, StreamTable streams, RequestSender requests, OutputBuffer output)
{
    private readonly HpackDecoder decoder = new(HeaderBlocks.TableSize);
    private readonly ReceiveWindow window = new(options.Window);
    private Http2Stream? dataStream;
    private FrameHeader dataFrame;

    /// <summary>Objects to prefetch, since the next reply uses them.</summary>
    public object[] NeededSoon => [decoder, window];

    /// <summary>Writes our SETTINGS and the connection's window.</summary>
    public void WriteSettings() => window.WriteSettings(output);

    /// <summary>Sends a WINDOW_UPDATE for the connection when enough bytes have been received.</summary>
    public void CreditConnection() => window.CreditConnection(output);

    /// <summary>Takes a whole field block.</summary>
    /// <exception cref="HpackException">The block cannot be decoded.</exception>
    /// <exception cref="Http2Exception">The server answers a request that it cannot have received.</exception>
    public void OnFields(HeaderBlocks from, ReadOnlySpan<byte> block)
    {
        // The block is decoded even if no call waits for it, since the dynamic table must stay equal to the server's table
        // (RFC 9113, 4.3).
        var decoded = decoder.Decode(block);
        if (streams.Find(from.StreamId) is not { } stream)
            return;
        if (!client.HadSent(stream.OpenedAt))
            throw new Http2Exception(Http2Error.Protocol, "an answer to a request that was not sent yet");
        if (!stream.OnHeaders(decoded, from.EndsStream))
        {
            End(stream, CallResult.Failed(FailureKind.Protocol), Http2Error.Protocol);
        }
        else if (from.EndsStream)
        {
            if (decoded.GrpcStatus > 0)
                Note(Http2Stream.KindOf(decoded.GrpcStatus));
            Conclude(stream, endedByHeaders: true);
        }
        else if (stream.EndsWithFailure)
        {
            End(stream, stream.InTime(CallResult.Failed(stream.Failure!)), Http2Error.Cancel);
        }
    }

    /// <summary>Called when a DATA frame of an opened stream begins.</summary>
    /// <exception cref="Http2Exception">The frame exceeds a window.</exception>
    public void OnDataBegin(FrameHeader header)
    {
        (dataFrame, dataStream) = (header, streams.Find(header.StreamId));
        window.Take(header.Length);
        if (dataStream is not null)
            window.Take(header.Length, ref dataStream.Uncredited);
    }

    public void OnDataBytes(ReadOnlySpan<byte> bytes)
    {
        if (dataStream is { } stream && stream.OnData(bytes) is { } failure)
            End(stream, CallResult.Failed(failure), Http2Error.Cancel);
    }

    public void OnDataEnd()
    {
        if (dataStream is not { } stream)
            return;
        dataStream = null;
        if (dataFrame.Has(FrameFlags.EndStream))
            Conclude(stream, endedByHeaders: false);
        else
            window.CreditStream(stream.Id, ref stream.Uncredited, output);
    }

    /// <param name="reset">The error of RST_STREAM. With <see cref="Http2Error.None"/> the stream is not reset.</param>
    public void End(Http2Stream stream, CallResult result, Http2Error reset = Http2Error.None)
    {
        if (reset != Http2Error.None)
            output.WriteReset(stream.Id, reset);
        requests.Forget(stream);
        if (ReferenceEquals(dataStream, stream))
            dataStream = null;
        streams.Remove(stream.Id);
        stream.Id = 0;
        stream.Ended(result);
        client.OnRoom();
    }

    /// <summary>Keeps the server's message about a failure, if it is the first of its kind.</summary>
    private void Note(string kind)
    {
        if (!decoder.Message.IsEmpty && !options.Notes.Has(kind))
            options.Notes.Add(kind, GrpcStatus.DecodeMessage(decoder.Message));
    }

    /// <summary>Ends a stream whose reply is complete.</summary>
    private void Conclude(Http2Stream stream, bool endedByHeaders) =>
        // If the server answered before it got the whole request (RFC 9113, 8.1), the rest of the request is not sent.
        End(stream, stream.Conclude(endedByHeaders), stream.IsSent ? Http2Error.None : Http2Error.Cancel);
}
