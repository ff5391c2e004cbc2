using System.Collections.Concurrent;
using System.Diagnostics;

namespace IpcBench.Server.Services;

/// <summary>Bounds what waits in memory for clients that do not read: all large replies together are written from one budget.</summary>
/// <param name="part">Bytes of one write while there is budget: <c>--write-chunk</c>.</param>
/// <param name="limit">Bytes of the budget: a thousand calls at the default part.</param>
internal sealed class WriteBudget(int part, long limit = 128 << 20)
{
    /// <summary>
    /// The last bytes of a reply, and small replies, are written without asking: waiting for them would cost a write of their own.
    /// </summary>
    public const int Free = 16 << 10;

    private const int SmallPart = 8 << 10;

    private long taken;

    /// <summary>Bytes of one write while there is budget.</summary>
    public int Part => Math.Max(part, SmallPart);

    /// <summary>
    /// How many of the <paramref name="wanted"/> bytes may be written now; give them to <see cref="Return"/> when they are gone.
    /// Beyond the budget a call goes on in small steps, so that clients that do read still get everything.
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
    /// Takes a reply that can only be written in one piece; one beyond the whole budget is alone. False: there is no room for it now.
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

    /// <summary>Gives back what <see cref="TryTakeWhole"/> took.</summary>
    public void ReturnWhole(long bytes) => Interlocked.Add(ref this.taken, -bytes);
}

/// <summary>
/// The budget for stacks that write a reply in one piece: the call waits for room, one after the other. While any waits, clients that have
/// not taken a reply for longer than <paramref name="patience"/> are cut off.
/// </summary>
internal sealed class WholeReplies(WriteBudget budget, TimeSpan patience)
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(5);

    private readonly WriteBudget budget = budget;
    private readonly SemaphoreSlim turn = new(1);
    private readonly ConcurrentDictionary<Held, byte> held = new();

    /// <summary>Waits until a reply of that many bytes may be made.</summary>
    /// <param name="bytes">Its size. Small ones are free.</param>
    /// <param name="cutOff">Ends the connection of a client that does not read.</param>
    /// <param name="cancellation">The call is not wanted any more.</param>
    /// <returns>To be disposed when the reply has left; null when nothing was taken.</returns>
    public ValueTask<IDisposable?> TakeAsync(long bytes, Action cutOff, CancellationToken cancellation)
    {
        if (bytes <= WriteBudget.Free)
            return ValueTask.FromResult<IDisposable?>(null);
        // At once, where nobody else waits for room.
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

        // By the call whose turn it is alone, so never by two threads at a time.
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
