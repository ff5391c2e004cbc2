using IpcBench.Client.Engine;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Dialing;

/// <summary>
/// The pause before an attempt to connect to a server. The first attempt has no pause. The next pause is 10 ms, and each further
/// pause is twice as long, up to 250 ms. After a successful call there is again no pause.
/// </summary>
internal sealed class BackOff(Scheduler scheduler)
{
    private const long FirstNs = 10_000_000, LongestNs = 250_000_000;

    private readonly TimerWait timer = new(scheduler);
    private long lengthNs;

    public bool IsNone => lengthNs == 0;

    public void Lengthen() => lengthNs = Math.Clamp(2 * lengthNs, FirstNs, LongestNs);

    public void Reset() => lengthNs = 0;

    public ValueTask WaitAsync() => IsNone ? default : timer.UntilAsync(MonotonicClock.NowNs + lengthNs);
}

/// <summary>Opens a connection again each time it dies, until <see cref="Stop"/>. May be used from any thread.</summary>
/// <param name="scheduler">Runs the pauses between the attempts.</param>
/// <param name="open">Makes one attempt. Throws when the attempt fails.</param>
internal sealed class Reopener(Scheduler scheduler, Func<CancellationToken, Task> open)
{
    private static readonly TimeSpan Attempt = TimeSpan.FromSeconds(2);

    private readonly Lock gate = new();
    private readonly BackOff pause = new(scheduler);
    private bool isDead;
    private bool isRunning;
    private bool isStopped;

    /// <summary>The number of attempts that succeeded.</summary>
    public int Reopened { get; private set; }

    /// <summary>
    /// Called when the connection has died. A new connection may die before the attempt that opened it has returned.
    /// </summary>
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

    /// <summary>Called when a call has succeeded. The first attempt after the next death then has no pause.</summary>
    public void OnSuccess() => pause.Reset();

    /// <summary>Called when the connection is no longer needed.</summary>
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
                // Every exception, of the system or of a library, leads to another attempt.
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
