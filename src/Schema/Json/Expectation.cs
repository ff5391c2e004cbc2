using System.Text.Json;
using Google.Protobuf.Reflection;
using IpcBench.Schema.Types;
using IpcBench.Schema.Values;

namespace IpcBench.Schema.Json;

/// <summary>
/// The expected content of a reply. Every field that the expected JSON names is compared, even if its value is a default, an empty
/// list or null (which means "not set"). Other fields may have any value. Lists must have the expected number of elements.
/// </summary>
public sealed class Expectation
{
    private const int Shown = 60;

    private readonly MessageDescriptor type;
    private readonly MethodTypes types;
    private readonly JsonElement expected;

    /// <param name="json">The expected fields of a message of this type.</param>
    /// <param name="types">The files that define the type.</param>
    /// <exception cref="InputException">The JSON does not fit the type.</exception>
    public Expectation(MessageDescriptor type, string json, MethodTypes types)
    {
        (this.type, this.types) = (type, types);
        // The JSON is read and written again. So each value (1e3, "1000") gets the spelling that it would have in a reply.
        this.expected = Parse(new JsonWriter(types, JsonFields.AsSet).Write(JsonReader.Read(type, new JsonSource(json), types)));
    }

    /// <summary>
    /// Finds the first difference, for example <c>items[2].price: expected 3, got 4</c>. Null when nothing differs. The text has
    /// the whole received value without escapes, so that the caller can hide secrets in the value before shortening the text.
    /// </summary>
    /// <exception cref="SchemaException">The bytes are not a message of the type.</exception>
    public string? FirstDifference(byte[] reply)
    {
        var message = new WireReader(this.types).Read(this.type, reply);
        return Difference("", this.expected, Parse(new JsonWriter(this.types, JsonFields.All).Write(message)));
    }

    private static JsonElement Parse(string json)
    {
        using var document = JsonDocument.Parse(json, new JsonDocumentOptions { MaxDepth = JsonWriter.Deepest });
        return document.RootElement.Clone();
    }

    private static string? Difference(string path, JsonElement expected, JsonElement? actual)
    {
        if (actual is not { } got)
            return expected.ValueKind == JsonValueKind.Null ? null : Sentence(path, expected, null);
        if (expected.ValueKind != got.ValueKind)
            return Sentence(path, expected, got);
        switch (expected.ValueKind)
        {
            case JsonValueKind.Object:
                return expected.EnumerateObject()
                    .Select(member => Difference(Join(path, member.Name), member.Value, Member(got, member.Name)))
                    .FirstOrDefault(difference => difference is not null);
            case JsonValueKind.Array:
                return Enumerable.Range(0, Math.Max(expected.GetArrayLength(), got.GetArrayLength()))
                    .Select(at => Element($"{path}[{at}]", Item(expected, at), Item(got, at)))
                    .FirstOrDefault(difference => difference is not null);
            default:
                return expected.GetRawText() == got.GetRawText() ? null : Sentence(path, expected, got);
        }
    }

    private static string? Element(string path, JsonElement? expected, JsonElement? actual) =>
        expected is { } wanted && actual is { } got ? Difference(path, wanted, got) : Sentence(path, expected, actual);

    private static JsonElement? Member(JsonElement message, string name) => message.TryGetProperty(name, out var value) ? value : null;

    private static JsonElement? Item(JsonElement list, int at) => at < list.GetArrayLength() ? list[at] : null;

    private static string Join(string path, string name)
    {
        if (!name.All(letter => char.IsAsciiLetterOrDigit(letter) || letter == '_'))
            return $"{path}[\"{JsonNode.Short(name)}\"]";
        return path.Length == 0 ? name : $"{path}.{name}";
    }

    private static string Sentence(string path, JsonElement? expected, JsonElement? actual) =>
        $"{(path.Length == 0 ? "reply" : path)}: expected {Short(Text(expected))}, got {Text(actual)}";

    private static string Text(JsonElement? value) => value switch
    {
        null => "nothing",
        { ValueKind: JsonValueKind.String } text => $"\"{text.GetString()}\"",
        { } other => other.GetRawText(),
    };

    private static string Short(string text) => text.Length <= Shown ? text : $"{text[..Shown]}…";
}
