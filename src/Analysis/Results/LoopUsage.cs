namespace IpcBench.Analysis.Results;

/// <summary>Numbers of system calls that an event loop made for its sockets.</summary>
public sealed record LoopUsage
{
    /// <summary>Calls of recv(2).</summary>
    public long Receives { get; init; }

    /// <summary>Calls of recv(2) that found no bytes.</summary>
    public long EmptyReceives { get; init; }

    /// <summary>Calls of send(2) and sendmsg(2).</summary>
    public long Sends { get; init; }

    /// <summary>Calls of epoll_wait(2) and epoll_pwait2(2), including calls that returned at once.</summary>
    public long Waits { get; init; }
}
