using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Http2;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Http2;
using static IpcBench.Client.Tests.Http2.Support.Http2Harness;

namespace IpcBench.Client.Tests.Http2;

public class ViolationTests
{
    public static TheoryData<string, int, byte[]> Broken { get; } = new()
    {
        { "DATA on stream 0", (int)Http2Error.Protocol, Frames.Data(0, [1]) },
        { "DATA on an idle stream", (int)Http2Error.Protocol, Frames.Data(3, [1]) },
        { "DATA on a stream of the server", (int)Http2Error.Protocol, Frames.Data(2, [1]) },
        { "padding longer than DATA", (int)Http2Error.Protocol, Frames.Frame(0, Frames.Padded, 1, 5, 1, 2) },
        { "padded DATA without a length", (int)Http2Error.Protocol, Frames.Frame(0, Frames.Padded, 1) },
        { "HEADERS on stream 0", (int)Http2Error.Protocol, Frames.Headers(0, false, (":status", "200")) },
        { "HEADERS on an idle stream", (int)Http2Error.Protocol, Frames.Headers(5, false, (":status", "200")) },
        { "HEADERS too short for its priority", (int)Http2Error.FrameSize, Frames.Frame(1, Frames.EndHeaders | Frames.Priority, 1, 1, 2) },
        { "a broken field block", (int)Http2Error.Compression, Frames.Frame(1, Frames.EndHeaders, 1, 0x80) },
        { "a broken field block of a closed stream", (int)Http2Error.Compression,
            [.. Frames.Reset(1, 8), .. Frames.Frame(1, Frames.EndHeaders, 1, 0xfe)] },
        { "PRIORITY on stream 0", (int)Http2Error.Protocol, Frames.Frame(2, 0, 0, new byte[5]) },
        { "PRIORITY of 4 bytes", (int)Http2Error.FrameSize, Frames.Frame(2, 0, 1, new byte[4]) },
        { "RST_STREAM on stream 0", (int)Http2Error.Protocol, Frames.Reset(0, 8) },
        { "RST_STREAM on an idle stream", (int)Http2Error.Protocol, Frames.Reset(7, 8) },
        { "RST_STREAM of 3 bytes", (int)Http2Error.FrameSize, Frames.Frame(3, 0, 1, new byte[3]) },
        { "SETTINGS on a stream", (int)Http2Error.Protocol, Frames.Frame(4, 0, 1) },
        { "SETTINGS of 5 bytes", (int)Http2Error.FrameSize, Frames.Frame(4, 0, 0, new byte[5]) },
        { "an acknowledgement with settings", (int)Http2Error.FrameSize, Frames.Frame(4, Frames.Ack, 0, new byte[6]) },
        { "push switched on", (int)Http2Error.Protocol, Frames.Settings((2, 1)) },
        { "an initial window of 2^31", (int)Http2Error.FlowControl, Frames.Settings((4, 1u << 31)) },
        { "frames of 16383 bytes", (int)Http2Error.Protocol, Frames.Settings((5, 16383)) },
        { "frames of 2^24 bytes", (int)Http2Error.Protocol, Frames.Settings((5, 1 << 24)) },
        { "a window that grows beyond 2^31-1 by settings", (int)Http2Error.FlowControl,
            [.. Frames.WindowUpdate(1, 1000), .. Frames.Settings((4, int.MaxValue))] },
        { "PUSH_PROMISE", (int)Http2Error.Protocol, Frames.Frame(5, Frames.EndHeaders, 1, 0, 0, 0, 2) },
        { "PING on a stream", (int)Http2Error.Protocol, Frames.Frame(6, 0, 1, new byte[8]) },
        { "PING of 7 bytes", (int)Http2Error.FrameSize, Frames.Frame(6, 0, 0, new byte[7]) },
        { "GOAWAY on a stream", (int)Http2Error.Protocol, Frames.Frame(7, 0, 1, new byte[8]) },
        { "GOAWAY of 7 bytes", (int)Http2Error.FrameSize, Frames.Frame(7, 0, 0, new byte[7]) },
        { "WINDOW_UPDATE by 0", (int)Http2Error.Protocol, Frames.WindowUpdate(0, 0) },
        { "WINDOW_UPDATE of an idle stream", (int)Http2Error.Protocol, Frames.WindowUpdate(9, 1) },
        { "WINDOW_UPDATE of 5 bytes", (int)Http2Error.FrameSize, Frames.Frame(8, 0, 0, new byte[5]) },
        { "a connection window beyond 2^31-1", (int)Http2Error.FlowControl, Frames.WindowUpdate(0, int.MaxValue) },
        { "CONTINUATION after nothing", (int)Http2Error.Protocol, Frames.Frame(9, Frames.EndHeaders, 1) },
        { "CONTINUATION of another stream", (int)Http2Error.Protocol,
            [.. Frames.Frame(1, 0, 1), .. Frames.Frame(9, Frames.EndHeaders, 3)] },
        { "PING inside a field block", (int)Http2Error.Protocol, [.. Frames.Frame(1, 0, 1), .. Frames.Frame(6, 0, 0, new byte[8])] },
        { "DATA inside a field block", (int)Http2Error.Protocol, [.. Frames.Frame(1, 0, 1), .. Frames.Data(1, [1])] },
        { "a frame of 16385 bytes", (int)Http2Error.FrameSize, Frames.Frame(0x42, 0, 0, new byte[16385]) },
        { "an endless block", (int)Http2Error.EnhanceYourCalm,
            [.. Frames.Frame(1, 0, 1), .. Enumerable.Repeat(Frames.Frame(9, 0, 1, new byte[16384]), 5).SelectMany(frame => frame)] },
        { "an endless block of nothing", (int)Http2Error.EnhanceYourCalm,
            [.. Frames.Frame(1, 0, 1), .. Enumerable.Repeat(Frames.Frame(9, 0, 1), 1000).SelectMany(frame => frame)] },
    };

