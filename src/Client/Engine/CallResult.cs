using IpcBench.Transports;

namespace IpcBench.Client.Engine;

/// <summary>How one call ended; failures are values.</summary>
internal readonly struct CallResult
{
    private const string CutOffMark = "cut off", OverMark = "over";

    private readonly string? failure;

    private CallResult(string? failure, long bytes = 0) => (this.failure, Bytes) = (failure, bytes);

    /// <summary>Payload bytes of a right reply.</summary>
    public long Bytes { get; }

    /// <summary>The reply was right in every respect.</summary>
    /// <param name="bytes">Of its payload.</param>
    public static CallResult Ok(long bytes) => new(null, bytes);

    /// <summary>No end was seen before the timeout or the drain limit.</summary>
    public static CallResult CutOff => new(CutOffMark);

    /// <summary>Nobody waits for that message any more, since the load is over: no call.</summary>
    public static CallResult Over => new(OverMark);

    /// <param name="kind">Few different ones, each short: <c>status 13</c>, <c>reset</c>, <c>wrong length</c>.</param>
    public static CallResult Failed(string kind) => new(kind);

    public bool IsOk => failure is null;

    public bool IsCutOff => ReferenceEquals(failure, CutOffMark);

    public bool IsOver => ReferenceEquals(failure, OverMark);

    /// <summary>What went wrong, when <see cref="IsOk"/> and <see cref="IsCutOff"/> are false.</summary>
    public string Kind => failure ?? "";
}

/// <summary>How much load one cell has, whatever protocol it speaks; fixed while its connections are open.</summary>
internal record EngineOptions
{
    public required Address Address { get; init; }

    /// <summary>Payload bytes to ask for.</summary>
    public required long Size { get; init; }

    public required int Connections { get; init; }

    /// <summary>Concurrent calls of one connection.</summary>
    public int Streams { get; init; } = 1;

    /// <summary>Which way messages go.</summary>
    public virtual Flow Flow => Flow.Both;

    /// <summary>Threads that run completions.</summary>
    public required int Threads { get; init; }

    /// <summary>A call that takes longer is cut off.</summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>All connections must be open by then.</summary>
    public TimeSpan ConnectDeadline { get; init; } = TimeSpan.FromSeconds(10);
}

/// <summary>Which way the messages go that are counted as calls.</summary>
internal enum Flow : byte
{
    /// <summary>Each is answered: a call is over with its answer.</summary>
    Both,

    /// <summary>To the server, which tells at a stream's end when they came; a call is over when it is written.</summary>
    Out,

    /// <summary>From the server: a call is over when it has come.</summary>
    In,
}
