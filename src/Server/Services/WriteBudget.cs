using System.Collections.Concurrent;
using System.Diagnostics;

namespace IpcBench.Server.Services;

/// <summary>Limits the memory of replies that wait for slow clients. All large replies share one budget.</summary>
/// <param name="part">The bytes of one write as long as there is budget (<c>--write-chunk</c>).</param>
/// <param name="limit">The budget in bytes. The default is enough for a thousand calls at the default part.</param>
internal sealed class WriteBudget(int part, long limit = 128 << 20)
{
    /// <summary>
    /// How many bytes need no budget: those of a small reply, or the last ones of a larger reply. They are written
    /// together with the trailers. With budget they would need a write of their own.
    /// </summary>
    public const int Free = 16 << 10;

    private const int SmallPart = 8 << 10;

    private long taken;

    public int Part => Math.Max(part, SmallPart);

    /// <summary>
    /// Returns how many of the <paramref name="wanted"/> bytes may be written now. Pass the result to
    /// <see cref="Return"/> after the write. When the budget is used up, the result is small, so that clients that do
    /// read still get everything.
    /// </summary>
    public int Take(int wanted)
    {
        if (wanted <= SmallPart || Interlocked.Add(ref this.taken, wanted) <= limit)
            return wanted;
        Interlocked.Add(ref this.taken, -wanted);
        return SmallPart;
    }

    public void Return(int bytes)
    {
        if (bytes > SmallPart)
            Interlocked.Add(ref this.taken, -bytes);
    }

    /// <summary>
    /// Takes budget for a reply that can only be written in one piece. Returns false when there is no room. A reply
    /// larger than the whole budget gets room only when nothing is taken.
    /// </summary>
    public bool TryTakeWhole(long bytes)
    {
        for (var taken = Interlocked.Read(ref this.taken); taken == 0 || taken + bytes <= limit;)
        {
            var found = Interlocked.CompareExchange(ref this.taken, taken + bytes, taken);
            if (found == taken)
                return true;
            taken = found;
        }
        return false;
    }

    /// <summary>Returns the budget that <see cref="TryTakeWhole"/> has taken.</summary>
    public void ReturnWhole(long bytes) => Interlocked.Add(ref this.taken, -bytes);
}

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

        // Two threads never call this at the same time, because only the waiting call whose turn it is calls it.
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
