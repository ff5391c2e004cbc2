namespace IpcBench.Server.Services;

/// <summary>Limits the memory of replies that wait for slow clients. All large replies share one budget.</summary>
/// <param name="part">The bytes of one write as long as there is budget (<c>--write-chunk</c>).</param>
/// <param name="limit">The budget in bytes. The default is enough for a thousand calls at the default part.</param>
internal sealed class WriteBudget(int part, long limit = 128 << 20)
{
    /// <summary>
    /// This many bytes need no budget: a small reply, or the end of a larger reply. These bytes are written together
    /// with the trailers. If they took budget, they would need a separate write and flush, after which the budget is
    /// given back.
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

    /// <summary>Gives back the budget that <see cref="TryTakeWhole"/> has taken.</summary>
    public void ReturnWhole(long bytes) => Interlocked.Add(ref this.taken, -bytes);
}
