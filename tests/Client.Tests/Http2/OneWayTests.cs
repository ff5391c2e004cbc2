using Google.Protobuf;
using IpcBench.Client.Engine;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Http2;
using IpcBench.Protocol.V1;
using IpcBench.Transports.Loop;
using static IpcBench.Client.Tests.Http2.Support.Http2Harness;
using static IpcBench.Client.Tests.Http2.Support.StreamScript;

namespace IpcBench.Client.Tests.Http2;

/// <summary>Checks messages in one direction against scripted servers: the bytes on the wire, and what blocks a writer.</summary>
public class OneWayTests
{
    [Fact]
    public void Pushed_messages_are_numbered_and_the_receiver_reports_their_arrival()
    {
        var harness = Opened(Flow.Out);
        var stream = (IOneWayStream)harness.Connection.Streams[0];
        for (var number = 0; number < 5; number++)
        {
            stream.SetDue(100 + number);
            IsOk(harness.Send(), 10);
            var (frames, message) = SentFrames(harness);
            Assert.Equal((number == 0 ? 2 : 1, (uint)number, 100ul + (uint)number), (frames, message.Sequence, message.Stamp));
        }
        Assert.Null(stream.TakeReceipt());
        var begin = MonotonicClock.NowNs;
        var end = harness.End();
        Assert.Equal(FrameFlags.EndStream, Assert.Single(harness.Duplex.TakeFrames()).Header.Flags);
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. Frames.Data(1, Told(5, begin)), .. Frames.Trailers(1)]);
        IsOk(end);
        var receipt = stream.TakeReceipt()!;
        Assert.Equal((begin, 1000, 5, (7, 5)), (receipt.BeginNs, receipt.SlotNs, receipt.Slots.Sum(), receipt.Latency.Single()));
        Assert.Null(stream.TakeReceipt());
    }

    [Fact]
    public void Messages_with_arrival_times_of_another_clock_are_counted_without_a_latency()
    {
        var harness = Opened(Flow.Out);
        var stream = (IOneWayStream)harness.Connection.Streams[0];
        IsOk(harness.Send(), 10);
        var end = harness.End();
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. Frames.Data(1, Told(1, 5)), .. Frames.Trailers(1)]);
        IsOk(end);
        var receipt = stream.TakeReceipt()!;
        Assert.InRange(receipt.BeginNs, MonotonicClock.NowNs - 60_000_000_000, MonotonicClock.NowNs);
        Assert.Equal((1, 0), (receipt.Slots.Sum(), receipt.Latency.Count));
    }

    [Theory]
    [InlineData("fewer", "wrong count")]
    [InlineData("bytes", "wrong length")]
    [InlineData("no times", "no times")]
    [InlineData("nothing", "no message")]
    [InlineData("status", "status 15")]
    [InlineData("nonsense", "protocol")]
    [InlineData("endless", "wrong length")]
    [InlineData("half-closed", "no status")]
    [InlineData("reset", "reset")]
    public void A_push_that_ends_with_an_error_is_a_failure(string how, string kind)
    {
        var harness = Opened(Flow.Out);
        IsOk(harness.Send(), 10);
        var end = harness.End();
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. how switch
        {
            "fewer" => Frames.Data(1, Told(0, 1)),
            "bytes" => Frames.Data(1, GrpcFraming.Frame(new Received { Bytes = 9, Messages = 1 }.ToByteArray())),
            "no times" => Frames.Data(1, GrpcFraming.Frame(new Received { Bytes = 10, Messages = 1 }.ToByteArray())),
            "nonsense" => Frames.Data(1, [0, 0, 0, 0, 1, 0xFF]),
            "endless" => [.. Enumerable.Range(0, 70).SelectMany(_ => Frames.Data(1, new byte[16_000]))],
            _ => [],
        }]);
        if (how != "endless")
            harness.Duplex.Deliver(how switch
            {
                "half-closed" => Frames.Data(1, [], end: true),
                "reset" => Frames.Reset(1, 2),
                "status" => Frames.Trailers(1, 15),
                _ => Frames.Trailers(1),
            });
        Failed(kind, end);
        Assert.Null(((IOneWayStream)harness.Connection.Streams[0]).TakeReceipt());
        IsOk(harness.Send()); // another stream is opened
    }

    [Fact]
    public void The_failure_of_a_pushed_stream_is_reported_with_the_next_message()
    {
        var harness = Opened(Flow.Out);
        IsOk(harness.Send(), 10);
        harness.Duplex.Deliver(Frames.Reset(1, 8));
        Failed("reset", harness.Send());
        harness.Duplex.TakeSent();
        IsOk(harness.Send());
        Assert.Equal(0u, SentFrames(harness).Message.Sequence);
    }

    [Fact]
    public void Messages_of_a_connection_that_dies_between_two_messages_are_reported_as_lost()
    {
        var harness = Opened(Flow.Out);
        IsOk(harness.Send(), 10);
        harness.Duplex.End();
        harness.Duplex.Deliver(Frames.Settings());
        Failed("connection lost", harness.Send());
        IsOk(harness.Send(), 10);
    }

    [Fact]
    public async Task A_pull_call_ends_with_its_message_and_its_stream_is_cancelled_when_the_load_ends()
    {
        var harness = Opened(Flow.In);
        var stream = (IOneWayStream)harness.Connection.Streams[0];
        stream.Pace(1000, 500);
        var begin = (ulong)MonotonicClock.NowNs;
        var call = harness.Send();
        var frames = harness.Duplex.TakeFrames();
        Assert.True(frames[^1].Header.Has(FrameFlags.EndStream));
        Assert.Equal(new PullRequest { Size = 10, Rate = 1000, DelayNs = 500 },
            PullRequest.Parser.ParseFrom(frames[^1].Payload.AsSpan(GrpcFraming.PrefixLength)));
        harness.Duplex.Deliver(Frames.ResponseHeaders(1));
        foreach (var (number, stamp) in ((uint, ulong)[])[(0, (ulong)MonotonicClock.NowNs), (1, 5), (2, ulong.MaxValue)])
        {
            Assert.False(call.IsCompleted);
            harness.Duplex.Deliver(Frames.Data(1, Message(number, stamp)));
            IsOk(call, 10);
            Assert.Equal(number == 0 ? (long)stamp : null, stream.DueNs(MonotonicClock.NowNs)); // the other stamps are from another clock
            call = harness.Send();
        }
        harness.Connection.SetAccepting(false);
        Assert.True((await call).IsOver);
        harness.Duplex.Deliver(Frames.Data(1, Message(3, begin))); // already in flight
        IsOk(harness.End());
        Assert.Equal(FrameType.RstStream, Assert.Single(harness.Duplex.TakeFrames()).Header.Type);
    }

    [Fact]
    public void The_due_time_of_a_pulled_message_is_the_time_stamp_in_the_message()
    {
        var harness = WithRoom(Options(flow: Flow.In) with { Messages = 2 });
        var stream = (IOneWayStream)harness.Connection.Streams[0];
        var call = harness.Send();
        foreach (var number in (uint[])[0, 1])
        {
            var stamp = MonotonicClock.NowNs;
            harness.Duplex.Deliver([.. number == 0 ? Frames.ResponseHeaders(1) : [], .. Frames.Data(1, Message(number, (ulong)stamp))]);
            if (number == 1)
                harness.Duplex.Deliver(Frames.Trailers(1));
            IsOk(call, 10);
            Assert.Equal(stamp, stream.DueNs(MonotonicClock.NowNs));
            call = harness.Send();
        }
    }

    [Theory]
    [InlineData("lost", "wrong sequence")]
    [InlineData("doubled", "wrong sequence")]
    [InlineData("short", "wrong length")]
    [InlineData("broken", "protocol")]
    [InlineData("trailers", "ended early")]
    [InlineData("status", "status 13")]
    [InlineData("half-closed", "no status")]
    [InlineData("reset inside", "reset")]
    [InlineData("cut inside", "wrong length")]
    [InlineData("gone", "connection lost")]
    public void A_wrong_message_is_a_failure_and_the_next_message_comes_on_a_new_stream(string how, string kind)
    {
        var harness = Opened(Flow.In);
        var call = harness.Send();
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. Frames.Data(1, Message(0, 1))]);
        IsOk(call);
        harness.Duplex.TakeSent();
        call = harness.Send();
        if (how == "gone")
            harness.Duplex.End();
        else
            harness.Duplex.Deliver(how switch
            {
                "lost" => Frames.Data(1, Message(2, 1)),
                "doubled" => Frames.Data(1, Message(0, 1)),
                "short" => Frames.Data(1, Message(1, 1, size: 9)),
                "broken" => Frames.Data(1, [1, 0, 0, 0, 0]),
                "trailers" => Frames.Trailers(1),
                "status" => Frames.Trailers(1, 13),
                "half-closed" => Frames.Data(1, [], end: true),
                "cut inside" => [.. Frames.Data(1, Message(1, 1)[..20]), .. Frames.Trailers(1)],
                _ => [.. Frames.Data(1, Message(1, 1)[..20]), .. Frames.Reset(1, 2)],
            });
        Failed(kind, call);
        if (how == "gone")
            harness.Duplex.Deliver(Frames.Settings((InitialWindow, int.MaxValue)));
        call = harness.Send();
        var id = how == "gone" ? 1 : 3;
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(id), .. Frames.Data(id, Message(0, 1))]);
        IsOk(call);
    }

    [Theory]
    [InlineData(new[] { 4, 4, 2, 4, 4, 2 }, null)]
    [InlineData(new[] { 4, 4, 2, 4, 4, 1 }, "wrong length")]
    [InlineData(new[] { 4, 4, 2, 4, 6 }, "wrong length")]
    [InlineData(new[] { 4, 4, 2, 4, 2, 4 }, "wrong length")]
    public void A_payload_in_parts_completes_with_its_last_part_and_fails_if_a_part_has_a_wrong_size(int[] sizes, string? kind)
    {
        var harness = WithRoom(Options(flow: Flow.In) with { Chunk = 4 });
        var calls = new List<Task<CallResult>> { harness.Send() };
        var request = harness.Duplex.TakeFrames()[^1].Payload.AsSpan(GrpcFraming.PrefixLength);
        Assert.Equal((10, 4), (PullRequest.Parser.ParseFrom(request).Size, PullRequest.Parser.ParseFrom(request).Chunk));
        harness.Duplex.Deliver(Frames.ResponseHeaders(1));
        for (var number = 0; number < sizes.Length && !(calls[^1].IsCompleted && kind is not null && calls.Count > 1); number++)
        {
            harness.Duplex.Deliver(Frames.Data(1, Message((uint)number, 5, sizes[number])));
            if (number == 2)
            {
                IsOk(calls[0], 10);
                calls.Add(harness.Send());
            }
            Assert.Equal(number >= 2, calls[0].IsCompleted);
        }
        if (kind is null)
            IsOk(calls[1], 10);
        else
            Failed(kind, calls[1]);
    }

    [Theory]
    [InlineData(new[] { long.MaxValue, long.MaxValue, 3 }, new[] { 1L })]
    [InlineData(new[] { -1L, 2 }, new[] { 1L })]
    [InlineData(new[] { 1L }, new[] { -1L })]
    [InlineData(new[] { 1L }, new[] { 2L })]
    [InlineData(new[] { 1L }, new[] { long.MaxValue, long.MaxValue, 3 })]
    public void Inconsistent_arrival_times_are_a_failure(long[] slots, long[] counts)
    {
        var harness = Opened(Flow.Out);
        IsOk(harness.Send());
        var end = harness.End();
        var said = new Received { Bytes = 10, Messages = 1, Arrivals = new Arrivals { BeginNs = MonotonicClock.NowNs, SlotNs = 1000 } };
        said.Arrivals.Slots.Add(slots);
        said.Arrivals.LatencyCount.Add(counts);
        said.Arrivals.LatencyNs.Add(counts.Select(_ => 7L));
        var data = Frames.Data(1, GrpcFraming.Frame(said.ToByteArray()));
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. data, .. Frames.Trailers(1)]);
        Failed("impossible times", end);
    }

    [Theory]
    [InlineData(100_000_000, 1_000, 7L)] // a slot after the stream's end
    [InlineData(long.MaxValue, 0, 7L)]
    [InlineData(1000, 0, 4_398_000_000_000L)]
    [InlineData(1000, 0, 0L)]
    [InlineData(1000, 0, 7L, true)]
    public void Arrival_times_outside_the_life_of_the_stream_are_a_failure(long slotNs, int slot, long latencyNs, bool isRight = false)
    {
        var harness = Opened(Flow.Out);
        IsOk(harness.Send());
        var end = harness.End();
        var times = new Arrivals { BeginNs = MonotonicClock.NowNs, SlotNs = slotNs, LatencyCount = { 1 }, LatencyNs = { latencyNs } };
        times.Slots.Add(Enumerable.Range(0, slot + 1).Select(number => number == slot ? 1L : 0));
        var data = GrpcFraming.Frame(new Received { Bytes = 10, Messages = 1, Arrivals = times }.ToByteArray()).Chunk(16_000);
        harness.Duplex.Deliver(
            [.. Frames.ResponseHeaders(1), .. data.SelectMany(part => Frames.Data(1, part)), .. Frames.Trailers(1)]);
        if (isRight)
            IsOk(end);
        else
            Failed("impossible times", end);
    }

    [Theory]
    [InlineData("push", "silent")]
    [InlineData("push", "no window")]
    [InlineData("push", "reset inside", "reset")]
    [InlineData("push", "half-closed", "no status")]
    [InlineData("push", "after trailers", "ended early")]
    [InlineData("pull", "silent")]
    [InlineData("pull", "no window")]
    [InlineData("pull", "endless", "wrong sequence")]
    [InlineData("pull", "reset inside", "reset")]
    [InlineData("pull", "half-closed", "no status")]
    [InlineData("pull", "after trailers", "ended early")]
    public async Task Errors_of_a_hostile_server_are_counted_and_the_load_ends(string mode, string how, params string[] kinds)
    {
        await using var server = Hostile(how);
        var load = TestLoad.Options(server.Address, streams: 3, timeout: 0.3) with { Mode = mode };
        LoadResult result = null!;
        await TestLoad.InTheEndAsync(async () =>
        {
            result = await TestLoad.MeasureAsync(load, TestLoad.For(0.5));
            // A busy machine may begin no call in such a window, or not on each of the 12 streams.
            Assert.InRange(result.Started, how == "no window" ? 12 : 1, long.MaxValue);
        });
        Assert.Equal((0, 0), (result.Ok, result.Credited));
        Assert.True(result.Failed.Values.Sum() + result.CutOff > 0);
        // Messages that were written on a broken stream count as not received.
        Assert.Subset(kinds.Concat(["protocol", "not received"]).ToHashSet(), result.Failed.Keys.ToHashSet());
        if (how == "no window")
            Assert.InRange(result.CutOff, 12, int.MaxValue);
    }

    private static Http2Harness Opened(Flow flow) => WithRoom(Options(flow: flow));

    private static (int Frames, Payload Message) SentFrames(Http2Harness harness)
    {
        var frames = harness.Duplex.TakeFrames();
        return (frames.Count, Payload.Parser.ParseFrom(frames[^1].Payload.AsSpan(GrpcFraming.PrefixLength)));
    }
}
