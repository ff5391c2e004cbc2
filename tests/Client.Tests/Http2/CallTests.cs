using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Http2;
using static IpcBench.Client.Tests.Http2.Support.Http2Harness;

namespace IpcBench.Client.Tests.Http2;

public class CallTests
{
    [Fact]
    public void A_connection_sends_preface_and_SETTINGS_and_waits_for_the_servers_SETTINGS()
    {
        var harness = new Http2Harness();
        var opening = harness.Connection.OpenAsync(CancellationToken.None);
        var frames = harness.Duplex.TakeFrames();
        Assert.Equal([FrameType.Settings, FrameType.WindowUpdate], frames.Select(frame => frame.Header.Type));
        Assert.False(opening.IsCompleted);
        harness.Duplex.Deliver(Frames.Settings());
        Assert.True(opening.IsCompletedSuccessfully);
        Assert.Equal(new FrameHeader(0, FrameType.Settings, FrameFlags.Ack, 0), Assert.Single(harness.Duplex.TakeFrames()).Header);
    }

    [Fact]
    public void A_request_is_HEADERS_and_DATA_and_later_requests_send_each_header_field_in_one_byte()
    {
        var harness = new Http2Harness().Opened();
        var first = harness.Call();
        var frames = harness.Duplex.TakeFrames();
        Assert.Equal([(FrameType.Headers, 1), (FrameType.Data, 1)], frames.Select(frame => (frame.Header.Type, frame.Header.StreamId)));
        Assert.Equal("00000000020" + "80a", Convert.ToHexStringLower(frames[1].Payload));
        Assert.Equal(FrameFlags.EndStream, frames[1].Header.Flags);
        harness.Duplex.Deliver(Frames.Reply(1, 10));
        IsOk(first);
        var second = harness.Call();
        frames = harness.Duplex.TakeFrames();
        Assert.Equal([(FrameType.Headers, 3), (FrameType.Data, 3)], frames.Select(frame => (frame.Header.Type, frame.Header.StreamId)));
        Assert.Equal(7, frames[0].Payload.Length); // seven fields, a byte each
        harness.Duplex.Deliver(Frames.Reply(3, 10));
        IsOk(second);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(5)]
    [InlineData(10)]
    public void An_answer_that_arrives_in_small_pieces_is_read_correctly(int piece)
    {
        var harness = new Http2Harness(size: 1000).Opened();
        var call = harness.Call();
        foreach (var part in Frames.Reply(1, 1000).Chunk(piece))
            harness.Duplex.Deliver(part);
        IsOk(call);
    }

