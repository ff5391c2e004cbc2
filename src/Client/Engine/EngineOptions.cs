using IpcBench.Transports;

namespace IpcBench.Client.Engine;

/// <summary>The load of one cell, for any protocol. The options do not change while the connections are open.</summary>
internal record EngineOptions
{
    /// <summary>The usual <see cref="ConnectDeadline"/>.</summary>
    public static TimeSpan UsualDeadline { get; } = TimeSpan.FromSeconds(10);

    public required Address Address { get; init; }

    /// <summary>Payload bytes of each call, sent or received.</summary>
    public required long Size { get; init; }

    public required int Connections { get; init; }

    /// <summary>Concurrent calls of one connection.</summary>
    public int Streams { get; init; } = 1;

    /// <summary>The direction of the messages that count as calls.</summary>
    public virtual Flow Flow => Flow.Both;

    /// <summary>The event-loop threads that run the connections. Without event loops, .NET chooses the threads.</summary>
    public required int Threads { get; init; }

    /// <summary>The time-out of a call. A call that takes longer is cut off.</summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>All connections must be open within this time.</summary>
    public TimeSpan ConnectDeadline { get; init; } = UsualDeadline;
}
