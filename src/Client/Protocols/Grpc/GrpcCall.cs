using IpcBench.Client.Engine;

namespace IpcBench.Client.Protocols.Grpc;

/// <summary>A method of the user's service, with its encoded requests and the check of its replies.</summary>
internal sealed record GrpcCall
{
    private int connections = -1;

    /// <summary><c>package.Service/Method</c>.</summary>
    public required string Method { get; init; }

    /// <summary>True when the method takes a stream of messages. False when it takes one message.</summary>
    public bool TakesStream { get; init; }

    /// <summary>True when the method returns a stream of messages. False when it returns one message.</summary>
    public bool ReturnsStream { get; init; }

    /// <summary>The encoded requests without gRPC's length prefix, at least one. Each connection sends them in turn.</summary>
    public required IReadOnlyList<byte[]> Messages { get; init; }

    /// <summary>The hash of the messages, in hexadecimal.</summary>
    public required string Corpus { get; init; }

    /// <summary>Metadata of every call. The values may be secrets.</summary>
    public IReadOnlyList<(string Name, string Value)> Metadata { get; init; } = [];

    /// <summary>The :authority of the requests. Null means the authority of the server's address.</summary>
    public string? Authority { get; init; }

    /// <summary>
    /// The deadline, which is sent as <c>grpc-timeout</c>. A reply after the deadline counts as DEADLINE_EXCEEDED. Null means
    /// no deadline.
    /// </summary>
    public TimeSpan? Deadline { get; init; }

    /// <summary>
    /// Checks a message of a reply. Returns the error, or null for a correct message. Without this function, the
    /// content of replies is not checked.
    /// </summary>
    public Func<byte[], string?>? Expect { get; init; }

    /// <summary>
    /// Returns the index of the message with which a new connection begins. The next connection begins with the next message, so
    /// that all messages are sent even if each connection makes one call. May be called from any thread.
    /// </summary>
    public int FirstTurn() => (int)((uint)Interlocked.Increment(ref connections) % Messages.Count);

    /// <summary>The path of the request, <c>/package.Service/Method</c>.</summary>
    public string Path => "/" + Method;

    /// <summary>The mean size of a request in bytes, rounded.</summary>
    public long Size => (long)Math.Round(Messages.Average(message => message.Length));

    /// <summary>The metadata that is sent with a call. When there is a deadline, the first entry is <c>grpc-timeout</c>.</summary>
    public IEnumerable<(string Name, string Value)> Fields =>
        Deadline is { } deadline ? Metadata.Prepend(("grpc-timeout", Timeout(deadline))) : Metadata;

    /// <summary>
    /// Texts that must not get into a file, even when a server repeats them in a message: each value of the metadata, and
    /// each word of a value with several words.
    /// </summary>
    public IReadOnlyList<string> Secrets => ServerWords.Secrets(Metadata.Select(entry => entry.Value));

    // gRPC allows at most eight digits and a unit (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
    private static string Timeout(TimeSpan deadline)
    {
        const double most = 99_999_999;
        var (number, unit) = Math.Round(deadline.TotalMicroseconds) <= most ? (Math.Max(1, deadline.TotalMicroseconds), 'u')
            : Math.Round(deadline.TotalMilliseconds) <= most ? (deadline.TotalMilliseconds, 'm')
            : (deadline.TotalSeconds, 'S');
        return FormattableString.Invariant($"{Math.Round(number):0}{unit}");
    }
}
