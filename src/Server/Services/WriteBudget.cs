namespace IpcBench.Server.Services;

/// <summary>Bounds what waits in memory for clients that do not read: all calls together take their large writes from one budget.</summary>
/// <param name="part">Bytes of one write while there is budget: <c>--write-chunk</c>.</param>
internal sealed class WriteBudget(int part)
{
    /// <summary>The last bytes of a reply, and small replies, are written without asking: waiting for them would cost a write of their own.</summary>
    public const int Free = 16 << 10;

    // A thousand calls at the default part. Beyond it a call goes on in small steps, so that the honest ones still get everything.
    private const long Limit = 128 << 20;
    private const int SmallPart = 8 << 10;

    private long _taken;

    /// <summary>Bytes of one write while there is budget.</summary>
    public int Part => Math.Max(part, SmallPart);

    /// <summary>How many of the <paramref name="wanted"/> bytes may be written now; give them to <see cref="Return"/> when they are gone.</summary>
    public int Take(int wanted)
    {
        if (wanted <= SmallPart || Interlocked.Add(ref _taken, wanted) <= Limit)
            return wanted;
        Interlocked.Add(ref _taken, -wanted);
        return SmallPart;
    }

    public void Return(int bytes)
    {
        if (bytes > SmallPart)
            Interlocked.Add(ref _taken, -bytes);
    }
}
