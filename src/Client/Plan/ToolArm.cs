using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>A server whose tool is called by JSON-RPC.</summary>
/// <param name="Name">
/// Distinguishes the server from other servers on its transport: the given name, or <c>#2</c> for the second server without a name.
/// Empty for the first server without a name.
/// </param>
/// <param name="Address">Where the server listens. For a command: an address of children (stdio).</param>
/// <param name="Words">The program and its arguments. Null for a server that runs already.</param>
/// <param name="Path">The path of the URL, if the messages go over HTTP. Null for messages that go directly over the connection.</param>
internal sealed record ToolArm(string Name, Address Address, IReadOnlyList<string>? Words = null, string? Path = null)
{
    /// <summary>The server for messages and files, without the query of a URL, which may be secret.</summary>
    public string Shown => Address + (Path is null ? "" : UrlText.WithoutSecrets($"http://x{Path}")["http://x".Length..]);
}
