using IpcBench.Client.Engine;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>What keeps a stream from writing what it has to write.</summary>
internal enum Blocker : byte
{
    None,
    StreamWindow,
    ConnectionWindow,
    Socket,
}

/// <summary>Adds up how long the streams of a connection were kept from writing. It may be read from any thread.</summary>
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

    /// <summary>Forgets how far ahead writers were.</summary>
    public void Begin()
    {
        lock (gate)
            ahead = 0;
    }

    /// <param name="stream">Whose state changes.</param>
    /// <param name="to">What keeps it from writing from now on.</param>
    /// <param name="aheadBytes">What its connection has written and was not given back.</param>
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
