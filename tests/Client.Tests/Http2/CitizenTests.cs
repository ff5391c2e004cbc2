using IpcBench.Client.Protocols.Http2;
using IpcBench.Client.Engine;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Http2;
using static IpcBench.Client.Tests.Http2.Support.Http2Harness;

namespace IpcBench.Client.Tests.Http2;

public class CitizenTests
{
    [Fact]
    public void A_PING_is_answered_with_the_same_bytes_and_a_PING_ACK_is_not_answered()
    {
        var harness = new Http2Harness().Opened();
        harness.Duplex.Deliver(Frames.Frame(6, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8));
        var pong = Assert.Single(harness.Duplex.TakeFrames());
        Assert.Equal(new FrameHeader(8, FrameType.Ping, FrameFlags.Ack, 0), pong.Header);
        Assert.Equal([1, 2, 3, 4, 5, 6, 7, 8], pong.Payload);
        harness.Duplex.Deliver(Frames.Frame(6, Frames.Ack, 0, new byte[8]));
        Assert.Empty(harness.Duplex.TakeSent());
    }

    [Theory]
    [InlineData(100, 100)]
    [InlineData(300, 200)]
    public void The_number_of_allowed_streams_is_at_most_the_limit_of_the_server(uint limit, long allowed)
    {
        var harness = new Http2Harness(streams: 200).Opened((3, limit));
        Assert.Equal(allowed, harness.Connection.StreamsAllowed);
        Assert.Equal(200, new Http2Harness(streams: 200).Opened().Connection.StreamsAllowed);
        harness.Refuses = true;
        harness.Duplex.End();
        Assert.Null(harness.Connection.StreamsAllowed);
    }

    [Fact]
    public void SETTINGS_are_acknowledged_at_any_time_and_unknown_settings_ignored()
    {
        var harness = new Http2Harness().Opened();
        var call = harness.Call();
        harness.Duplex.TakeSent();
        harness.Duplex.Deliver(Frames.Settings((0x99, 7), (5, 1 << 20)));
        Assert.Equal(new FrameHeader(0, FrameType.Settings, FrameFlags.Ack, 0), Assert.Single(harness.Duplex.TakeFrames()).Header);
        harness.Duplex.Deliver(Frames.Frame(4, Frames.Ack, 0));
        harness.Duplex.Deliver(Frames.Reply(1, 10));
        IsOk(call);
    }

    [Fact]
    public void Unknown_frames_and_priority_and_padding_do_not_disturb_an_answer()
    {
        var harness = new Http2Harness().Opened();
        var call = harness.Call();
        var block = Frames.Block((":status", "200"), ("content-type", "application/grpc"));
        harness.Duplex.Deliver(
        [
            .. Frames.Frame(0x42, 0xff, 1, 1, 2, 3),
            .. Frames.Frame(2, 0, 1, 0, 0, 0, 0, 9),
            .. Frames.Frame(1, Frames.EndHeaders | Frames.Padded | Frames.Priority, 1, [4, 0, 0, 0, 0, 9, .. block, 0, 0, 0, 0]),
            .. Frames.Frame(0, Frames.Padded, 1, [200, .. Frames.Message(10), .. new byte[200]]),
            .. Frames.Frame(0, Frames.Padded, 1, [0]),
            .. Frames.Data(1, []),
            .. Frames.Trailers(1),
        ]);
        IsOk(call);
    }

    [Fact]
    public void A_field_block_in_several_frames_is_read()
    {
        var harness = new Http2Harness().Opened();
        var call = harness.Call();
        var block = Frames.Block((":status", "200"), ("content-type", "application/grpc"), ("x-long", new string('x', 100)));
        harness.Duplex.Deliver(
        [
            .. Frames.Frame(1, 0, 1, block[..3]),
            .. Frames.Frame(9, 0, 1),
            .. Frames.Frame(9, 0, 1, block[3..20]),
            .. Frames.Frame(9, Frames.EndHeaders, 1, block[20..]),
            .. Frames.Data(1, Frames.Message(10)),
            .. Frames.Frame(1, Frames.EndStream, 1),
            .. Frames.Frame(9, Frames.EndHeaders, 1, Frames.Block(("grpc-status", "0"))),
        ]);
        IsOk(call);
    }