    [Theory]
    [MemberData(nameof(Broken))]
    public void A_protocol_violation_ends_the_connection_with_the_right_error_code_and_fails_the_call(string what, int error, byte[] frames)
    {
        var harness = new Http2Harness().Opened();
        var call = harness.Call();
        harness.Duplex.TakeSent();
        harness.Duplex.Deliver(frames);
        harness.Broke((Http2Error)error);
        Failed(what.Contains("closed stream", StringComparison.Ordinal) ? "reset" : "protocol", call);
    }

    [Fact]
    public void More_data_than_the_window_allows_is_rejected()
    {
        var harness = new Http2Harness(size: 1_000_000, window: 1000).Opened();
        var call = harness.Call();
        harness.Duplex.TakeSent();
        harness.Duplex.Deliver([.. Frames.ResponseHeaders(1), .. Frames.Data(1, new byte[1001])]);
        harness.Broke(Http2Error.FlowControl);
        Failed("protocol", call);
    }

    [Fact]
    public void A_wrong_WINDOW_UPDATE_of_a_stream_resets_only_the_stream()
    {
        foreach (var update in new[] { Frames.WindowUpdate(1, 0), Frames.WindowUpdate(1, int.MaxValue) })
        {
            var harness = new Http2Harness().Opened();
            var call = harness.Call();
            harness.Duplex.TakeSent();
            harness.Duplex.Deliver(update);
            Failed("protocol", call);
            Assert.Equal(FrameType.RstStream, Assert.Single(harness.Duplex.TakeFrames()).Header.Type);
            Assert.True(harness.Connection.IsOpen);
        }
    }

    [Theory]
    [InlineData("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")]
    [InlineData("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")]
    public void A_server_without_HTTP2_is_recognized_at_once(string greeting)
    {
        var harness = new Http2Harness();
        var opening = harness.Connection.OpenAsync(CancellationToken.None);
        harness.Duplex.Deliver(System.Text.Encoding.ASCII.GetBytes(greeting));
        Assert.IsType<IOException>(opening.Exception!.InnerException);
        Assert.True(harness.Duplex.IsClosed);
    }

    [Fact]
    public void A_flood_of_PINGs_with_unread_answers_ends_the_connection()
    {
        var scheduler = new SyncScheduler();
        var dialer = new StuckDialer();
        var options = new Http2Options { Request = Http2Request.Download("localhost", false, 10), Size = 10, Streams = 1 };
        var connection = new ReconnectingHttp2Connection(scheduler, dialer, options);
        var opening = connection.OpenAsync(CancellationToken.None);
        dialer.Duplex!.Deliver(Frames.Settings());
        Assert.True(opening.IsCompletedSuccessfully);
        var pings = Enumerable.Repeat(Frames.Frame(6, 0, 0, new byte[8]), 1000).SelectMany(frame => frame).ToArray();
        var floods = 0;
        for (; floods < 1000 && !dialer.Duplex.IsClosed; floods++)
            dialer.Duplex.Deliver(pings);
        Assert.InRange(floods, 10, 999);
    }

    private sealed class StuckDialer() : Dialer(usesLoops: true)
    {
        public StuckDuplex? Duplex { get; private set; }
        public override long Retries => 0;

        public override ValueTask<Duplex> OpenAsync(Scheduler scheduler, IDuplexOwner owner, CancellationToken cancellation) =>
            Duplex is null ? new(Duplex = new StuckDuplex(owner)) : throw new IOException("once");
    }

    private sealed class StuckDuplex(IDuplexOwner owner) : Duplex
    {
        public bool IsClosed { get; private set; }

        public void Deliver(byte[] bytes)
        {
            if (!IsClosed)
                owner.OnBytes(this, bytes);
        }

        public override void Start()
        {
        }

        public override void Flush(OutputBuffer output)
        {
        }

        public override void Close() => IsClosed = true;
    }
}
