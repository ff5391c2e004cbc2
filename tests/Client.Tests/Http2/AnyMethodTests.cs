using IpcBench.Client.Protocols.Http2;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Http2;
using static IpcBench.Client.Tests.Http2.Support.Http2Harness;

namespace IpcBench.Client.Tests.Http2;

/// <summary>Checks requests of any bytes, sent in turn, and replies of any type and size.</summary>
public class AnyMethodTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(16_379)] // with its prefix exactly one frame
    [InlineData(16_380)]
    [InlineData(40_000)]
    public void A_request_is_split_into_frames_that_every_server_allows(int size)
    {
        var harness = WithRoom(Options([new byte[size]]));
        for (var id = 1; id <= 3; id += 2) // the second request has its fields as indices
        {
            var call = harness.Call();
            var frames = harness.Duplex.TakeFrames();
            Assert.Equal(FrameType.Headers, frames[0].Header.Type);
            Assert.All(frames, frame => Assert.Equal(id, frame.Header.StreamId));
            Assert.All(frames, frame => Assert.InRange(frame.Payload.Length, 1, 16_384));
            Assert.Equal(Frames.Prefixed(new byte[size]), frames.Skip(1).SelectMany(frame => frame.Payload));
            Assert.All(frames.SkipLast(1), frame => Assert.False(frame.Header.Has(FrameFlags.EndStream)));
            Assert.True(frames[^1].Header.Has(FrameFlags.EndStream));
            harness.Duplex.Deliver(Frames.Reply(id, [1, 2, 3]));
            IsOk(call, 3);
        }
    }

    [Fact]
    public void A_large_request_waits_for_the_windows_and_is_sent_completely()
    {
        byte[] message = [.. Enumerable.Range(0, 50_000).Select(i => (byte)(i * 31 >> 3))];
        var harness = new Http2Harness(Options([message])).Opened((InitialWindow, 20_000));
        var call = harness.Call();
        var sent = harness.Duplex.TakeFrames().Skip(1).SelectMany(frame => frame.Payload).ToList();
        Assert.Equal(20_000, sent.Count);
        harness.Duplex.Deliver(Frames.WindowUpdate(1, 100_000));
        sent.AddRange(harness.Duplex.TakeFrames().SelectMany(frame => frame.Payload));
        Assert.Equal(Frames.Prefixed(message), sent);
        harness.Duplex.Deliver(Frames.Reply(1, []));
        IsOk(call);
    }

    [Fact]
    public void Each_connection_sends_the_messages_in_turn_and_starts_with_a_different_message()
    {
        var options = Options([[1], [2], [3]]);
        for (var first = 0; first < 4; first++)
        {
            var harness = new Http2Harness(options).Opened((InitialWindow, int.MaxValue));
            var sent = new List<int>();
            for (var id = 1; id < 15; id += 2)
            {
                var call = harness.Call();
                sent.Add(harness.Duplex.TakeFrames()[1].Payload[^1]);
                harness.Duplex.Deliver(Frames.Reply(id, [9]));
                IsOk(call);
            }
            Assert.Equal(Enumerable.Range(first, 7).Select(turn => turn % 3 + 1), sent);
        }
    }

    [Fact]
    public void A_request_that_GOAWAY_refused_is_sent_again_unchanged()
    {
        var harness = WithRoom(Options([[1], [2], [3]]));
        var call = harness.Call();
        Assert.Equal(1, harness.Duplex.TakeFrames()[1].Payload[^1]);
        harness.Duplex.Deliver(Frames.GoAway(0));
        harness.Duplex.Deliver(Frames.Settings((InitialWindow, int.MaxValue)));
        Assert.Equal(1, harness.Duplex.TakeFrames().Last(frame => frame.Header.Type == FrameType.Data).Payload[^1]);
        harness.Duplex.Deliver(Frames.Reply(1, [9]));
        IsOk(call);
    }

    [Theory]
    [InlineData("no message", "")]
    [InlineData("wrong length", "00 00000003 0a01")]
    [InlineData("protocol", "00 00000001 ff 00 00000001 ff")] // two messages
    [InlineData("protocol", "01 00000001 ff")] // compressed
    public void A_reply_other_than_one_whole_message_is_a_failure(string kind, string hex)
    {
        var harness = WithRoom(Options([[1]]));
        var call = harness.Call();
        var data = Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal));
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. data.Length > 0 ? Frames.Data(1, data) : [], .. Frames.Trailers(1)]);
        Failed(kind, call);
    }

    [Fact]
    public void The_first_message_of_a_status_is_kept_without_control_characters()
    {
        var options = Options([[1]]);
        var harness = new Http2Harness(options).Opened((InitialWindow, int.MaxValue));
        string[] messages = ["no such%0Acart%1b[2J", "another"];
        for (var i = 0; i < 2; i++)
        {
            var call = harness.Call();
            harness.Duplex.Deliver(Frames.Headers(1 + 2 * i, true,
                (":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "5"), ("grpc-message", messages[i])));
            Failed("status 5", call);
        }
        Assert.Equal("no such cart [2J", Assert.Single(options.Notes.First()).Value);
    }

    [Fact]
    public void Only_the_first_good_reply_of_a_connection_in_a_window_is_checked()
    {
        var seen = new List<byte[]>();
        var harness = new Http2Harness(Options([[1]]) with { Expect = reply => Noted(seen, reply) }).Opened((InitialWindow, int.MaxValue));
        var reset = harness.Call();
        harness.Duplex.Deliver(Frames.Reset(1, 2));
        Failed("reset", reset);
        var refused = harness.Call();
        harness.Duplex.Deliver(Frames.Headers(3, true, (":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "14")));
        Failed("status 14", refused);
        for (var id = 5; id < 11; id += 2)
        {
            var call = harness.Call();
            harness.Duplex.Deliver(Frames.Reply(id, [(byte)id]));
            IsOk(call);
        }
        harness.Connection.SetAccepting(false);
        harness.Connection.SetAccepting(true);
        var next = harness.Call();
        harness.Duplex.Deliver(Frames.Reply(11, [0]));
        Failed("not as expected", next);
        Assert.Equal([[5], [0]], seen);
    }

    private static string? Noted(List<byte[]> seen, byte[] reply)
    {
        seen.Add(reply);
        return reply[0] == 0 ? "it is 0" : null;
    }

    private static Http2Options Options(IReadOnlyList<byte[]> messages) => new()
    {
        Request = Http2Request.Grpc("localhost", tls: false, "/a.B/C", messages),
        Streams = 1,
        Reply = ReplyKind.Any,
    };
}
