using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Http2;
using static IpcBench.Client.Tests.Http2.Support.Http2Harness;
using static IpcBench.Client.Tests.Http2.Support.StreamScript;

namespace IpcBench.Client.Tests.Http2;

/// <summary>Checks messages on an open stream: the bytes on the wire, right answers, and how such a stream may end.</summary>
public class PingPongTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(10)]
    [InlineData(16_360)]
    [InlineData(50_000)]
    public void Messages_of_a_stream_are_numbered_and_each_call_ends_with_its_answer(int size)
    {
        var harness = WithRoom(Options(size));
        for (var number = 0; number < 5; number++)
        {
            var call = harness.Call();
            var (headers, message, ends) = Sent(harness);
            Assert.Equal((number == 0 ? 1 : 0, (uint)number, size, false), (headers, message.Sequence, message.Payload_.Length, ends));
            Assert.NotEqual(0u, message.Stamp);
            var answer = Answer(message);
            if (number == 0)
                harness.Duplex.Deliver(Frames.ResponseHeaders(1));
            foreach (var part in answer.Chunk(7_001))
            {
                Assert.False(call.IsCompleted);
                harness.Duplex.Deliver(Frames.Data(1, part));
            }
            IsOk(call, size);
        }
        var end = harness.End();
        var last = Assert.Single(harness.Duplex.TakeFrames());
        Assert.Equal((FrameType.Data, FrameFlags.EndStream, 0), (last.Header.Type, last.Header.Flags, last.Payload.Length));
        Assert.False(end.IsCompleted);
        harness.Duplex.Deliver(Frames.Trailers(1));
        IsOk(end);
        Assert.True(harness.Connection.IsOpen);
    }

    [Theory]
    [InlineData("lost", "wrong sequence")]
    [InlineData("doubled", "wrong sequence")]
    [InlineData("stale", "wrong sequence")]
    [InlineData("short", "wrong length")]
    [InlineData("endless", "wrong length")]
    [InlineData("broken", "protocol")]
    [InlineData("trailers", "ended early")]
    [InlineData("status", "status 15")]
    [InlineData("cut", "wrong length")]
    [InlineData("no trailers", "no status")]
    [InlineData("reset", "reset")]
    [InlineData("gone", "connection lost")]
    public void A_wrong_answer_fails_its_message_and_the_next_message_opens_a_stream(string how, string kind)
    {
        var harness = WithRoom(Options());
        var call = harness.Call();
        var first = Sent(harness).Message;
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. Frames.Data(1, Answer(first))]);
        IsOk(call);
        call = harness.Call();
        var second = Sent(harness).Message;
        byte[] head = Answer(second)[..20];
        byte[] said = how switch
        {
            "lost" => Frames.Data(1, Answer(second, sequence: 2)),
            "doubled" => Frames.Data(1, Answer(first)),
            "stale" => Frames.Data(1, Answer(second, stamp: second.Stamp + 1)),
            "short" => Frames.Data(1, Answer(second, size: 9)),
            "endless" => Frames.Data(1, [0, 0x7F, 0xFF, 0xFF, 0xFF, 26]),
            "broken" => Frames.Data(1, [1, 0, 0, 0, 0]),
            "trailers" => Frames.Trailers(1),
            "status" => Frames.Trailers(1, 15),
            "cut" => [.. Frames.Data(1, head), .. Frames.Trailers(1)],
            "no trailers" => Frames.Data(1, [], end: true),
            "reset" => [.. Frames.Data(1, head), .. Frames.Reset(1, 8)],
            _ => [],
        };
        if (how == "gone")
            harness.Duplex.End();
        else
            harness.Duplex.Deliver(said);
        Failed(kind, call);
        if (how == "gone")
            harness.Duplex.Deliver(Frames.Settings((InitialWindow, int.MaxValue)));
        else if (how != "reset")
            Assert.Equal(FrameType.RstStream, Assert.Single(harness.Duplex.TakeFrames()).Header.Type);
        // Frames of the old stream are ignored.
        if (how != "gone")
            harness.Duplex.Deliver([.. Frames.Data(1, Answer(second)), .. Frames.Trailers(1)]);
        call = harness.Call();
        var (headers, message, _) = Sent(harness);
        Assert.Equal((1, 0u), (headers, message.Sequence));
        var id = how == "gone" ? 1 : 3;
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(id), .. Frames.Data(id, Answer(message))]);
        IsOk(call);
    }

    [Theory]
    [InlineData("reset")]
    [InlineData("ended early")]
    [InlineData("unasked message")]
    [InlineData("status 13")]
    public void The_failure_of_an_idle_stream_is_reported_with_the_next_message_or_at_the_end(string kind)
    {
        foreach (var atEnd in new[] { false, true })
        {
            var harness = WithRoom(Options());
            var call = harness.Call();
            var message = Sent(harness).Message;
            harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. Frames.Data(1, Answer(message))]);
            IsOk(call);
            harness.Duplex.Deliver(kind switch
            {
                "reset" => Frames.Reset(1, 2),
                "ended early" => Frames.Trailers(1),
                "status 13" => Frames.Trailers(1, 13),
                _ => Frames.Data(1, Answer(message)),
            });
            Failed(kind, atEnd ? harness.End() : harness.Call());
            harness.Duplex.TakeSent();
            call = harness.Call();
            Assert.Equal(1, Sent(harness).Headers);
            Assert.False(call.IsCompleted);
        }
    }

    [Theory]
    [InlineData("status 15")]
    [InlineData("unasked message")]
    [InlineData("reset")]
    [InlineData("cut off")]
    public void A_stream_that_ends_with_an_error_is_a_failure(string kind)
    {
        var harness = WithRoom(Options());
        var call = harness.Call();
        var message = Sent(harness).Message;
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. Frames.Data(1, Answer(message))]);
        IsOk(call);
        harness.Connection.SetAccepting(false);
        Says(false, harness.Connection.Streams[0].ReadyAsync().AsTask());
        var end = harness.End();
        if (kind == "cut off")
            harness.Connection.CutOff(long.MaxValue);
        else
            harness.Duplex.Deliver(kind switch
            {
                "status 15" => Frames.Trailers(1, 15),
                "reset" => Frames.Reset(1, 2),
                _ => Frames.Data(1, Answer(message, sequence: 1)),
            });
        if (kind == "cut off")
            WasCutOff(end);
        else
            Failed(kind, end);
    }

    [Fact]
    public void A_stream_ends_after_its_number_of_messages_and_a_new_stream_opens()
    {
        var harness = new Http2Harness(Options() with { Messages = 3 }).Opened((InitialWindow, int.MaxValue));
        for (var number = 0; number < 9; number++)
        {
            var (id, isLast) = (1 + number / 3 * 2, number % 3 == 2);
            var call = harness.Call();
            var (headers, message, ends) = Sent(harness);
            Assert.Equal((number % 3 == 0 ? 1 : 0, (uint)(number % 3), isLast), (headers, message.Sequence, ends));
            harness.Duplex.Deliver([.. headers == 1 ? Frames.ResponseHeaders(id) : [], .. Frames.Data(id, Answer(message))]);
            Assert.Equal(!isLast, call.IsCompleted); // the last call ends with its stream
            if (isLast)
                harness.Duplex.Deliver(Frames.Trailers(id));
            IsOk(call, 10);
        }
        Assert.Empty(harness.Duplex.TakeFrames());
    }

    [Fact]
    public void A_message_that_is_sent_in_parts_because_of_a_small_window_is_unchanged()
    {
        for (var first = 1; first < 30; first++)
        {
            var harness = new Http2Harness(Options()).Opened((InitialWindow, (uint)first));
            var call = harness.Call();
            harness.Duplex.Deliver(Frames.WindowUpdate(1, 1000));
            var message = Sent(harness).Message;
            Assert.Equal((0u, 10), (message.Sequence, message.Payload_.Length));
            harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. Frames.Data(1, Answer(message))]);
            IsOk(call);
        }
    }

    [Fact]
    public void Streams_end_after_GOAWAY_and_the_next_connection_opens_new_streams()
    {
        var harness = WithRoom(Options());
        var call = harness.Call();
        var message = Sent(harness).Message;
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. Frames.GoAway(1), .. Frames.Data(1, Answer(message))]);
        IsOk(call);
        var ready = harness.Connection.Streams[0].ReadyAsync().AsTask();
        Assert.Equal(FrameFlags.EndStream, Assert.Single(harness.Duplex.TakeFrames()).Header.Flags);
        harness.Duplex.Deliver(Frames.Trailers(1));
        Assert.Equal(2, harness.Links);
        Assert.False(ready.IsCompleted);
        harness.Duplex.Deliver(Frames.Settings((InitialWindow, int.MaxValue)));
        Says(true, ready);
        harness.Duplex.TakeSent();
        call = harness.Call();
        message = Sent(harness).Message;
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. Frames.Data(1, Answer(message))]);
        IsOk(call);
    }

    [Fact]
    public void An_open_stream_continues_at_the_stream_limit_and_its_window_follows_new_SETTINGS()
    {
        var harness = new Http2Harness(Options()).Opened((3, 1), (InitialWindow, 40));
        var call = harness.Call();
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. Frames.Data(1, Answer(Sent(harness).Message))]);
        IsOk(call);
        Assert.False(harness.Connection.IsReady);
        Says(true, harness.Connection.Streams[0].ReadyAsync().AsTask());
        harness.Duplex.Deliver(Frames.Settings((InitialWindow, 1000)));
        harness.Duplex.TakeSent();
        call = harness.Send();
        var frames = harness.Duplex.TakeFrames(); // the whole message is sent although 9 bytes were left of the first window
        harness.Duplex.Deliver(Frames.Data(1, Answer(Read(frames))));
        IsOk(call);
    }

    [Theory]
    [InlineData("silent")]
    [InlineData("no window")]
    [InlineData("endless", "wrong sequence", "unasked message")]
    [InlineData("reset inside", "reset")]
    [InlineData("half-closed", "no status")]
    [InlineData("after trailers", "ended early")]
    [InlineData("goodbye", "connection lost")]
    public Task Errors_of_a_hostile_server_are_counted_and_the_load_ends(string how, params string[] kinds) =>
        TestLoad.InTheEndAsync(async () =>
    {
        await using var server = Hostile(how);
        var load = TestLoad.Options(server.Address, streams: 3, timeout: 0.3) with { Mode = "ping-pong" };
        var result = await TestLoad.MeasureAsync(load, TestLoad.For(0.5));
        Assert.Equal(0, result.Ok);
        Assert.True(result.Failed.Values.Sum() + result.CutOff > 0);
        Assert.Subset(kinds.Append("protocol").ToHashSet(), result.Failed.Keys.ToHashSet());
        if (kinds.Length == 0)
            Assert.InRange(result.CutOff, 12, int.MaxValue);
    });
}
