using IpcBench.Http2;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>What the connections of one cell have in common.</summary>
internal sealed record Http2Options
{
    public required Http2Request Request { get; init; }

    /// <summary>Payload bytes that a right reply has.</summary>
    public required long Size { get; init; }

    /// <summary>Calls that may be out at a time.</summary>
    public required int Streams { get; init; }

    /// <summary>Receive window in bytes, of a stream and of the connection.</summary>
    public int Window { get; init; } = ReceiveWindow.Ample;

    /// <summary>The first stream identifier; another than 1 only to see what happens when they run out.</summary>
    public int FirstId { get; init; } = 1;
}
