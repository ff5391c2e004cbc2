using System.Text.Json.Serialization;

namespace IpcBench.Server.JsonRpc;

/// <summary>The parameters of <c>tools/call</c>.</summary>
internal sealed record ToolCall(string? Name, ToolArguments? Arguments);

/// <summary>The arguments of the tool <c>download</c>.</summary>
/// <param name="Size">The number of bytes of text to return.</param>
internal sealed record ToolArguments(long? Size);

internal sealed record EmptyResult;

internal sealed record InitializeResult(string ProtocolVersion, Implementation ServerInfo)
{
    /// <summary>The answer to a client that names no version (https://modelcontextprotocol.io/specification).</summary>
    public const string Latest = "2025-06-18";

    public Capabilities Capabilities { get; } = new(new EmptyResult());
}

internal sealed record Capabilities(EmptyResult Tools);

internal sealed record Implementation(string Name, string Version);

internal sealed record ToolList(IReadOnlyList<Tool> Tools);

internal sealed record Tool(string Name, string Description, InputSchema InputSchema)
{
    public static Tool Download { get; } = new("download", "Returns text of the given size.",
        new InputSchema("object", new Dictionary<string, Argument> { ["size"] = new("integer") }, ["size"]));
}

internal sealed record InputSchema(string Type, IReadOnlyDictionary<string, Argument> Properties, IReadOnlyList<string> Required);

internal sealed record Argument(string Type);

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(JsonRpcRequest))]
[JsonSerializable(typeof(ToolCall))]
[JsonSerializable(typeof(EmptyResult))]
[JsonSerializable(typeof(InitializeResult))]
[JsonSerializable(typeof(ToolList))]
internal sealed partial class JsonRpcContext : JsonSerializerContext;
