using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Http2;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Http2;
using static IpcBench.Client.Tests.Http2.Support.Http2Harness;

namespace IpcBench.Client.Tests.Http2;

/// <summary>Checks streams of a user's own method against scripted servers. Only the lengths separate messages.</summary>
public class CalledStreamTests
{
    [Fact]
    public void Given_messages_are_sent_in_turn_and_each_call_ends_with_its_answer()
    {
        var harness = Opened(Flow.Both, messages: 0, "a", "bb", "");
        foreach (var (sent, answered) in ((string, int)[])[("a", 3), ("bb", 0), ("", 100_000), ("a", 1)])
        {
            var call = Call(harness);
            var frame = harness.Duplex.TakeFrames()[^1];
            Is(FrameFlags.None, sent, frame);
            if (answered == 3)
                harness.Duplex.Deliver(Frames.ResponseHeaders(1));
            var answer = Message(new string('x', answered));
            foreach (var part in answer.Chunk(16_000))
            {
                Assert.False(call.IsCompleted);
                harness.Duplex.Deliver(Frames.Data(1, part));
            }
            IsOk(call, answered);
        }
        var end = harness.Connection.Streams[0].EndAsync(1).AsTask();
        harness.Duplex.Deliver(Frames.Trailers(1));
        IsOk(end);
    }

