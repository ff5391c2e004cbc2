using IpcBench.Client.Engine;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Http2;
using IpcBench.Transports.Loop;
using static IpcBench.Client.Tests.Http2.Support.Http2Harness;
using static IpcBench.Client.Tests.Http2.Support.StreamScript;

namespace IpcBench.Client.Tests.Http2;

public class ReconnectTests
{
    [Fact]
    public void A_lost_connection_fails_its_calls_and_is_reopened()
    {
        var harness = new Http2Harness(streams: 2).Opened();
        var call = harness.Call(0);
        var waiting = harness.Call(1);
        harness.Duplex.End("reset by peer");
        Failed("connection lost", call);
        Failed("connection lost", waiting);
        Assert.Equal(2, harness.Links);
        var ready = harness.Connection.Streams[0].ReadyAsync().AsTask();
        Assert.False(ready.IsCompleted);
        harness.Duplex.Deliver(Frames.Settings());
        Says(true, ready);
        Assert.Equal(1, harness.Connection.Reopened);
        var next = harness.Call(0);
        harness.Duplex.Deliver(Frames.Reply(1, 10));
        IsOk(next);
    }

    [Fact]
    public void Attempts_to_reconnect_have_pauses_while_the_server_rejects_connections()
    {
        var harness = new Http2Harness().Opened();
        harness.Refuses = true;
        harness.Duplex.End();
        for (var i = 0; i < 3; i++)
        {
            Assert.False(harness.Connection.IsOpen);
            Assert.Equal(1, harness.Scheduler.Timers);
            harness.Scheduler.HurryTimers();
        }
        harness.Refuses = false;
        harness.Scheduler.HurryTimers();
        Assert.Equal(2, harness.Links);
        harness.Duplex.Deliver(Frames.Settings());
        Assert.True(harness.Connection.IsOpen);
        Assert.Equal(1, harness.Connection.Reopened);
    }

    [Fact]
    public void A_connection_that_is_lost_in_its_first_read_is_reopened_after_a_pause()
    {
        var harness = new Http2Harness().Opened();
        harness.Greeting = [.. Frames.Settings(), .. Frames.GoAway(lastStream: 0)];
        harness.Duplex.End();
        for (var i = 0; i < 3; i++)
        {
            Assert.Equal((2 + i, 1), (harness.Links, harness.Scheduler.Timers));
            harness.Scheduler.HurryTimers();
        }
        harness.Greeting = [];
        harness.Scheduler.HurryTimers();
        harness.Duplex.Deliver(Frames.Settings());
        var call = harness.Call();
        harness.Duplex.Deliver(Frames.Reply(1, 10));
        IsOk(call);
    }

    [Fact]
    public void The_pause_between_attempts_grows_until_a_call_has_succeeded()
    {
        var harness = new Http2Harness().Opened();
        harness.Duplex.End();
        Assert.Equal((2, 0), (harness.Links, harness.Scheduler.Timers));
        harness.Duplex.Deliver(Frames.Settings());
        harness.Duplex.End(); // opened, but no call succeeded
        Assert.Equal((2, 1), (harness.Links, harness.Scheduler.Timers));
        harness.Scheduler.HurryTimers();
        harness.Duplex.Deliver(Frames.Settings());
        var call = harness.Call();
        harness.Duplex.Deliver(Frames.Reply(1, 10));
        IsOk(call);
        harness.Duplex.End();
        Assert.Equal((4, 0), (harness.Links, harness.Scheduler.Timers));
    }

    [Fact]
    public void A_draining_connection_is_replaced_when_its_last_call_is_cut_off()
    {
        var harness = new Http2Harness().Opened();
        var call = harness.Call();
        harness.Duplex.Deliver(Frames.GoAway(lastStream: 1));
        Assert.Equal(1, harness.Links);
        harness.Connection.CutOff(long.MaxValue);
        WasCutOff(call);
        Assert.Equal(2, harness.Links);
    }

