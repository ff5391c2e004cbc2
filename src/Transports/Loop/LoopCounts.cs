namespace IpcBench.Transports.Loop;

/// <summary>System calls of an event loop for its sockets.</summary>
/// <param name="Receives">Calls of recv(2), recvmsg(2) and read(2).</param>
/// <param name="EmptyReceives">The part of <paramref name="Receives"/> that found no bytes.</param>
/// <param name="Sends">Calls of send(2), sendmsg(2), write(2) and writev(2).</param>
/// <param name="Waits">Calls of epoll_wait(2), epoll_pwait2(2) and ppoll(2), even if they return at once.</param>
public readonly record struct LoopCounts(long Receives, long EmptyReceives, long Sends, long Waits)
{
    public static LoopCounts operator +(LoopCounts a, LoopCounts b) =>
        new(a.Receives + b.Receives, a.EmptyReceives + b.EmptyReceives, a.Sends + b.Sends, a.Waits + b.Waits);

    public static LoopCounts operator -(LoopCounts a, LoopCounts b) =>
        new(a.Receives - b.Receives, a.EmptyReceives - b.EmptyReceives, a.Sends - b.Sends, a.Waits - b.Waits);
}
