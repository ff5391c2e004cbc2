namespace IpcBench.Analysis.Results;

/// <summary>The method that a run called, and facts about the requests. Metadata is kept without its values.</summary>
public sealed record CallRecord
{
    /// <summary>The name of the method: <c>package.Service/Method</c>.</summary>
    public required string Method { get; init; }

    /// <summary>
    /// SHA-256 over the messages of all requests, in lower-case hexadecimal digits. Before each message, its length is
    /// hashed as four big-endian bytes.
    /// </summary>
    public required string Corpus { get; init; }

    /// <summary>The number of requests in the list that the calls went through in turn.</summary>
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
