using IpcBench.Client.Engine;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Transports.Loop;
using static IpcBench.Client.Tests.Http2.Support.Http2Harness;
using static IpcBench.Client.Tests.Http2.Support.StreamScript;

namespace IpcBench.Client.Tests.Http2;

/// <summary>Checks what blocks writers, for how long, and how many bytes are in flight then.</summary>
public class BackPressureTests
{
    // The bytes of a pushed message: the payload, with prefix and fields.
    private const int Payload = 10, Message = Payload + 21, FrameHead = 9;

    [Fact]
    public async Task The_time_that_a_writer_waits_for_a_closed_window_is_counted()
    {
        var harness = new Http2Harness(Options(flow: Flow.Out)).Opened((InitialWindow, 40));
        IsOk(harness.Send());
        var before = MonotonicClock.NowNs;
        var call = harness.Send(); // 31 bytes each
        Assert.False(call.IsCompleted);
        var begin = MonotonicClock.NowNs;
        await Task.Delay(50, TestContext.Current.CancellationToken);
        var atLeast = MonotonicClock.NowNs - begin;
        harness.Duplex.Deliver(Frames.WindowUpdate(1, 1 << 20));
        IsOk(call);
        var blocked = harness.Connection.Blocked!.Value;
        Assert.InRange(blocked.StreamWindowNs, atLeast, MonotonicClock.NowNs - before);
        // The window of 40 bytes was full, and the writer waited once for the reader.
        Assert.Equal((0, 0, 1, 40), (blocked.ConnectionWindowNs, blocked.SocketNs, blocked.Times, blocked.AheadBytes));
        for (var sent = 2; sent < 65_535 / Message; sent++)
            IsOk(harness.Send());
        call = harness.Send();
        Assert.False(call.IsCompleted);
        harness.Duplex.Deliver(Frames.WindowUpdate(1, 1 << 20)); // of no use: the window of the connection is closed
        Assert.False(call.IsCompleted);
        harness.Connection.CutOff(long.MaxValue);
        WasCutOff(call);
        Assert.InRange(harness.Connection.Blocked!.Value.ConnectionWindowNs, 1, long.MaxValue);
        var last = harness.Connection.Blocked;
        Assert.Equal(last, harness.Connection.Blocked); // no writer waits any more
    }

    [Fact]
    public async Task A_writer_waits_for_a_full_socket_until_the_socket_has_room()
    {
        const int flushedAt = 16 << 10, bytes = Message + FrameHead;
        var harness = Opened(Flow.Out);
        harness.Duplex.Deliver(Frames.WindowUpdate(0, 1 << 24));
        IsOk(harness.Send());
        var before = MonotonicClock.NowNs;
        harness.Duplex.Room = 0;
        var (call, written) = (harness.Send(), 2);
        for (; call.IsCompleted && written < 10_000; written++)
            call = harness.Send();
        Assert.InRange(written, flushedAt / bytes, flushedAt / bytes + 2);
        var begin = MonotonicClock.NowNs;
        await Task.Delay(50, TestContext.Current.CancellationToken);
        var atLeast = MonotonicClock.NowNs - begin;
        harness.Duplex.Room = int.MaxValue;
        IsOk(call);
        var blocked = harness.Connection.Blocked!.Value;
        Assert.InRange(blocked.SocketNs, atLeast, MonotonicClock.NowNs - before);
        Assert.Equal((0, 0, 1), (blocked.StreamWindowNs, blocked.ConnectionWindowNs, blocked.Times));
        Assert.Equal(written * Message, blocked.AheadBytes); // no window was credited
        harness.Connection.SetAccepting(true);
        Assert.Equal(0, harness.Connection.Blocked!.Value.AheadBytes); // a new measurement window
    }

