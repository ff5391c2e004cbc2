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
