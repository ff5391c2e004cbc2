namespace IpcBench.Analysis.Results;

/// <summary>A method and the requests that it was called with. Only the names of the metadata are kept.</summary>
public sealed record CallRecord
{
    /// <summary>The name of the method: <c>package.Service/Method</c>.</summary>
    public required string Method { get; init; }

    /// <summary>
    /// SHA-256 over the messages of all requests, in lower-case hexadecimal digits. The length of each message comes
    /// first, as four big-endian bytes.
    /// </summary>
    public required string Corpus { get; init; }

    /// <summary>The number of requests that were sent in turn.</summary>
    public required int Requests { get; init; }

    /// <summary>Bytes of the smallest request message.</summary>
    public required long SmallestRequest { get; init; }

    /// <summary>Bytes of the largest request message.</summary>
    public required long LargestRequest { get; init; }

    /// <summary>The <c>grpc-timeout</c> that was sent, in ns. 0 if none was sent.</summary>
    public long DeadlineNs { get; init; }

    /// <summary>Names of the metadata that every call sent.</summary>
    public IReadOnlyList<string> Metadata { get; init; } = [];
}
