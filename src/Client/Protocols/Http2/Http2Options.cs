using IpcBench.Client.Engine;
using IpcBench.Http2;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>Options that the connections of a cell share.</summary>
internal sealed record Http2Options
{
    public required Http2Request Request { get; init; }

    /// <summary>Payload bytes of a correct reply. If the reply is a report (Received), payload bytes of the request.</summary>
    public long Size { get; init; }

    public ReplyKind Reply { get; init; }

    /// <summary>The longest duration of a call. A call that takes longer has failed, whatever its reply. 0 means no limit.</summary>
    public long DeadlineNs { get; init; }

    /// <summary>
    /// Checks the first reply of each window on each connection. Takes a message of the reply, and returns the error, or
    /// null for a correct message. Without this function, the content of replies is not checked.
    /// </summary>
    public Func<byte[], string?>? Expect { get; init; }

    /// <summary>The servers' messages about failed calls.</summary>
    public FailureNotes Notes { get; init; } = new();

    /// <summary>True when each call is a message on a stream that stays open after the call.</summary>
    public bool IsStream { get; init; }

    /// <summary>
    /// True when calls use the user's method. The user's messages are sent unchanged. Only the lengths of the replies are
    /// read, except for the check <see cref="Expect"/>.
    /// </summary>
    public bool IsUserMethod { get; init; }

    /// <summary>Bytes of each message of a pulled payload. The last message may have fewer. 0 means one message per payload.</summary>
    public long Chunk { get; init; }

    /// <summary>The direction of the messages. In a one-way flow, each message or pulled payload of a stream is a call.</summary>
    public Flow Flow { get; init; }

    /// <summary>The number of messages after which a new stream is opened. 0 means no limit.</summary>
    public long Messages { get; init; }

    /// <summary>The largest number of calls in flight on a connection.</summary>
    public required int Streams { get; init; }

    /// <summary>The receive window of each stream and of the connection, in bytes.</summary>
    public int Window { get; init; } = ReceiveWindow.Ample;

    /// <summary>The first stream identifier. It is 1 except in tests of exhausted identifiers.</summary>
    public int FirstId { get; init; } = 1;
}
