using System.Text;

namespace IpcBench.Schema.Json;

/// <summary>JSON text and its origin. Its errors name the line and the column, as compilers do.</summary>
internal sealed class JsonSource
{
    private readonly string? name;
    private readonly int firstLine;

    /// <param name="text">The text in UTF-8. A byte order mark is skipped.</param>
    /// <param name="name">The name of the file. Null for text from the command line.</param>
    /// <param name="firstLine">The number of the file's line on which the text begins.</param>
    public JsonSource(ReadOnlyMemory<byte> text, string? name = null, int firstLine = 1)
    {
        Text = text.Span.StartsWith(Encoding.UTF8.Preamble) ? text[Encoding.UTF8.Preamble.Length..] : text;
        this.name = name;
        this.firstLine = firstLine;
    }

    public JsonSource(string text) : this(Encoding.UTF8.GetBytes(text))
    {
    }

    public ReadOnlyMemory<byte> Text { get; }

    /// <summary>Makes an error at byte <paramref name="at"/>: <c>line 1, column 9: …</c> or <c>carts.jsonl:3:9: …</c>.</summary>
    public InputException Error(int at, string sentence, Exception? inner = null)
    {
        var before = Text.Span[..Math.Clamp(at, 0, Text.Length)];
        var line = this.firstLine + before.Count((byte)'\n');
        var column = Characters(before[(before.LastIndexOf((byte)'\n') + 1)..]) + 1;
        var place = this.name is null ? $"line {line}, column {column}" : $"{this.name}:{line}:{column}";
        return new InputException($"{place}: {sentence}", inner);
    }

    // Every byte except UTF-8 continuation bytes begins a character.
    private static int Characters(ReadOnlySpan<byte> utf8)
    {
        var count = 0;
        foreach (var unit in utf8)
            count += (unit & 0xC0) == 0x80 ? 0 : 1;
        return count;
    }
}