    [Fact]
    public void Calls_that_GOAWAY_refuses_are_sent_on_a_new_connection()
    {
        var harness = new Http2Harness(streams: 3).Opened();
        var calls = Enumerable.Range(0, 3).Select(harness.Call).ToList();
        var old = harness.Duplex;
        old.Deliver(Frames.GoAway(lastStream: 3));
        Assert.False(harness.Connection.IsReady);
        old.Deliver(Frames.Reply(1, 10));
        IsOk(calls[0]);
        Assert.False(old.IsClosed);
        old.Deliver(Frames.Reply(3, 10));
        IsOk(calls[1]);
        Assert.True(old.IsClosed);
        Assert.False(calls[2].IsCompleted);
        Assert.Equal(2, harness.Links);
        harness.Duplex.Deliver(Frames.Settings());
        Assert.Contains(harness.Duplex.TakeFrames(), frame => frame.Header is { Type: FrameType.Headers, StreamId: 1 });
        harness.Duplex.Deliver(Frames.Reply(1, 10));
        IsOk(calls[2]);
    }

    [Fact]
    public void A_call_that_waits_for_a_new_connection_after_GOAWAY_is_cut_off_at_the_timeout()
    {
        var harness = new Http2Harness().Opened();
        var call = harness.Call();
        harness.Duplex.Deliver(Frames.GoAway(lastStream: 0));
        Assert.False(call.IsCompleted);
        harness.Connection.CutOff(long.MaxValue);
        WasCutOff(call);
        harness.Duplex.Deliver(Frames.Settings());
        Assert.DoesNotContain(harness.Duplex.TakeFrames(), frame => frame.Header.Type == FrameType.Headers);
        Assert.True(harness.Connection.IsReady);
    }

    [Fact]
    public void A_connection_without_free_stream_identifiers_is_replaced()
    {
        var harness = new Http2Harness(firstId: int.MaxValue - 2).Opened();
        var call = harness.Call();
        harness.Duplex.Deliver(Frames.Reply(int.MaxValue - 2, 10));
        IsOk(call);
        call = harness.Call();
        Assert.False(harness.Connection.IsReady);
        harness.Duplex.Deliver(Frames.Reply(int.MaxValue, 10));
        IsOk(call);
        Assert.Equal(2, harness.Links);
    }

    [Fact]
    public async Task A_disposed_connection_stays_closed()
    {
        var harness = new Http2Harness().Opened();
        var call = harness.Call();
        await harness.Connection.DisposeAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(5));
        Assert.True(harness.Duplex.IsClosed);
        Failed("connection lost", call);
        Assert.Equal(1, harness.Links);
        Says(false, harness.Connection.Streams[0].ReadyAsync().AsTask());
    }

    [Fact]
    public void A_message_that_waited_for_the_socket_when_GOAWAY_refused_its_stream_is_sent_again()
    {
        const int size = 20_000;
        var harness = WithRoom(Options(size, Flow.Out) with { Streams = 2 });
        var old = harness.Duplex;
        old.Room = 0;
        var (first, second) = (harness.Send(0), harness.Send(1));
        old.Deliver(Frames.GoAway(lastStream: 1));
        old.Room = int.MaxValue;
        IsOk(first);
        Assert.False(second.IsCompleted);
        var end = harness.End();
        old.Deliver([.. Frames.ResponseHeaders(1), .. Frames.Data(1, Told(1, MonotonicClock.NowNs, size)), .. Frames.Trailers(1)]);
        IsOk(end);
        Assert.Equal((2, true), (harness.Links, old.IsClosed));
        harness.Duplex.Deliver([.. Frames.Settings((InitialWindow, int.MaxValue)), .. Frames.WindowUpdate(0, 1 << 20)]);
        IsOk(second);
        Says(true, harness.Connection.Streams[0].ReadyAsync().AsTask());
    }

    [Theory]
    [InlineData("idle")]
    [InlineData("blocked")]
    [InlineData("half-closed")]
    public void After_GOAWAY_has_refused_a_stream_of_messages_one_call_fails_as_lost(string state)
    {
        var harness = new Http2Harness(Options(flow: Flow.Out)).Opened((InitialWindow, 100));
        IsOk(harness.Send());
        IsOk(harness.Send());
        var last = state switch { "blocked" => SendTwo(), "half-closed" => harness.End(), _ => null };
        harness.Duplex.Deliver(Frames.GoAway(lastStream: 0));
        harness.Duplex.Deliver(Frames.Settings());
        Failed("connection lost", last ?? harness.Send());
        IsOk(harness.Send());

        Task<CallResult> SendTwo()
        {
            IsOk(harness.Send());
            return harness.Send();
        }
    }
}
