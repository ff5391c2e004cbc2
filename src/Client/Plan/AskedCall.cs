namespace IpcBench.Client.Plan;

/// <summary>The method that <c>--call</c> asks for in place of <c>Bench.Download</c>. Its requests are not encoded yet.</summary>
internal sealed record AskedCall
{
    /// <summary><c>package.Service/Method</c>.</summary>
    public required string Method { get; init; }

    /// <summary>
    /// Requests as JSON: text, <c>@file</c>, or <c>-</c> for standard input. Null means an empty message, or <see cref="Binary"/>.
    /// </summary>
    public string? Data { get; init; }

    /// <summary>The bytes of a message: <c>@file</c>, or <c>-</c> for standard input.</summary>
    public string? Binary { get; init; }

    /// <summary>The expected first reply of each connection, as JSON. Null means any reply.</summary>
    public string? Expect { get; init; }

    public TimeSpan? Deadline { get; init; }

    public string? Authority { get; init; }

    /// <summary>The source of the types, and the metadata of every call.</summary>
    public required TypeSource Types { get; init; }

    /// <summary>False when message bytes are sent unchanged and replies are not checked.</summary>
    public bool NeedsTypes => Binary is null || Expect is not null;
}
