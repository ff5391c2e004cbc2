using IpcBench.Transports;

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

/// <summary>The source of a service's types: a file, or the server's reflection.</summary>
internal sealed record TypeSource
{
    /// <summary>The file with a FileDescriptorSet.</summary>
    public string? Protoset { get; init; }

    /// <summary>The .proto file, which protoc compiles.</summary>
    public string? Proto { get; init; }

    /// <summary>The folders in which <see cref="Proto"/> finds its imports.</summary>
    public IReadOnlyList<string> Include { get; init; } = [];

    /// <summary>True when the types come from a file, so that no server is asked.</summary>
    public bool IsFile => Protoset is not null || Proto is not null;

    /// <summary>The server whose reflection gives the types, if no file does.</summary>
    public Address? Server { get; init; }

    public ConnectorOptions Connector { get; init; } = new();

    /// <summary>The :authority of the reflection calls. Null means localhost.</summary>
    public string? Authority { get; init; }

    public IReadOnlyList<MetadataEntry> Metadata { get; init; } = [];
}