    [Theory]
    [InlineData("a", "b", false)]
    [InlineData("a", "b", true)]
    [InlineData("accept-encoding", "gzip, deflate", false)] // one byte each, in the static table
    public void Fields_that_one_frame_cannot_hold_go_on_in_CONTINUATION(string name, string value, bool isStream)
    {
        const int count = 17_000;
        var harness = WithRoom(new Http2Options
        {
            Request = Http2Request.Grpc("localhost", tls: false, "/a.B/C", [[]], Enumerable.Repeat((name, value), count)),
            Reply = ReplyKind.Any,
            Streams = 1,
            IsStream = isStream,
            IsUserMethod = true,
            Flow = isStream ? Flow.Out : Flow.Both,
        });
        harness.Duplex.TakeSent();
        var decoder = new HpackDecoder(HeaderBlocks.TableSize);
        for (var id = 1; id <= (isStream ? 1 : 3); id += 2)
        {
            var call = harness.Call();
            var frames = harness.Duplex.TakeFrames();
            var last = frames.FindIndex(frame => frame.Header.Has(FrameFlags.EndHeaders));
            Assert.InRange(last, 1, 6);
            Assert.All(frames, frame => Assert.InRange(frame.Header.Length, 0, FrameReader.MaxFrame));
            Assert.All(frames, frame => Assert.Equal(id, frame.Header.StreamId));
            Assert.Equal([FrameType.Headers, .. Enumerable.Repeat(FrameType.Continuation, last), FrameType.Data],
                frames.Select(frame => frame.Header.Type));
            var received = 0;
            decoder.Observer = (name, _) => received++;
            decoder.Decode(frames[..(last + 1)].SelectMany(frame => frame.Payload).ToArray());
            Assert.Equal(7 + count, received);
            if (!isStream)
                harness.Duplex.Deliver(Frames.Reply(id, []));
            IsOk(call);
        }
    }

    [Fact]
    public void A_table_size_that_one_SETTINGS_frame_lowers_and_raises_again_is_announced()
    {
        const int tableSize = 1;
        var harness = new Http2Harness().Opened();
        for (var id = 1; id <= 3; id += 2)
        {
            IsOk(Answered(id));
            Assert.NotEqual(0x20, Block()[0]);
        }
        harness.Duplex.Deliver(Frames.Settings((tableSize, 0), (tableSize, 4096)));
        harness.Duplex.TakeSent();
        IsOk(Answered(5));
        Assert.Equal([0x20, 0x3f, 0xe1, 0x1f], Block()[..4]); // 0, then 4096
        IsOk(Answered(7));
        harness.Duplex.TakeSent();
        harness.Duplex.Deliver(Frames.Settings((tableSize, 4096)));
        harness.Duplex.TakeSent();
        IsOk(Answered(9));
        Assert.NotEqual(0x20, Block()[0]);

        Task<CallResult> Answered(int id)
        {
            var call = harness.Call();
            harness.Duplex.Deliver(Frames.Reply(id, 10));
            return call;
        }

        byte[] Block() => harness.Duplex.TakeFrames().Single(frame => frame.Header.Type == FrameType.Headers).Payload;
    }

    [Fact]
    public void Fields_in_the_servers_dynamic_table_are_decoded()
    {
        var harness = new Http2Harness().Opened();
        for (var i = 0; i < 3; i++)
        {
            var call = harness.Call();
            var id = 1 + 2 * i;
            byte[] first = i == 0
                ? [0x88, 0x5f, 16, .. "application/grpc"u8, 0x40, 11, .. "grpc-status"u8, 1, (byte)'0']
                : [0x88, 0xbf];
            harness.Duplex.Deliver([.. Frames.Frame(1, Frames.EndHeaders, id, i == 0 ? first[..19] : first),
                .. Frames.Data(id, Frames.Message(10)),
                .. Frames.Frame(1, Frames.EndHeaders | Frames.EndStream, id, i == 0 ? first[19..] : [0xbe])]);
            IsOk(call);
        }
    }

