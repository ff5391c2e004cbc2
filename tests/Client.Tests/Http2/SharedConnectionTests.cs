using IpcBench.Client.Protocols.Http2;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;

namespace IpcBench.Client.Tests.Http2;

/// <summary>Checks connections that several threads use, as over pipes and on Windows.</summary>
public class SharedConnectionTests
{
    [Fact]
    public async Task A_call_that_waits_for_the_lock_of_the_connection_is_not_in_flight()
    {
        var dialer = new ScriptedDialer(usesLoops: false);
        var client = new ReconnectingHttp2Connection(
            new SyncScheduler(), dialer, new Http2Options { Request = Http2Request.Download("localhost", tls: false, 10), Streams = 1 });
        var opening = client.OpenAsync(TestContext.Current.CancellationToken);
        dialer.Opened[0].Deliver(Frames.Settings());
        await opening;
        client.SetAccepting(true);
        var stream = (Http2Stream)client.Streams[0];
        Thread caller;
        client.Enter();
        try
        {
            caller = new Thread(() => _ = stream.CallAsync(1).AsTask()) { IsBackground = true };
            caller.Start();
            // There is no await here, because Enter and Leave must be called by the same thread.
            Assert.True(SpinWait.SpinUntil(() => caller.ThreadState.HasFlag(ThreadState.WaitSleepJoin), TestLoad.Patience));
            // The holder of the lock resends calls in flight without an HTTP/2 stream. This call would be sent twice.
            Assert.False(stream.IsInFlight);
        }
        finally
        {
            client.Leave();
        }
        Assert.True(caller.Join(TestLoad.Patience));
        Assert.True(stream.IsInFlight);
    }
}
