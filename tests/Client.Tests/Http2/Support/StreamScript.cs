using Google.Protobuf;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Http2;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Http2;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Tests.Http2.Support;

/// <summary>Helpers for streams of messages against a scripted server.</summary>
internal static class StreamScript
{
    public static Http2Options Options(int size = 10, Flow flow = Flow.Both) => new()
    {
        Request = Http2Request.Payload("localhost", tls: false, "/a.B/C", flow == Flow.In ? 0 : size),
        Size = size,
        IsStream = true,
        Flow = flow,
        Streams = 1,
    };

    /// <summary>Takes what the client has sent: the number of HEADERS frames, the message, and whether the stream ends.</summary>
    public static (int Headers, Payload Message, bool Ends) Sent(Http2Harness harness)
    {
        var frames = harness.Duplex.TakeFrames().Where(frame => frame.Header.Type is FrameType.Data or FrameType.Headers).ToList();
        Assert.All(frames.SkipLast(1), frame => Assert.False(frame.Header.Has(FrameFlags.EndStream)));
        return (frames.Count(frame => frame.Header.Type == FrameType.Headers), Read(frames), frames[^1].Header.Has(FrameFlags.EndStream));
    }

    /// <summary>Reads the only message of these frames.</summary>
    public static Payload Read(IEnumerable<(FrameHeader Header, byte[] Payload)> frames)
    {
        byte[] bytes = [.. frames.Where(frame => frame.Header.Type == FrameType.Data).SelectMany(frame => frame.Payload)];
        GrpcFraming.ReadPrefix(bytes, out _, out var length);
        Assert.Equal(bytes.Length - GrpcFraming.PrefixLength, (int)length);
        return Payload.Parser.ParseFrom(bytes.AsSpan(GrpcFraming.PrefixLength));
    }

    /// <summary>Makes a message with its prefix.</summary>
    public static byte[] Message(uint number, ulong stamp, int size = 10)
    {
        var message = PayloadFrame.ForSize(size);
        PayloadFrame.Number(message, stamp, number);
        return message;
    }

    /// <summary>Makes the right answer to a message, except for the given values.</summary>
    public static byte[] Answer(Payload message, uint? sequence = null, ulong? stamp = null, int? size = null) =>
        Message(sequence ?? message.Sequence, stamp ?? message.Stamp, size ?? message.Payload_.Length);

    /// <summary>Makes the receipt of a server that has received so many messages, each after 7 ns.</summary>
    public static byte[] Told(int messages, long beginNs, int size = 10) => GrpcFraming.Frame(new Received
    {
        Bytes = size * messages,
        Messages = messages,
        Arrivals = new Arrivals { BeginNs = beginNs, SlotNs = 1000, Slots = { messages }, LatencyNs = { 7 }, LatencyCount = { messages } },
    }.ToByteArray());

    /// <summary>Makes a server that answers each message in a forbidden way.</summary>
    public static FakeServer Hostile(string how)
    {
        var wrong = Message(7, 1);
        return new FakeServer
        {
            AnswersFrames = true,
            Greeting = how == "no window" ? Frames.Settings((Http2Harness.InitialWindow, 0)) : Frames.Settings(),
            Answer = (stream, _) => how switch
            {
                "endless" => [.. Frames.ResponseHeaders(stream), .. Enumerable.Range(0, 500).SelectMany(_ => Frames.Data(stream, wrong))],
                "reset inside" => [.. Frames.ResponseHeaders(stream), .. Frames.Data(stream, wrong[..9]), .. Frames.Reset(stream, 2)],
                "half-closed" => [.. Frames.ResponseHeaders(stream), .. Frames.Data(stream, [], end: true)],
                "after trailers" => [.. Frames.ResponseHeaders(stream), .. Frames.Trailers(stream), .. Frames.Data(stream, wrong)],
                "goodbye" => [.. Frames.ResponseHeaders(stream), .. Frames.GoAway(0, 2), .. Frames.Settings((2, 9))],
                _ => [],
            },
        };
    }
}
