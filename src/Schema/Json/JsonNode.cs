using System.Text;
using System.Text.Json;

namespace IpcBench.Schema.Json;

/// <summary>A member of a JSON object. Its name begins at byte <see cref="At"/>.</summary>
internal readonly record struct JsonMember(string Name, int At, JsonNode Value);

/// <summary>
/// A JSON value with the position of its first byte, which System.Text.Json's documents do not give. <see cref="Text"/> is
/// the content of a string, or a number in the form in which it was written.
/// </summary>
internal sealed record JsonNode(JsonValueKind Kind, int At, string Text = "")
{
    /// <summary>The deepest nesting of objects and lists.</summary>
    public const int Deepest = 100;

    private const int Shortened = 40;

    private static readonly JsonReaderOptions Options = new() { MaxDepth = Deepest + 1, AllowMultipleValues = true };

    public List<JsonMember> Members { get; } = [];

    public List<JsonNode> Items { get; } = [];

    /// <summary>
    /// The value as an error message shows it. Scalars are shown as they were written, and shortened if they are long.
    /// </summary>
    public string Shown => Kind switch
    {
        JsonValueKind.Object => "an object",
        JsonValueKind.Array => "a list",
        JsonValueKind.String => $"\"{Short(Text)}\"",
        JsonValueKind.Number => Short(Text),
        JsonValueKind.True => "true",
        JsonValueKind.False => "false",
        _ => "null",
    };

    /// <summary>Reads a text that holds exactly one value.</summary>
    /// <exception cref="InputException">The text is not JSON, has more than one value, or is nested too deeply.</exception>
    public static JsonNode Parse(JsonSource source)
    {
        var at = 0;
        var node = Next(source, ref at) ?? throw source.Error(0, "the text holds no JSON");
        return AtEnd(source, at) ? node : throw Follows(source, at + White(source, at));
    }

    /// <summary>Reads the values of the text one after another. White space separates the values.</summary>
    public static IEnumerable<JsonNode> ParseAll(JsonSource source)
    {
        var at = 0;
        while (Next(source, ref at) is { } node)
            yield return node;
    }

    private static InputException Follows(JsonSource source, int at) => source.Error(at, "text follows the end of the JSON value");

    private static bool AtEnd(JsonSource source, int at) => White(source, at) < 0;

    // Counts the white-space bytes at this place. Negative when only white space follows.
    private static int White(JsonSource source, int at) => source.Text.Span[at..].IndexOfAnyExcept(" \t\r\n"u8);

    private static JsonNode? Next(JsonSource source, ref int at)
    {
        var white = White(source, at);
        if (white < 0)
            return null;
        at += white;
        var reader = new Utf8JsonReader(source.Text.Span[at..], Options);
        try
        {
            reader.Read();
            var node = Read(ref reader, source, at);
            at += (int)reader.BytesConsumed;
            return at == source.Text.Length || " \t\r\n{[\""u8.Contains(source.Text.Span[at]) ? node : throw Follows(source, at);
        }
        catch (JsonException e)
        {
            var wrong = Offset(source.Text.Span[at..], e.LineNumber ?? 0, e.BytePositionInLine ?? 0) + at;
            var early = AtEnd(source, Math.Min(wrong, source.Text.Length));
            throw source.Error(wrong, early ? "the JSON ends too early" : $"the text is not JSON: {FirstSentence(e)}", e);
        }
    }

    private static JsonNode Read(ref Utf8JsonReader reader, JsonSource source, int offset)
    {
        var at = offset + (int)reader.TokenStartIndex;
        if (reader.CurrentDepth >= Deepest && reader.TokenType is JsonTokenType.StartObject or JsonTokenType.StartArray)
            throw source.Error(at, $"the JSON is nested deeper than {Deepest} levels");
        switch (reader.TokenType)
        {
            case JsonTokenType.StartObject:
                var node = new JsonNode(JsonValueKind.Object, at);
                while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
                {
                    var (name, nameAt) = (Content(ref reader, source, offset), offset + (int)reader.TokenStartIndex);
                    reader.Read();
                    node.Members.Add(new JsonMember(name, nameAt, Read(ref reader, source, offset)));
                }
                return node;
            case JsonTokenType.StartArray:
                var list = new JsonNode(JsonValueKind.Array, at);
                while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
                    list.Items.Add(Read(ref reader, source, offset));
                return list;
            case JsonTokenType.String:
                return new JsonNode(JsonValueKind.String, at, Content(ref reader, source, offset));
            case JsonTokenType.Number:
                return new JsonNode(JsonValueKind.Number, at, Encoding.UTF8.GetString(reader.ValueSpan));
            case JsonTokenType.True:
                return new JsonNode(JsonValueKind.True, at);
            case JsonTokenType.False:
                return new JsonNode(JsonValueKind.False, at);
            default:
                return new JsonNode(JsonValueKind.Null, at);
        }
    }

    private static string Content(ref Utf8JsonReader reader, JsonSource source, int offset)
    {
        try
        {
            return reader.GetString()!;
        }
        catch (InvalidOperationException e)
        {
            throw source.Error(offset + (int)reader.TokenStartIndex, "the string is not valid Unicode text", e);
        }
    }

    private static int Offset(ReadOnlySpan<byte> text, long line, long position)
    {
        var start = 0;
        for (; line > 0; line--)
            start += text[start..].IndexOf((byte)'\n') + 1;
        return start + (int)position;
    }

    private static string FirstSentence(JsonException e) => e.Message.Split(" LineNumber:")[0].Split(". ")[0].TrimEnd('.');

    public static string Short(string text) => text.Length <= Shortened ? text : $"{text[..Shortened]}…";
}
