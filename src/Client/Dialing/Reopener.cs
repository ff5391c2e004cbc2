using IpcBench.Client.Engine;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Dialing;

/// <summary>
/// How long to wait before a server is tried again: not at all, then 10 ms, then twice as long each time up to 250 ms, until a call has
/// succeeded.
/// </summary>
internal sealed class BackOff(Scheduler scheduler)
{
    private const long FirstNs = 10_000_000, LongestNs = 250_000_000;

    private readonly TimerWait timer = new(scheduler);
    private long lengthNs;

    public bool IsNone => lengthNs == 0;

    public void Lengthen() => lengthNs = Math.Clamp(2 * lengthNs, FirstNs, LongestNs);

    /// <summary>A call has succeeded.</summary>
    public void Reset() => lengthNs = 0;

    public ValueTask WaitAsync() => IsNone ? default : timer.UntilAsync(MonotonicClock.NowNs + lengthNs);
}

/// <summary>Opens a connection again that died, as often as it takes. From any thread.</summary>
/// <param name="scheduler">Where the pauses between the attempts pass.</param>
/// <param name="open">One attempt; throws when it fails.</param>
internal sealed class Reopener(Scheduler scheduler, Func<CancellationToken, Task> open)
{
    private static readonly TimeSpan Attempt = TimeSpan.FromSeconds(2);

    private readonly Lock gate = new();
    private readonly BackOff pause = new(scheduler);
    private bool isDead;
    private bool isRunning;
    private bool isStopped;

    /// <summary>Attempts that opened it.</summary>
    public int Reopened { get; private set; }

    /// <summary>The connection died; perhaps before the attempt that opened it has come to its end.</summary>
    public void OnDeath()
    {
        lock (gate)
        {
            isDead = true;
            if (isRunning || isStopped)
                return;
            isRunning = true;
        }
        _ = RunAsync();
    }

    /// <summary>A call has succeeded: the next death is followed by an attempt at once.</summary>
    public void OnSuccess() => pause.Reset();

    /// <summary>Nobody needs the connection any more.</summary>
    public void Stop()
    {
        lock (gate)
            isStopped = true;
    }

    private async Task RunAsync()
    {
        while (BeginAttempt())
        {
            await pause.WaitAsync();
            pause.Lengthen();
            try
            {
                using var limit = new CancellationTokenSource(Attempt);
                await open(limit.Token);
                Reopened++;
            }
            catch (Exception)
            {
                // Whatever a system or a library throws while it connects: it is tried again.
                lock (gate)
                    isDead = true;
            }
        }
    }

    private bool BeginAttempt()
    {
        lock (gate)
        {
            isRunning = isDead && !isStopped;
            isDead = false;
            return isRunning;
        }
    }
}
