namespace IpcBench.Client.Plan;

/// <summary>The values of all knobs for one arm. A run that compares no values has one variant, without a name.</summary>
/// <param name="Name">Empty, or for example <c>socket-buffer=256k</c>.</param>
/// <param name="Knobs">All knobs of this arm.</param>
/// <param name="EchoAlone">True when only raw echoes over plain sockets are measured with this variant.</param>
internal sealed record Variant(string Name, Knobs Knobs, bool EchoAlone = false)
{
    /// <summary>
    /// The words of the command (<c>ab</c>) that starts the servers, one process per transport. Null means a server of this tool.
    /// </summary>
    public IReadOnlyList<string>? Command { get; init; }

    /// <summary>The one transport that is measured with this variant. Null means all transports without variants of their own.</summary>
    public string? Transport { get; init; }

    /// <summary>Returns the transports of the run that are measured with this variant.</summary>
    public IReadOnlyList<string> TransportsOf(RunOptions options) => [.. options.Transports.Where(kind =>
        Transport is { } only ? kind == only : !options.Variants.Any(other => other.Transport == kind))];

    /// <summary>The name in messages of a server that a command starts.</summary>
    public string Side => Name.Length == 0 ? "base" : "head";
}
