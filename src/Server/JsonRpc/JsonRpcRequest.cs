using System.Buffers;
using System.Text.Json;

namespace IpcBench.Server.JsonRpc;

/// <summary>A request of a client, or a notification, which has no id.</summary>
internal readonly struct JsonRpcRequest : IDisposable
{
    private const int MostVersion = 32;

    private readonly JsonDocument json;

    private JsonRpcRequest(JsonDocument json, string method) => (this.json, Method) = (json, method);

    public string Method { get; }

    /// <summary>The id as sent. Undefined for a notification.</summary>
    public JsonElement Id => Member(json.RootElement, "id");

    /// <summary>Whether the client expects an answer.</summary>
    public bool HasId => Id.ValueKind == JsonValueKind.Number || Text(json.RootElement, "id") is not null;

    /// <summary>The protocol version that <c>initialize</c> asks for. Null when there is none.</summary>
    public string? Version => Text(Params, "protocolVersion") is { Length: <= MostVersion } version ? version : null;

    /// <summary>The tool that <c>tools/call</c> names.</summary>
    public string? Tool => Text(Params, "name");

    /// <summary>The argument <c>size</c> of the tool. Null when it is no whole number.</summary>
    public long? Size => Member(Member(Params, "arguments"), "size") is { ValueKind: JsonValueKind.Number } size
        && size.TryGetInt64(out var number) ? number : null;

    private JsonElement Params => Member(json.RootElement, "params");

    /// <summary>Reads a message. Null when the message is no request.</summary>
    /// <param name="isJson">False when the message is not even JSON.</param>
    public static JsonRpcRequest? Parse(in ReadOnlySequence<byte> message, out bool isJson)
    {
        isJson = true;
        try
        {
            var json = JsonDocument.Parse(message);
            // An invalid escape in one name makes the search for other names fail.
            var isReadable = message.PositionOf((byte)'\\') is null || HasValidNames(json.RootElement);
            if (isReadable && Text(json.RootElement, "method") is { } method)
                return new(json, method);
            json.Dispose();
        }
        catch (JsonException)
        {
            isJson = false;
        }
        return null;
    }

    private static bool HasValidNames(JsonElement root)
    {
        try
        {
            return root.ValueKind == JsonValueKind.Object && root.EnumerateObject().All(member => member.Name.Length >= 0);
        }
        catch (InvalidOperationException)
        {
            return false;
        }
    }

    public void Dispose() => json.Dispose();

    private static JsonElement Member(JsonElement of, string name)
    {
        try
        {
            return of.ValueKind == JsonValueKind.Object && of.TryGetProperty(name, out var member) ? member : default;
        }
        catch (InvalidOperationException)
        {
            return default; // a name has an invalid escape
        }
    }

    private static string? Text(JsonElement of, string name)
    {
        try
        {
            return Member(of, name) is { ValueKind: JsonValueKind.String } text ? text.GetString() : null;
        }
        catch (InvalidOperationException)
        {
            return null; // the text has an invalid escape
        }
    }
}
