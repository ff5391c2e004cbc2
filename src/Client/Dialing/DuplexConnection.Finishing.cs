using IpcBench.Transports.Loop;

namespace IpcBench.Client.Dialing;

// How one ends that is for a single call.
internal abstract partial class DuplexConnection
{
    private const long EndPatienceNs = 100_000_000;

    private EndWait? ending;

    /// <summary>The last reply is followed by the server's close.</summary>
    protected virtual bool ServerEndsFirst => false;

    public async ValueTask FinishAsync()
    {
        // Who closes first keeps the port for a minute (TIME_WAIT): the client must not take that over from the server.
        if (ServerEndsFirst && IsOpen)
        {
            EndWait wait;
            using (Inside())
                wait = ending = new EndWait();
            scheduler.Schedule(MonotonicClock.NowNs + EndPatienceNs, wait);
            await wait.Over;
        }
        using var inside = Inside();
        End();
    }
}
