namespace IpcBench.Client.Plan;

/// <summary>The method of <c>--call</c>, which replaces <c>Bench.Download</c>, and its requests before they are encoded.</summary>
internal sealed record AskedCall
{
    /// <summary><c>package.Service/Method</c>.</summary>
    public required string Method { get; init; }

    /// <summary>
    /// The requests in JSON: text, <c>@file</c>, or <c>-</c> for standard input. Null means that the request is
    /// <see cref="Binary"/>, or an empty message if <see cref="Binary"/> is null too.
    /// </summary>
    public string? Data { get; init; }

    /// <summary>The source of an encoded request: <c>@file</c>, or <c>-</c> for standard input. Null without such a request.</summary>
    public string? Binary { get; init; }

    /// <summary>The expected first reply of each connection, in JSON. Null means that any reply is accepted.</summary>
    public string? Expect { get; init; }

    public TimeSpan? Deadline { get; init; }

    public string? Authority { get; init; }

    /// <summary>The source of the message types. It also holds the metadata of every call.</summary>
    public required TypeSource Types { get; init; }

    /// <summary>False when message bytes are sent unchanged and replies are not checked.</summary>
    public bool NeedsTypes => Binary is null || Expect is not null;
}
