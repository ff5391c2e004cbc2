using System.Runtime.Versioning;

namespace IpcBench.Transports.Loop;

/// <summary>
/// What one direction of a connection may move on its loop's thread before the loop's other connections have their turn. For the loop's
/// thread only.
/// </summary>
[SupportedOSPlatform("linux")]
internal struct TurnBudget
{
    private const int Most = 128 << 10;

    // Work of the application is as much as that of many bytes, however few a system call moved.
    private const int LeastForCall = 4 << 10;

    private long turn;
    private int moved;

    /// <summary>The rest is for the loop's next turn.</summary>
    public bool IsSpent(EventLoop loop)
    {
        if (turn != loop.Turn)
            (turn, moved) = (loop.Turn, 0);
        return moved >= Most;
    }

    /// <summary>A system call has moved so many bytes.</summary>
    public void Take(int bytes) => moved += Math.Max(bytes, LeastForCall);
}
