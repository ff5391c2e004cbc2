using System.Text;

namespace IpcBench.Client.Plan;

/// <summary>
/// Reads the headers of <c>-H</c>. Each <c>-H</c> gives a header <c>Name: value</c>, or names a file (<c>@FILE</c>) or
/// an environment variable (<c>$NAME</c>) with a header per line. Lists of processes (ps) do not show headers that come
/// from a file or variable.
/// </summary>
internal static class HeaderTexts
{
    /// <summary>True when the text names a file or variable with headers.</summary>
    public static bool IsElsewhere(string text) =>
        text is ['@', ..] || (text is ['$', _, ..] && !text.Contains(':', StringComparison.Ordinal));

    /// <summary>Reads all headers, each as <c>Name: value</c>.</summary>
    /// <exception cref="UsageException">A file cannot be read, or a variable does not exist.</exception>
    public static IReadOnlyList<string> Read(IEnumerable<string> typed) =>
        [.. typed.SelectMany(text => IsElsewhere(text) ? Lines(text) : [text])];

    private static IEnumerable<string> Lines(string text)
    {
        var lines = (text[0] == '@' ? Encoding.UTF8.GetString(Parsers.File(text[1..], $"-H {text}")).TrimStart('\uFEFF')
            : Environment.GetEnvironmentVariable(text[1..])
            ?? throw new UsageException($"-H {text}: the environment has no variable {text[1..]}"))
            .Split('\n', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        return lines.Length > 0 ? lines : throw new UsageException($"-H {text} holds no header");
    }
}
