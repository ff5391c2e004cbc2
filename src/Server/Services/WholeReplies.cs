using System.Collections.Concurrent;
using System.Diagnostics;

namespace IpcBench.Server.Services;

/// <summary>
/// Gives budget to stacks that write a reply in one piece. Calls wait for room one after the other. While a call waits,
/// clients that have not read a reply within <paramref name="patience"/> are disconnected.
/// </summary>
internal sealed class WholeReplies(WriteBudget budget, TimeSpan patience)
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(5);

    private readonly WriteBudget budget = budget;
    private readonly SemaphoreSlim turn = new(1);
    private readonly ConcurrentDictionary<Held, byte> held = new();

    /// <summary>Waits until there is budget for a reply.</summary>
    /// <param name="bytes">The size of the reply. Small replies need no budget.</param>
    /// <param name="cutOff">Closes the connection of a client that does not read.</param>
    /// <returns>An object to dispose when the client has read the reply. Null when no budget was taken.</returns>
    public ValueTask<IDisposable?> TakeAsync(long bytes, Action cutOff, CancellationToken cancellation)
    {
        if (bytes <= WriteBudget.Free)
            return ValueTask.FromResult<IDisposable?>(null);
        // If no other call waits and there is room, this call need not wait.
        return turn.CurrentCount > 0 && this.budget.TryTakeWhole(bytes)
            ? ValueTask.FromResult<IDisposable?>(Hold(bytes, cutOff))
            : WaitAsync(bytes, cutOff, cancellation);
    }

    private async ValueTask<IDisposable?> WaitAsync(long bytes, Action cutOff, CancellationToken cancellation)
    {
        await turn.WaitAsync(cancellation);
        try
        {
            while (!this.budget.TryTakeWhole(bytes))
            {
                foreach (var held in this.held.Keys)
                    held.CutOffAfter(patience);
                await Task.Delay(Pause, cancellation);
            }
        }
        finally
        {
            turn.Release();
        }
        return Hold(bytes, cutOff);
    }

    private Held Hold(long bytes, Action cutOff)
    {
        var held = new Held(this, bytes, cutOff);
        this.held[held] = 0;
        return held;
    }

    private sealed class Held(WholeReplies owner, long bytes, Action cutOff) : IDisposable
    {
        private readonly long since = Stopwatch.GetTimestamp();
        private bool isCutOff;

        // Two threads never run this method at the same time, because only the call that holds the semaphore runs it.
        public void CutOffAfter(TimeSpan patience)
        {
            if (isCutOff || Stopwatch.GetElapsedTime(since) <= patience)
                return;
            isCutOff = true;
            cutOff();
        }

        public void Dispose()
        {
            if (owner.held.TryRemove(this, out _))
                owner.budget.ReturnWhole(bytes);
        }
    }
}