    [Theory]
    [InlineData("status 13", 13)]
    [InlineData("status 1", 1)]
    [InlineData("unknown status", 17)]
    [InlineData("unknown status", 99)]
    public void A_status_other_than_0_in_the_trailers_is_a_failure(string kind, int status)
    {
        var harness = new Http2Harness().Opened();
        var call = harness.Call();
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. Frames.Data(1, Frames.Message(10)), .. Frames.Trailers(1, status)]);
        Failed(kind, call);
        Assert.True(harness.Connection.IsOpen);
    }

    [Fact]
    public void A_trailers_only_response_with_an_error_status_fails_the_call()
    {
        var harness = new Http2Harness().Opened();
        var call = harness.Call();
        harness.Duplex.Deliver(Frames.Headers(1, true, (":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "12"),
            ("grpc-message", "no")));
        Failed("status 12", call);
    }

    [Theory]
    [InlineData(9)]
    [InlineData(11)]
    [InlineData(0)]
    public void A_payload_of_another_size_than_requested_fails_with_wrong_length(int size)
    {
        var harness = new Http2Harness(size: 10).Opened();
        var call = harness.Call();
        harness.Duplex.Deliver(Frames.Reply(1, size));
        Failed("wrong length", call);
    }

    [Fact]
    public void Each_error_of_an_answer_has_its_kind()
    {
        var harness = new Http2Harness().Opened();
        var id = -1;
        void Expect(string kind, params byte[][] frames)
        {
            var call = harness.Call();
            foreach (var frame in frames)
                harness.Duplex.Deliver(frame);
            Failed(kind, call);
        }
        int Next() => id += 2;
        Expect("http 503", Frames.Headers(Next(), true, (":status", "503")));
        Expect("http 404", Frames.Headers(Next(), false, (":status", "404"), ("content-type", "text/plain")),
            Frames.Data(id, [1, 2, 3], end: true));
        Expect("content type", Frames.Headers(Next(), false, (":status", "200"), ("content-type", "text/html")),
            Frames.Data(id, Frames.Message(10)), Frames.Trailers(id));
        Expect("no status", Frames.ResponseHeaders(Next()), Frames.Data(id, Frames.Message(10), end: true));
        Expect("no status", Frames.ResponseHeaders(Next()), Frames.Data(id, Frames.Message(10)), Frames.Headers(id, true, ("x", "y")));
        Expect("protocol", Frames.ResponseHeaders(Next()), Frames.Data(id, [1, 0, 0, 0, 0]), Frames.Trailers(id));
        Expect("protocol", Frames.ResponseHeaders(Next()), Frames.Data(id, [.. Frames.Message(10), .. Frames.Message(10)]),
            Frames.Trailers(id));
        Expect("wrong length", Frames.ResponseHeaders(Next()), Frames.Trailers(id));
        Expect("unknown status", Frames.ResponseHeaders(Next()), Frames.Data(id, Frames.Message(10)),
            Frames.Headers(id, true, ("grpc-status", "x")));
        Expect("reset", Frames.ResponseHeaders(Next()), Frames.Reset(id, 2));
        Assert.True(harness.Connection.IsOpen);
    }

    [Fact]
    public void A_malformed_response_resets_only_its_stream()
    {
        foreach (var fields in new (string, string)[][]
        {
            [("content-type", "application/grpc")], // no :status
            [(":status", "200"), (":status", "200")],
            [("content-type", "application/grpc"), (":status", "200")], // a pseudo-field after a regular one
            [(":status", "2x0")],
            [(":status", "200"), ("Upper", "case")],
            [(":status", "200"), ("connection", "close")],
            [(":path", "/")],
        })
        {
            var harness = new Http2Harness().Opened();
            var call = harness.Call();
            harness.Duplex.TakeSent();
            harness.Duplex.Deliver(Frames.Headers(1, false, fields));
            Failed("protocol", call);
            var reset = Assert.Single(harness.Duplex.TakeFrames());
            Assert.Equal(FrameType.RstStream, reset.Header.Type);
            Assert.Equal(Frames.Number((uint)Http2Error.Protocol), reset.Payload);
            Assert.True(harness.Connection.IsOpen);
        }
    }

    [Fact]
    public void Informational_headers_before_the_response_are_skipped()
    {
        var harness = new Http2Harness().Opened();
        var call = harness.Call();
        harness.Duplex.Deliver([.. Frames.Headers(1, false, (":status", "103"), ("duplex", "x")), .. Frames.Reply(1, 10)]);
        IsOk(call);
    }

    [Fact]
    public void Answers_of_streams_are_accepted_in_any_order()
    {
        var harness = new Http2Harness(streams: 5).Opened();
        var calls = Enumerable.Range(0, 5).Select(harness.Call).ToList();
        foreach (var stream in new[] { 4, 0, 3, 1, 2 })
        {
            harness.Duplex.Deliver(Frames.Reply(1 + 2 * stream, 10));
            IsOk(calls[stream]);
        }
    }

    [Fact]
    public void An_answer_that_comes_a_thousand_calls_late_still_completes_its_call()
    {
        var harness = new Http2Harness(streams: 2).Opened();
        var slow = harness.Call(0);
        for (var i = 1; i <= 1000; i++)
        {
            var fast = harness.Call(1);
            harness.Duplex.Deliver(Frames.Reply(1 + 2 * i, 10));
            IsOk(fast);
        }
        harness.Duplex.Deliver(Frames.Reply(1, 10));
        IsOk(slow);
    }

    [Fact]
    public void A_late_answer_to_a_cancelled_call_is_ignored_and_its_bytes_are_returned_to_the_window()
    {
        var harness = new Http2Harness(size: 10, window: 65535).Opened();
        var call = harness.Call();
        harness.Duplex.TakeSent();
        harness.Connection.CutOff(long.MaxValue);
        WasCutOff(call);
        Assert.Equal(FrameType.RstStream, Assert.Single(harness.Duplex.TakeFrames()).Header.Type);
        for (var i = 0; i < 5; i++)
            harness.Duplex.Deliver(Frames.Data(1, new byte[10000]));
        var credit = Assert.Single(harness.Duplex.TakeFrames());
        Assert.Equal((FrameType.WindowUpdate, 0), (credit.Header.Type, credit.Header.StreamId));
        var next = harness.Call();
        harness.Duplex.Deliver(Frames.Reply(3, 10));
        IsOk(next);
    }
}
