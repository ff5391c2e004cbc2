using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Http2;
using static IpcBench.Client.Tests.Http2.Support.Http2Harness;

namespace IpcBench.Client.Tests.Http2;

/// <summary>Checks HTTP/2 without gRPC: a status and a number of bytes.</summary>
public class BareCallTests
{
    [Fact]
    public void A_request_is_one_frame_and_a_reply_needs_no_trailers()
    {
        var harness = new Http2Harness(size: 10, isBare: true).Opened();
        foreach (var id in (int[])[1, 3, 5])
        {
            var call = harness.Call();
            var frame = Assert.Single(harness.Duplex.TakeFrames());
            Assert.Equal((FrameType.Headers, id, FrameFlags.EndHeaders | FrameFlags.EndStream),
                (frame.Header.Type, frame.Header.StreamId, frame.Header.Flags));
            harness.Duplex.Deliver([.. Frames.Headers(id, end: false, (":status", "200")), .. Frames.Data(id, new byte[4]),
                .. Frames.Data(id, new byte[6], end: true)]);
            IsOk(call);
        }
    }

    [Fact]
    public void An_empty_reply_that_ends_with_its_headers_is_correct()
    {
        var harness = new Http2Harness(size: 0, isBare: true).Opened();
        var call = harness.Call();
        harness.Duplex.Deliver(Frames.Headers(1, end: true, (":status", "200")));
        IsOk(call);
    }

    [Fact]
    public void An_empty_reply_without_headers_is_a_failure()
    {
        var harness = new Http2Harness(size: 0, isBare: true).Opened();
        var call = harness.Call();
        harness.Duplex.Deliver(Frames.Data(1, [], end: true));
        Failed("protocol", call);
    }

    [Theory]
    [InlineData(9)]
    [InlineData(11)]
    [InlineData(0)]
    public void A_reply_of_another_length_than_requested_fails_with_wrong_length(int bytes)
    {
        var harness = new Http2Harness(size: 10, isBare: true).Opened();
        var call = harness.Call();
        harness.Duplex.Deliver([.. Frames.Headers(1, end: false, (":status", "200")), .. Frames.Data(1, new byte[bytes], end: true)]);
        Failed("wrong length", call);
    }

    [Theory]
    [InlineData("404")]
    [InlineData("500")]
    public void A_status_other_than_200_is_a_failure_even_with_a_right_body(string status)
    {
        var harness = new Http2Harness(size: 10, isBare: true).Opened();
        var call = harness.Call();
        harness.Duplex.Deliver([.. Frames.Headers(1, end: false, (":status", status)), .. Frames.Data(1, new byte[10], end: true)]);
        Failed("http " + status, call);
    }

    [Fact]
    public void A_reset_ends_the_call_and_not_the_connection()
    {
        var harness = new Http2Harness(size: 10, isBare: true).Opened();
        var call = harness.Call();
        harness.Duplex.Deliver(Frames.Reset(1, 2));
        Failed("reset", call);
        var next = harness.Call();
        harness.Duplex.Deliver([.. Frames.Headers(3, end: false, (":status", "200")), .. Frames.Data(3, new byte[10], end: true)]);
        IsOk(next);
    }
}
