using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Wire;
using IpcBench.Http2;

namespace IpcBench.Client.Tests.Wire.Support;

/// <summary>One connection against a script, on one thread and without waiting.</summary>
internal sealed class WireHarness
{
    private readonly ScriptedOpener opener = new();

    public WireHarness(int size = 10, int streams = 1, int window = ReceiveWindow.Ample, int firstId = 1, bool isBare = false)
    {
        var options = new SessionOptions
        {
            Request = isBare ? RequestBytes.Bare("localhost", tls: false, size) : RequestBytes.Download("localhost", tls: false, size),
            Size = size,
            Streams = streams,
            Window = window,
            FirstId = firstId,
        };
        Connection = new WireConnection(Scheduler, opener, options, new BufferPool(), isShared: false);
    }

    public SyncScheduler Scheduler { get; } = new();

    public WireConnection Connection { get; }

    /// <summary>The connection's present duplex.</summary>
    public ScriptedDuplex Duplex => opener.Links[^1];

    public int Links => opener.Links.Count;

    public bool Refuses { set => opener.Refuses = value; }

    /// <summary>What the next links hear in their first read.</summary>
    public byte[] Greeting { set => opener.Greeting = value; }

    /// <summary>Opens with these server SETTINGS and takes what the client says for its part.</summary>
    public WireHarness Opened(params (int Id, uint Value)[] settings)
    {
        var opening = Connection.OpenAsync(CancellationToken.None);
        Duplex.Deliver(Frames.Settings(settings));
        Assert.True(opening.IsCompletedSuccessfully);
        Connection.SetAccepting(true);
        Duplex.TakeSent();
        return this;
    }

    /// <summary>Starts a call on that stream; must not have to wait.</summary>
    public Task<CallResult> Call(int stream = 0)
    {
        Assert.True(Connection.IsReady);
        return Connection.Streams[stream].CallAsync(1).AsTask();
    }

    public static void IsOk(Task<CallResult> call)
    {
        Assert.True(call.IsCompletedSuccessfully, "the call is still out");
        Assert.True(call.Result.IsOk, call.Result.Kind);
    }

    public static void Failed(string kind, Task<CallResult> call)
    {
        Assert.True(call.IsCompletedSuccessfully, "the call is still out");
        Assert.Equal(kind, call.Result.Kind);
    }

    public static void WasCutOff(Task<CallResult> call)
    {
        Assert.True(call.IsCompletedSuccessfully, "the call is still out");
        Assert.True(call.Result.IsCutOff);
    }

    /// <summary>The wait is over, with this answer.</summary>
    public static void Says(bool expected, Task<bool> ready)
    {
        Assert.True(ready.IsCompletedSuccessfully, "still waiting");
        Assert.Equal(expected, ready.Result);
    }

    /// <summary>The first connection ended with this error in a GOAWAY.</summary>
    public void Broke(Http2Error error)
    {
        var first = opener.Links[0];
        var goAway = Assert.Single(first.TakeFrames(), frame => frame.Header.Type == FrameType.GoAway);
        Assert.Equal(Frames.Number((uint)error), goAway.Payload[4..8]);
        Assert.True(first.IsClosed);
    }
}