    [Fact]
    public void An_indexed_error_status_fails_each_call()
    {
        var harness = new Http2Harness().Opened();
        for (var i = 0; i < 3; i++)
        {
            var call = harness.Call();
            var id = 1 + 2 * i;
            byte[] trailer = i == 0 ? [0x40, 11, .. "grpc-status"u8, 2, (byte)'1', (byte)'3'] : [0xbe];
            harness.Duplex.Deliver([.. Frames.ResponseHeaders(id), .. Frames.Data(id, Frames.Message(10)),
                .. Frames.Frame(1, Frames.EndHeaders | Frames.EndStream, id, trailer)]);
            Failed("status 13", call);
        }
    }

    [Theory]
    [InlineData(0u)]
    [InlineData(100u)]
    public void With_a_header_table_of_at_most_100_bytes_requests_add_no_entries_to_the_table(uint size)
    {
        var harness = new Http2Harness().Opened((1, size));
        for (var i = 0; i < 3; i++)
        {
            var call = harness.Call();
            var block = harness.Duplex.TakeFrames()[0].Payload;
            if (i == 0)
                Assert.Equal(0x20, block[0] & 0xE0); // the change of size comes first (RFC 7541, 4.2)
            var decoder = new HpackDecoder(4096);
            decoder.Decode(block);
            Assert.Equal(0, decoder.TableSize);
            harness.Duplex.Deliver(Frames.Reply(1 + 2 * i, 10));
            IsOk(call);
        }
    }

    [Fact]
    public void After_changes_of_the_header_table_the_smallest_size_and_the_new_size_are_announced()
    {
        var harness = new Http2Harness().Opened();
        var call = harness.Call();
        harness.Duplex.Deliver(Frames.Reply(1, 10));
        IsOk(call);
        harness.Duplex.Deliver([.. Frames.Settings((1, 0)), .. Frames.Settings((1, 4096))]);
        harness.Duplex.TakeSent();
        call = harness.Call();
        var block = harness.Duplex.TakeFrames().Single(frame => frame.Header.Type == FrameType.Headers).Payload;
        Assert.Equal([0x20, 0x3f, 0xe1, 0x1f], block[..4]); // RFC 7541, 4.2: the smallest size, then the present size
        Assert.Contains((byte)'B', block); // the emptied table is filled anew: ":path" is a literal again
        harness.Duplex.Deliver(Frames.Reply(3, 10));
        IsOk(call);
    }

    [Fact]
    public void The_encoder_follows_a_header_table_that_shrinks_and_grows()
    {
        var harness = new Http2Harness().Opened();
        var decoder = new HpackDecoder(4096);
        var expected = "";
        foreach (var (i, settings) in new[] { Frames.Settings(), Frames.Settings(), Frames.Settings((1, 512)), Frames.Settings((1, 64)),
            Frames.Settings(), Frames.Settings((1, 8192)), Frames.Settings() }.Index())
        {
            harness.Duplex.Deliver(settings);
            harness.Duplex.TakeSent();
            var call = harness.Call();
            var fields = "";
            decoder.Observer = (name, value) =>
                fields += $"{System.Text.Encoding.ASCII.GetString(name)}={System.Text.Encoding.ASCII.GetString(value)};";
            decoder.Decode(harness.Duplex.TakeFrames()[0].Payload);
            Assert.Contains(":path=/ipcbench.v1.Bench/Download;", fields);
            Assert.Equal(i == 0 ? fields : expected, fields);
            expected = fields;
            harness.Duplex.Deliver(Frames.Reply(1 + 2 * i, 10));
            IsOk(call);
        }
    }
}
