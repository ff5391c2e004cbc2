using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Http2;
using static IpcBench.Client.Tests.Http2.Support.Http2Harness;

namespace IpcBench.Client.Tests.Http2;

public class FlowControlTests
{
    [Fact]
    public void A_request_waits_for_the_streams_window()
    {
        var harness = new Http2Harness().Opened((4, 0));
        var call = harness.Call();
        Assert.Equal(FrameType.Headers, Assert.Single(harness.Duplex.TakeFrames()).Header.Type);
        harness.Duplex.Deliver(Frames.WindowUpdate(1, 3));
        var part = Assert.Single(harness.Duplex.TakeFrames());
        Assert.Equal((3, FrameFlags.None), (part.Payload.Length, part.Header.Flags));
        harness.Duplex.Deliver(Frames.Settings((4, 2))); // applies to open streams
        part = harness.Duplex.TakeFrames().Single(frame => frame.Header.Type == FrameType.Data);
        Assert.Equal((2, FrameFlags.None), (part.Payload.Length, part.Header.Flags));
        harness.Duplex.Deliver(Frames.Settings((4, 0))); // now the window is negative
        harness.Duplex.Deliver(Frames.WindowUpdate(1, 2));
        Assert.DoesNotContain(harness.Duplex.TakeFrames(), frame => frame.Header.Type == FrameType.Data);
        harness.Duplex.Deliver(Frames.WindowUpdate(1, 100));
        part = Assert.Single(harness.Duplex.TakeFrames());
        Assert.Equal((2, FrameFlags.EndStream), (part.Payload.Length, part.Header.Flags));
        harness.Duplex.Deliver(Frames.Reply(1, 10));
        IsOk(call);
    }

    [Fact]
    public void Requests_wait_for_the_connections_window()
    {
        var harness = new Http2Harness().Opened((4, int.MaxValue));
        var sent = 0;
        var id = 1;
        while (sent + 7 <= 65535) // each request has 7 bytes of DATA
        {
            var call = harness.Call();
            sent += harness.Duplex.TakeFrames()[1].Payload.Length;
            harness.Duplex.Deliver(Frames.Reply(id, 10));
            IsOk(call);
            id += 2;
        }
        var waiting = harness.Call();
        Assert.Equal(65535 - sent, harness.Duplex.TakeFrames().Skip(1).Sum(frame => frame.Payload.Length));
        harness.Duplex.Deliver(Frames.WindowUpdate(0, 1000));
        Assert.Equal(FrameFlags.EndStream, Assert.Single(harness.Duplex.TakeFrames()).Header.Flags);
        harness.Duplex.Deliver(Frames.Reply(id, 10));
        IsOk(waiting);
    }

    [Fact]
    public void A_whole_request_is_subtracted_from_its_streams_window()
    {
        var harness = new Http2Harness().Opened((4, int.MaxValue));
        for (var id = 1; id <= 3; id += 2) // the second request has its fields as indices and is sent in one piece
        {
            var call = harness.Call();
            var sent = harness.Duplex.TakeFrames().Where(frame => frame.Header.Type == FrameType.Data).Sum(frame => frame.Payload.Length);
            harness.Duplex.Deliver(Frames.WindowUpdate(id, (uint)sent)); // back to 2^31-1, not beyond
            harness.Duplex.Deliver(Frames.Reply(id, 10));
            IsOk(call);
        }
    }

    [Fact]
    public void An_answer_that_arrives_before_the_whole_request_is_sent_ends_the_call()
    {
        var harness = new Http2Harness().Opened((4, 0));
        var call = harness.Call();
        harness.Duplex.TakeSent();
        harness.Duplex.Deliver(Frames.Headers(1, true, (":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "8")));
        Failed("status 8", call);
        Assert.Equal(FrameType.RstStream, Assert.Single(harness.Duplex.TakeFrames()).Header.Type);
        harness.Duplex.Deliver(Frames.WindowUpdate(1, 100));
        Assert.Empty(harness.Duplex.TakeSent());
    }

    [Fact]
    public void Received_bytes_are_returned_to_the_windows_of_the_stream_and_the_connection()
    {
        var harness = new Http2Harness(size: 300_000, window: 65535).Opened();
        var call = harness.Call();
        harness.Duplex.TakeSent();
        var message = Frames.Message(300_000);
        long stream = 65535, connection = 65535;
        harness.Duplex.Deliver(Frames.ResponseHeaders(1));
        foreach (var piece in message.Chunk(16384))
        {
            (stream, connection) = (stream - piece.Length, connection - piece.Length);
            Assert.True(stream >= 0 && connection >= 0, "a server that honours the windows would be stuck");
            harness.Duplex.Deliver(Frames.Data(1, piece));
            foreach (var (header, payload) in harness.Duplex.TakeFrames())
            {
                Assert.Equal(FrameType.WindowUpdate, header.Type);
                var credit = System.Buffers.Binary.BinaryPrimitives.ReadInt32BigEndian(payload);
                (stream, connection) = header.StreamId == 0 ? (stream, connection + credit) : (stream + credit, connection);
            }
        }
        harness.Duplex.Deliver(Frames.Trailers(1));
        IsOk(call);
    }

    [Fact]
    public void No_more_streams_are_opened_than_the_server_allows()
    {
        var harness = new Http2Harness(streams: 3).Opened((3, 2));
        var first = harness.Call(0);
        var second = harness.Call(1);
        Assert.False(harness.Connection.IsReady);
        var waiting = harness.Connection.Streams[2].ReadyAsync().AsTask();
        Assert.False(waiting.IsCompleted);
        harness.Duplex.Deliver(Frames.Reply(3, 10));
        IsOk(second);
        Says(true, waiting);
        var third = harness.Call(2);
        harness.Duplex.Deliver([.. Frames.Reply(1, 10), .. Frames.Reply(5, 10)]);
        IsOk(first);
        IsOk(third);
    }

    [Fact]
    public void A_call_that_waits_for_a_stream_is_released_when_the_load_ends()
    {
        var harness = new Http2Harness().Opened((3, 0));
        var waiting = harness.Connection.Streams[0].ReadyAsync().AsTask();
        Assert.False(waiting.IsCompleted);
        harness.Connection.SetAccepting(false);
        Says(false, waiting);
        Says(false, harness.Connection.Streams[0].ReadyAsync().AsTask());
    }
}