    [Fact]
    public void After_the_server_has_ended_a_stream_the_next_message_comes_on_a_new_stream()
    {
        var harness = Opened(Flow.In, messages: 0, "a", "bb");
        var call = Call(harness);
        var opened = harness.Duplex.TakeFrames();
        Is(FrameFlags.EndStream, "a", opened[^1]);
        // Two messages and the beginning of a third in one piece.
        byte[] bytes = [.. Message("one"), .. Message(""), .. Message("3")[..2]];
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. Frames.Data(1, bytes)]);
        IsOk(call, 3);
        Assert.Null(((IOneWayStream)harness.Connection.Streams[0]).DueNs(1));
        call = Call(harness);
        Assert.False(call.IsCompleted); // a message that arrived while no call waited is not kept
        harness.Duplex.Deliver(Frames.Data(1, Message("3")[2..]));
        IsOk(call, 1);
        call = Call(harness);
        Assert.Empty(harness.Duplex.TakeFrames());
        harness.Duplex.Deliver(Frames.Trailers(1));
        opened = harness.Duplex.TakeFrames();
        Assert.Equal(3, opened[0].Header.StreamId);
        Is(FrameFlags.EndStream, "bb", opened[^1]);
        Assert.False(call.IsCompleted);
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(3), .. Frames.Data(3, Message("four"))]);
        IsOk(call, 4);
        harness.Duplex.Deliver(Frames.Trailers(3));
        IsOk(harness.Connection.Streams[0].EndAsync(1).AsTask()); // the stream has already ended
    }

    [Fact]
    public void Pushed_messages_count_when_written_but_only_if_the_method_succeeds()
    {
        var harness = Opened(Flow.Out, messages: 2, "a", "bb");
        var stream = (IOneWayStream)harness.Connection.Streams[0];
        IsOk(harness.Connection.Streams[0].CallAsync(5_000_000_000).AsTask(), 1);
        var last = harness.Connection.Streams[0].CallAsync(5_004_000_000).AsTask();
        var frames = harness.Duplex.TakeFrames();
        Is(FrameFlags.EndStream, "bb", frames[^1]);
        Assert.Null(stream.TakeReceipt());
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. Frames.Data(1, Message("any")), .. Frames.Trailers(1)]);
        IsOk(last, 2);
        var receipt = stream.TakeReceipt()!;
        Assert.Equal((2, 0, 1, 1), (receipt.Slots.Sum(), receipt.Latency.Count, receipt.Slots[0], receipt.Slots[^1]));
        Assert.InRange((receipt.Slots.Count - 1) * receipt.SlotNs, 3_000_000, 4_100_000);
    }

    [Fact]
    public void The_reply_to_pushed_messages_may_be_longer_than_a_report_of_this_tools_server()
    {
        var harness = Opened(Flow.Out, messages: 1, "a");
        var call = Call(harness);
        harness.Duplex.TakeFrames();
        harness.Duplex.Deliver(Frames.ResponseHeaders(1));
        foreach (var part in Message(new string('x', 2_000_000)).Chunk(16_000))
            harness.Duplex.Deliver(Frames.Data(1, part));
        harness.Duplex.Deliver(Frames.Trailers(1));
        IsOk(call, 1);
    }

    [Theory]
    [InlineData("both", "compressed", "protocol")]
    [InlineData("both", "two", "unasked message")]
    [InlineData("both", "trailers", "ended early")]
    [InlineData("both", "status", "status 7")]
    [InlineData("both", "half-closed", "no status")]
    [InlineData("in", "compressed", "protocol")]
    [InlineData("in", "trailers", "no message")]
    [InlineData("in", "cut inside", "wrong length")]
    [InlineData("in", "status", "status 7")]
    [InlineData("in", "half-closed", "no status")]
    [InlineData("out", "trailers", "ended early")]
    [InlineData("out", "status", "status 7")]
    public void A_failed_stream_is_a_failure_and_the_next_message_opens_a_new_stream(string way, string how, string kind)
    {
        var harness = Opened(way switch { "in" => Flow.In, "out" => Flow.Out, _ => Flow.Both }, messages: 0, "a");
        var call = Call(harness);
        harness.Duplex.TakeSent();
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. how switch
        {
            "compressed" => Frames.Data(1, [1, 0, 0, 0, 1, 5]),
            "two" => Frames.Data(1, [.. Message("x"), .. Message("y")]),
            "cut inside" => [.. Frames.Data(1, Message("four")[..7]), .. Frames.Trailers(1)],
            "half-closed" => Frames.Data(1, [], end: true),
            "status" => Frames.Trailers(1, 7),
            _ => Frames.Trailers(1),
        }]);
        if (how == "two" || way == "out")
        {
            IsOk(call);
            call = Call(harness); // the failure of the stream is reported with its next message
        }
        Failed(kind, call);
        harness.Duplex.TakeSent();
        call = Call(harness);
        Assert.Equal(FrameType.Headers, harness.Duplex.TakeFrames()[0].Header.Type);
        Assert.Equal(way == "out", call.IsCompleted);
    }

    [Theory]
    [InlineData("both", "503", "application/grpc", "http 503")]
    [InlineData("in", "503", "application/grpc", "http 503")]
    [InlineData("out", "503", "application/grpc", "http 503")]
    [InlineData("both", "200", "text/html", "content type")]
    [InlineData("in", "200", "text/html", "content type")]
    [InlineData("out", "200", "text/html", "content type")]
    public void Messages_after_headers_with_a_failure_do_not_count(string way, string status, string type, string kind)
    {
        var harness = Opened(way switch { "in" => Flow.In, "out" => Flow.Out, _ => Flow.Both }, messages: 0, "a");
        var call = Call(harness);
        harness.Duplex.TakeSent();
        harness.Duplex.Deliver(
        [
            .. Frames.Headers(1, false, (":status", status), ("content-type", type)), .. Frames.Data(1, Message("one")),
            .. Frames.Data(1, Message("two")), .. Frames.Trailers(1),
        ]);
        if (way == "out")
        {
            IsOk(call); // written before the headers came
            call = Call(harness);
        }
        Failed(kind, call);
        Assert.Null(way == "both" ? null : ((IOneWayStream)harness.Connection.Streams[0]).TakeReceipt());
        Assert.Equal(FrameType.RstStream, Assert.Single(harness.Duplex.TakeFrames()).Header.Type);
    }

    [Fact]
    public async Task An_answer_that_was_read_before_its_message_was_sent_is_a_failure()
    {
        var harness = Opened(Flow.Both, messages: 0, "a");
        var results = new List<CallResult>();
        async Task RunAsync()
        {
            for (var number = 0; number < 3; number++)
                results.Add(await harness.Connection.Streams[0].CallAsync(1));
        }
        var calls = RunAsync();
        // The client still reads these bytes when it sends the second message.
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. Frames.Data(1, [.. Message("x"), .. Message("y")])]);
        Assert.Equal((true, "unasked message"), (results[0].IsOk, results[1].Kind));
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(3), .. Frames.Data(3, Message("z"))]);
        await calls;
        Assert.True(results[2].IsOk);
    }

    [Fact]
    public void A_GOAWAY_that_refuses_an_already_answered_stream_is_a_protocol_failure()
    {
        foreach (var flow in (Flow[])[Flow.Both, Flow.In])
        {
            var harness = Opened(flow, messages: 0, "a");
            var call = Call(harness);
            harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. Frames.Data(1, Message("x"))]);
            IsOk(call);
            call = Call(harness);
            harness.Duplex.Deliver(Frames.GoAway(0));
            Failed("protocol", call);
        }
    }

    [Theory]
    [InlineData("both")]
    [InlineData("in")]
    public void The_first_message_of_each_window_is_compared_with_the_expected_message(string way)
    {
        var harness = Opened(way == "in" ? Flow.In : Flow.Both, messages: 0, "a");
        var call = Call(harness);
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. Frames.Data(1, Message("right"))]);
        IsOk(call);
        call = Call(harness);
        harness.Duplex.Deliver(Frames.Data(1, Message("wrong"))); // not checked
        IsOk(call);
        harness.Connection.OnWindow();
        call = Call(harness);
        harness.Duplex.Deliver(Frames.Data(1, Message("wro")[..6]));
        harness.Duplex.Deliver(Frames.Data(1, Message("wro")[6..]));
        Failed("not as expected", call);
    }

    private static Http2Harness Opened(Flow flow, long messages, params string[] bodies) => new Http2Harness(new Http2Options
    {
        Request = Http2Request.Grpc("localhost", tls: false, "/a.B/C", bodies.Select(System.Text.Encoding.ASCII.GetBytes)),
        Size = 1,
        Reply = ReplyKind.Any,
        IsStream = true,
        IsUserMethod = true,
        Flow = flow,
        Messages = messages,
        Streams = 1,
        Expect = message => message.AsSpan().StartsWith("wro"u8) ? "it is wrong" : null,
    }).Opened((4, int.MaxValue));

    private static void Is(FrameFlags flags, string text, (FrameHeader Header, byte[] Payload) frame)
    {
        Assert.Equal(flags, frame.Header.Flags);
        Assert.Equal(Message(text), frame.Payload);
    }

    private static byte[] Message(string text) => GrpcFraming.Frame(System.Text.Encoding.ASCII.GetBytes(text));

    private static Task<CallResult> Call(Http2Harness harness) => harness.Connection.Streams[0].CallAsync(1).AsTask();
}
