using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>The source of a service's types: a file, or the server's reflection.</summary>
internal sealed record TypeSource
{
    /// <summary>The file with a FileDescriptorSet.</summary>
    public string? Protoset { get; init; }

    /// <summary>The .proto file, which protoc compiles.</summary>
    public string? Proto { get; init; }

    /// <summary>The folders in which <see cref="Proto"/> finds its imports.</summary>
    public IReadOnlyList<string> Include { get; init; } = [];

    /// <summary>True when the types come from a file and not from the reflection of a server.</summary>
    public bool IsFile => Protoset is not null || Proto is not null;

    /// <summary>The server whose reflection gives the types, if no file does.</summary>
    public Address? Server { get; init; }

    public ConnectorOptions Connector { get; init; } = new();

    /// <summary>The :authority of the reflection calls. Null means the TLS host, else localhost.</summary>
    public string? Authority { get; init; }

    public IReadOnlyList<MetadataEntry> Metadata { get; init; } = [];
}