    [Fact]
    public async Task A_stream_waits_for_the_socket_if_the_stream_before_has_filled_the_socket()
    {
        var posted = new Queue<(Action<object?> Action, object? State)>();
        var harness = new Http2Harness(Options(flow: Flow.Out) with { Streams = 2 }, posted).Opened((InitialWindow, int.MaxValue));
        harness.Duplex.Deliver(Frames.WindowUpdate(0, 1 << 24));
        // Each stream has written as much as it may in one turn, and the socket takes all bytes.
        harness.Connection.Enter();
        var (first, second) = (Fill(0), Fill(1));
        harness.Connection.Leave();
        Assert.Equal(0, harness.Connection.Blocked!.Value.Times);
        Task<CallResult>? next = null;
        _ = first.ContinueWith(_ => next = Fill(0),
            CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        var before = MonotonicClock.NowNs;
        harness.Duplex.Room = 0;
        while (posted.TryDequeue(out var turn))
            turn.Action(turn.State);
        IsOk(first);
        Assert.False(next!.IsCompleted || second.IsCompleted);
        var begin = MonotonicClock.NowNs;
        await Task.Delay(50, TestContext.Current.CancellationToken);
        var atLeast = MonotonicClock.NowNs - begin;
        harness.Duplex.Room = int.MaxValue;
        IsOk(second);
        IsOk(next);
        var blocked = harness.Connection.Blocked!.Value;
        Assert.Equal(2, blocked.Times);
        Assert.InRange(blocked.SocketNs, 2 * atLeast, 2 * (MonotonicClock.NowNs - before));

        // Sends messages until a message has to wait.
        Task<CallResult> Fill(int stream)
        {
            Task<CallResult> call;
            do
                call = harness.Send(stream);
            while (call.IsCompleted);
            return call;
        }
    }

    [Fact]
    public void A_stream_continues_while_the_stream_before_waits_for_a_window()
    {
        const int large = 20_000;
        var harness = new Http2Harness(Options(large, Flow.Out) with { Streams = 2 }).Opened((InitialWindow, 2 * large));
        harness.Duplex.Deliver(Frames.WindowUpdate(0, 1 << 20));
        harness.Duplex.Room = 0;
        var streams = harness.Connection.Streams;
        var (first, second) = (streams[0].CallAsync(1).AsTask(), streams[1].CallAsync(1).AsTask());
        Assert.False(first.IsCompleted || second.IsCompleted);
        // Like a worker, the test writes the next message at once. The window has no room for the message's end.
        Task<CallResult>? next = null;
        _ = first.ContinueWith(_ => next = streams[0].CallAsync(1).AsTask(),
            CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        harness.Duplex.Room = int.MaxValue;
        Assert.False(next!.IsCompleted);
        IsOk(second);
    }

    [Fact]
    public async Task While_the_reader_pauses_the_writer_is_blocked_with_one_full_window_of_bytes_in_flight()
    {
        const int messages = 20, pauseMs = 40, windowBytes = messages * Message;
        await TestLoad.InTheEndAsync(async () =>
        {
            await using var server = new FakeServer
            {
                Greeting = Frames.Settings((InitialWindow, windowBytes)),
                AnswersFrames = true,
                Delay = TimeSpan.FromMilliseconds(pauseMs),
                // After its pause, the server opens the windows again at the last message of each window.
                Answer = (stream, number) => number % messages != 0 ? []
                    : [.. Frames.WindowUpdate(0, windowBytes), .. Frames.WindowUpdate(stream, windowBytes)],
            };
            var load = TestLoad.Options(server.Address, connections: 1, threads: 1, size: Payload, timeout: 0.5) with { Mode = "push" };
            var result = await TestLoad.MeasureAsync(load, TestLoad.For(1));
            var blocked = result.Blocked!.Value;
            Assert.Equal((0, 0, windowBytes), (blocked.ConnectionWindowNs, blocked.SocketNs, blocked.AheadBytes));
            Assert.InRange(blocked.Times, 2, result.WindowNs / 1e6 / pauseMs + 1);
            // Almost no time passes between two pauses, and the end of the window may cut the last pause.
            Assert.InRange(blocked.StreamWindowNs, 0.95e6 * pauseMs * (blocked.Times - 1), 1.01 * result.WindowNs);
        });
    }

    [Fact]
    public void A_writer_waits_once_for_each_part_of_a_window_that_opens_in_parts()
    {
        var harness = new Http2Harness(Options(1_000, Flow.Out)).Opened((InitialWindow, 300));
        var call = harness.Send();
        foreach (var part in (uint[])[200, 100])
        {
            Assert.False(call.IsCompleted);
            harness.Duplex.Deliver(Frames.WindowUpdate(1, part)); // the window of the connection is not credited
        }
        Assert.False(call.IsCompleted);
        Assert.Equal((3, 600), (harness.Connection.Blocked!.Value.Times, harness.Connection.Blocked!.Value.AheadBytes));
        harness.Duplex.Deliver(Frames.WindowUpdate(1, 10_000));
        IsOk(call);
        Assert.Equal((3, 600), (harness.Connection.Blocked!.Value.Times, harness.Connection.Blocked!.Value.AheadBytes));
    }

    [Fact]
    public void The_wait_of_a_new_stream_for_its_window_counts_as_window_time()
    {
        var harness = new Http2Harness(Options(20_000, Flow.Out)).Opened((InitialWindow, 30_000));
        harness.Duplex.Room = 0;
        var call = harness.Send();
        Assert.False(call.IsCompleted);
        harness.Duplex.Deliver([.. Frames.Settings((InitialWindow, 10)), .. Frames.Reset(1, 8)]);
        Failed("reset", call);
        call = harness.Send();
        harness.Duplex.Room = int.MaxValue;
        Assert.False(call.IsCompleted);
        var before = harness.Connection.Blocked!.Value.StreamWindowNs;
        SpinWait.SpinUntil(() => harness.Connection.Blocked!.Value.StreamWindowNs > before, TimeSpan.FromSeconds(1));
        Assert.InRange(harness.Connection.Blocked!.Value.StreamWindowNs, before + 1, long.MaxValue);
    }

    private static Http2Harness Opened(Flow flow) => WithRoom(Options(flow: flow));
}
