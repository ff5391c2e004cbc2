using IpcBench.Transports;

namespace IpcBench.Client.Engine;

/// <summary>How much load one cell has, whatever protocol it speaks; fixed while its connections are open.</summary>
internal record EngineOptions
{
    public required Address Address { get; init; }

    /// <summary>Payload bytes to ask for.</summary>
    public required long Size { get; init; }

    public required int Connections { get; init; }

    /// <summary>Concurrent calls of one connection.</summary>
    public int Streams { get; init; } = 1;

    /// <summary>Threads that run completions.</summary>
    public required int Threads { get; init; }

    /// <summary>A call that takes longer is cut off.</summary>
    public TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>All connections must be open by then.</summary>
    public TimeSpan ConnectDeadline { get; init; } = TimeSpan.FromSeconds(10);
}
