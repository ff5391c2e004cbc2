using IpcBench.Transports;

namespace IpcBench.Client.Engine;

/// <summary>The result of one call. A failure is a value, not an exception.</summary>
internal readonly struct CallResult
{
    private const string CutOffMark = "cut off", OverMark = "over";

    private readonly string? failure;

    private CallResult(string? failure, long bytes = 0) => (this.failure, Bytes) = (failure, bytes);

    /// <summary>Payload bytes of a correct reply.</summary>
    public long Bytes { get; }

    /// <summary>Makes the result of a call whose reply was correct in every respect.</summary>
    public static CallResult Ok(long bytes) => new(null, bytes);

    /// <summary>The result of a call that was cut off, at its time-out or at the time limit after the window.</summary>
    public static CallResult CutOff => new(CutOffMark);

    /// <summary>The result of waiting for a message until the load was over. It does not count as a call.</summary>
    public static CallResult Over => new(OverMark);

    /// <param name="kind">One of a few short texts: <c>status 13</c>, <c>reset</c>, <c>wrong length</c>.</param>
    public static CallResult Failed(string kind) => new(kind);

    public bool IsOk => failure is null;

    public bool IsCutOff => ReferenceEquals(failure, CutOffMark);

    public bool IsOver => ReferenceEquals(failure, OverMark);

    /// <summary>The kind of failure. Empty for calls that succeeded.</summary>
    public string Kind => failure ?? "";
}

/// <summary>The load of one cell, for any protocol. The options do not change while the connections are open.</summary>
internal record EngineOptions
{
    public required Address Address { get; init; }

    /// <summary>Payload bytes to request.</summary>
    public required long Size { get; init; }

    public required int Connections { get; init; }

    /// <summary>Concurrent calls of one connection.</summary>
    public int Streams { get; init; } = 1;

    /// <summary>The direction of the messages that count as calls.</summary>
    public virtual Flow Flow => Flow.Both;

    /// <summary>Threads that run the connections.</summary>
    public required int Threads { get; init; }

    /// <summary>The time-out of a call. A call that takes longer is cut off.</summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>All connections must be open within this time.</summary>
    public TimeSpan ConnectDeadline { get; init; } = TimeSpan.FromSeconds(10);
}

/// <summary>The direction of the messages that count as calls.</summary>
internal enum Flow : byte
{
    /// <summary>Each message is answered, and the call ends with the answer.</summary>
    Both,

    /// <summary>
    /// Messages go to the server. A call ends when its message is written. At the end of a stream, the server reports when they arrived.
    /// </summary>
    Out,

    /// <summary>Messages come from the server. A call ends when its message has arrived.</summary>
    In,
}
