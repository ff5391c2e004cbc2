using IpcBench.Client.Engine;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>Sums how long the streams of a connection were blocked from writing. May be read from any thread.</summary>
internal sealed class BlockedClock
{
    private readonly Lock gate = new();
    private readonly long[] ns = new long[(int)Blocker.Socket + 1];
    private readonly int[] blocked = new int[(int)Blocker.Socket + 1];
    private long lastNs = MonotonicClock.NowNs;
    private long times, ahead;

    public BlockedTime Read()
    {
        lock (gate)
        {
            Advance();
            return new(ns[(int)Blocker.StreamWindow], ns[(int)Blocker.ConnectionWindow], ns[(int)Blocker.Socket], times, ahead);
        }
    }

    /// <summary>Begins a window: resets the largest number of bytes in flight (<c>AheadBytes</c>).</summary>
    public void Begin()
    {
        lock (gate)
            ahead = 0;
    }

    /// <param name="to">The reason that blocks the stream from now on.</param>
    /// <param name="aheadBytes">The flow-controlled bytes in flight on the stream's connection.</param>
    public void Set(Http2Stream stream, Blocker to, long aheadBytes = 0)
    {
        if (stream.Blocker == to)
            return;
        lock (gate)
        {
            Advance();
            if (stream.Blocker == Blocker.None)
                times++;
            ahead = Math.Max(ahead, aheadBytes);
            blocked[(int)stream.Blocker]--;
            blocked[(int)to]++;
        }
        stream.Blocker = to;
    }

    private void Advance()
    {
        var now = MonotonicClock.NowNs;
        for (var one = Blocker.StreamWindow; one <= Blocker.Socket; one++)
            ns[(int)one] += blocked[(int)one] * (now - lastNs);
        lastNs = now;
    }
}
