using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>
/// The number of bytes that one direction of a connection may move in one turn of the loop, so that the other connections
/// are served too. Used on the loop's thread only.
/// </summary>
[SupportedOSPlatform("linux")]
internal struct TurnBudget
{
    private const int Most = 128 << 10;

    // A system call counts as at least this many bytes, because the application works on a short message about as long as on 4 KiB.
    private const int LeastForCall = 4 << 10;

    private long turn;
    private int moved;

    /// <summary>
    /// Returns how many bytes the next system call of this turn may move: 0, or at least 4 KiB. When the result is 0,
    /// the remaining bytes must wait for the loop's next turn.
    /// </summary>
    public int Left(EventLoop loop)
    {
        if (turn != loop.Turn)
            (turn, moved) = (loop.Turn, 0);
        return moved >= Most ? 0 : Math.Max(Most - moved, LeastForCall);
    }

    /// <summary>Counts the bytes that a system call has moved.</summary>
    public void Take(int bytes) => moved += Math.Max(bytes, LeastForCall);
}
