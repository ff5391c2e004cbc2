using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Http2;
using IpcBench.Http2;

namespace IpcBench.Client.Tests.Http2.Support;

/// <summary>Drives one connection against a scripted server, on one thread and without waiting.</summary>
internal sealed class Http2Harness
{
    /// <summary>SETTINGS_INITIAL_WINDOW_SIZE (RFC 9113, 6.5.2).</summary>
    public const int InitialWindow = 4;

    private readonly ScriptedDialer dialer = new();

    /// <param name="options">The options of the connection.</param>
    /// <param name="posted">See <see cref="SyncScheduler.Posted"/>.</param>
    public Http2Harness(Http2Options options, Queue<(Action<object?> Action, object? State)>? posted = null)
    {
        Scheduler = new SyncScheduler { Posted = posted };
        Connection = new ReconnectingHttp2Connection(Scheduler, dialer, options);
    }

    public Http2Harness(int size = 10, int streams = 1, int window = ReceiveWindow.Ample, int firstId = 1, bool isBare = false)
    {
        var options = new Http2Options
        {
            Request = isBare ? Http2Request.Bare("localhost", tls: false, size) : Http2Request.Download("localhost", tls: false, size),
            Size = size,
            Streams = streams,
            Window = window,
            FirstId = firstId,
        };
        Scheduler = new SyncScheduler();
        Connection = new ReconnectingHttp2Connection(Scheduler, dialer, options);
    }

    public SyncScheduler Scheduler { get; }

    public ReconnectingHttp2Connection Connection { get; }

    /// <summary>The connection's present duplex.</summary>
    public ScriptedDuplex Duplex => dialer.Opened[^1];

    public int Links => dialer.Opened.Count;

    public bool Refuses { set => dialer.Refuses = value; }

    /// <summary>The bytes that the next connections receive in their first read.</summary>
    public byte[] Greeting { set => dialer.Greeting = value; }

    /// <summary>Opens the connection with these SETTINGS of the server, and discards the client's first bytes.</summary>
    public Http2Harness Opened(params (int Id, uint Value)[] settings)
    {
        var opening = Connection.OpenAsync(CancellationToken.None);
        Duplex.Deliver(Frames.Settings(settings));
        Assert.True(opening.IsCompletedSuccessfully);
        Connection.SetAccepting(true);
        Duplex.TakeSent();
        return this;
    }

    /// <summary>Opens a connection with windows that no test fills.</summary>
    public static Http2Harness WithRoom(Http2Options options)
    {
        var harness = new Http2Harness(options).Opened((InitialWindow, int.MaxValue));
        harness.Duplex.Deliver(Frames.WindowUpdate(0, 1 << 20));
        return harness;
    }

    /// <summary>Starts a call on the stream, and checks that the connection is ready.</summary>
    public Task<CallResult> Call(int stream = 0)
    {
        Assert.True(Connection.IsReady);
        return Send(stream);
    }

    /// <summary>Starts a call on the stream. The call may have to wait.</summary>
    public Task<CallResult> Send(int stream = 0) => Connection.Streams[stream].CallAsync(1).AsTask();

    /// <summary>Ends the stream of messages.</summary>
    public Task<CallResult> End(int stream = 0) => Connection.Streams[stream].EndAsync(1).AsTask();

    public static void IsOk(Task<CallResult> call)
    {
        Assert.True(call.IsCompletedSuccessfully, "the call is still out");
        Assert.True(call.Result.IsOk, call.Result.Kind);
    }

    /// <summary>Checks that the call succeeded with so many bytes.</summary>
    public static void IsOk(Task<CallResult> call, long bytes)
    {
        IsOk(call);
        Assert.Equal(bytes, call.Result.Bytes);
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

    /// <summary>Checks that the wait has ended with this result.</summary>
    public static void Says(bool expected, Task<bool> ready)
    {
        Assert.True(ready.IsCompletedSuccessfully, "still waiting");
        Assert.Equal(expected, ready.Result);
    }

    /// <summary>Checks that the first connection ended with this error in a GOAWAY.</summary>
    public void Broke(Http2Error error)
    {
        var first = dialer.Opened[0];
        var goAway = Assert.Single(first.TakeFrames(), frame => frame.Header.Type == FrameType.GoAway);
        Assert.Equal(Frames.Number((uint)error), goAway.Payload[4..8]);
        Assert.True(first.IsClosed);
    }
}
