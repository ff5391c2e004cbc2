using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>Another method than <c>Bench.Download</c>, as it was asked for: what it is called with is not encoded yet.</summary>
internal sealed record AskedCall
{
    /// <summary><c>package.Service/Method</c>.</summary>
    public required string Method { get; init; }

    /// <summary>Requests as JSON: text, <c>@file</c> or <c>-</c>; null: an empty message, unless there is <see cref="Binary"/>.</summary>
    public string? Data { get; init; }

    /// <summary>The bytes of a message: <c>@file</c> or <c>-</c>.</summary>
    public string? Binary { get; init; }

    /// <summary>What the first reply of each connection should say, as JSON; null: anything.</summary>
    public string? Expect { get; init; }

    public TimeSpan? Deadline { get; init; }

    public string? Authority { get; init; }

    /// <summary>Where its types come from, and the metadata of every call.</summary>
    public required TypeSource Types { get; init; }

    /// <summary>Message bytes are sent as they are and nobody looks at replies: nothing has to be known of the types.</summary>
    public bool NeedsTypes => Binary is null || Expect is not null;
}

/// <summary>Where the types of a service come from: a file, or the server's reflection.</summary>
internal sealed record TypeSource
{
    /// <summary>A FileDescriptorSet.</summary>
    public string? Protoset { get; init; }

    /// <summary>A .proto for protoc.</summary>
    public string? Proto { get; init; }

    /// <summary>Folders of its imports.</summary>
    public IReadOnlyList<string> Include { get; init; } = [];

    /// <summary>Nobody has to be asked.</summary>
    public bool IsFile => Protoset is not null || Proto is not null;

    /// <summary>The server to ask where no file is given.</summary>
    public Address? Server { get; init; }

    public ConnectorOptions Connector { get; init; } = new();

    /// <summary>The server's name in the questions; null: localhost.</summary>
    public string? Authority { get; init; }

    public IReadOnlyList<MetadataEntry> Metadata { get; init; } = [];
}
