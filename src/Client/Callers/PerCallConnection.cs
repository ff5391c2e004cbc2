using IpcBench.Client.Load;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Callers;

/// <summary>One place for calls of which each opens its connection, is made, and closes it: the first two are its latency, the last is over before the next.</summary>
internal sealed class PerCallConnection : ICallConnection, ICaller
{
    private const long FirstPauseNs = 10_000_000, LongestPauseNs = 250_000_000;

    private readonly Lane lane;
    private readonly IConnectionFactory inner;
    private readonly ConnectLog log;
    private readonly TimerWait pause;
    private readonly Lock gate = new();
    private ICallConnection? current;
    private CancellationTokenSource? opening;
    private long sentNs;
    private long pauseNs;
    private bool isPausing;
    private long received;
    private volatile bool accepting;

    public PerCallConnection(Lane lane, IConnectionFactory inner, ConnectLog log)
    {
        (this.lane, this.inner, this.log, pause) = (lane, inner, log, new TimerWait(lane));
        Callers = [this];
    }

    public IReadOnlyList<ICaller> Callers { get; }

    /// <summary>The last connect was no failure of the server's.</summary>
    public bool IsOpen { get; private set; }

    public int Reopened => 0;

    public long? StreamsAllowed => null;

    public long? BytesReceived => Volatile.Read(ref received);

    /// <summary>Shows that there is a server, so that its absence is no failed call.</summary>
    public async Task OpenAsync(CancellationToken cancellation)
    {
        var first = inner.Create(lane);
        try
        {
            await first.OpenAsync(cancellation);
            IsOpen = true;
        }
        finally
        {
            await first.DisposeAsync();
        }
    }

    public ValueTask<bool> ReadyAsync() => current is null && pauseNs == 0 ? new(accepting) : ReadyLaterAsync();

    public async ValueTask<CallResult> CallAsync(long sentNs)
    {
        var connection = inner.Create(lane);
        var limit = new CancellationTokenSource();
        lock (gate)
            (current, opening, this.sentNs) = (connection, limit, sentNs);
        if (await OpenAsync(connection, limit) is { } failure)
            return failure;
        connection.SetAccepting(true);
        var call = connection.Callers[0];
        return await call.ReadyAsync() ? await call.CallAsync(sentNs) : CallResult.CutOff;
    }

    public void CutOff(long sentBeforeNs)
    {
        ICallConnection? late;
        CancellationTokenSource? connecting;
        lock (gate)
            (late, connecting) = sentNs < sentBeforeNs ? (current, opening) : (null, null);
        if (connecting is not null)
            connecting.Cancel();
        else
            late?.CutOff(sentBeforeNs);
    }

    public void SetAccepting(bool accepting) => this.accepting = accepting;

    // A call's own connection sends by itself what it has.
    public void Enter()
    {
    }

    public void Leave()
    {
    }

    public async ValueTask DisposeAsync()
    {
        accepting = false;
        if (current is { } last)
            await last.DisposeAsync();
    }

    /// <returns>Null when it is open.</returns>
    private async ValueTask<CallResult?> OpenAsync(ICallConnection connection, CancellationTokenSource limit)
    {
        try
        {
            await connection.OpenAsync(limit.Token);
            log.Record(MonotonicClock.NowNs - sentNs);
            (IsOpen, pauseNs) = (true, 0);
            lock (gate)
                opening = null;
            return null;
        }
        catch (OperationCanceledException)
        {
            return CallResult.CutOff;
        }
        catch (NoLocalPortException)
        {
            LengthenPause();
            return CallResult.Failed("no local port");
        }
        catch (Exception)
        {
            // Whatever a system or a library throws while it connects is a call that failed of it.
            IsOpen = false;
            LengthenPause();
            return CallResult.Failed("connect");
        }
    }

    /// <summary>What cannot be opened now is not tried again at once.</summary>
    private void LengthenPause() => (pauseNs, isPausing) = (Math.Clamp(2 * pauseNs, FirstPauseNs, LongestPauseNs), true);

    private async ValueTask<bool> ReadyLaterAsync()
    {
        ICallConnection? last;
        lock (gate)
            (last, current, opening) = (current, null, null);
        if (last is not null)
        {
            await last.FinishAsync();
            received += last.BytesReceived ?? 0;
        }
        if (isPausing && accepting)
        {
            isPausing = false;
            await pause.UntilAsync(MonotonicClock.NowNs + pauseNs);
        }
        return accepting;
    }
}
