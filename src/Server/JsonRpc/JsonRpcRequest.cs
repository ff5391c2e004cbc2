using System.Buffers;
using System.Text.Json;

namespace IpcBench.Server.JsonRpc;

/// <summary>A request of a client, or a notification, which has no id.</summary>
internal sealed record JsonRpcRequest
{
    /// <summary>A number or a string. Undefined for a notification.</summary>
    public JsonElement Id { get; init; }

    public string? Method { get; init; }

    public JsonElement Params { get; init; }

    /// <summary>Whether the client expects an answer.</summary>
    public bool HasId => Id.ValueKind is JsonValueKind.Number or JsonValueKind.String;

    /// <summary>Reads a message. Null when the message is no JSON object, or when a member has the wrong type.</summary>
    public static JsonRpcRequest? Parse(in ReadOnlySequence<byte> message)
    {
        try
        {
            var reader = new Utf8JsonReader(message);
            var request = JsonSerializer.Deserialize(ref reader, JsonRpcContext.Default.JsonRpcRequest);
            return reader.Read() ? null : request;
        }
        catch (JsonException)
        {
            return null;
        }
    }

    /// <summary>Returns the parameters of <c>tools/call</c>. Null when they are missing or have the wrong types.</summary>
    public ToolCall? ToolCall()
    {
        try
        {
            return Params.ValueKind == JsonValueKind.Object ? Params.Deserialize(JsonRpcContext.Default.ToolCall) : null;
        }
        catch (JsonException)
        {
            return null;
        }
    }

    /// <summary>Returns the protocol version that <c>initialize</c> asks for.</summary>
    public string Version() =>
        Params.ValueKind == JsonValueKind.Object && Params.TryGetProperty("protocolVersion", out var version)
            && version is { ValueKind: JsonValueKind.String } && version.GetString() is { Length: <= 32 } known
            ? known : InitializeResult.Latest;
}
