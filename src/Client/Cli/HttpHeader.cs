using IpcBench.Client.Plan;

namespace IpcBench.Client.Cli;

/// <summary>One header as typed after <c>-H</c>.</summary>
internal sealed record HttpHeader(string Name, string Value)
{
    private const string Marks = "!#$%&'*+-.^_`|~";

    /// <exception cref="UsageException">It is none, or one that this tool writes itself.</exception>
    public static HttpHeader Parse(string text)
    {
        var colon = text.IndexOf(':', StringComparison.Ordinal);
        var (name, value) = colon < 0 ? ("", "") : (text[..colon], text[(colon + 1)..].Trim(' ', '\t'));
        if (name.Length == 0 || !name.All(c => char.IsAsciiLetterOrDigit(c) || Marks.Contains(c, StringComparison.Ordinal))
            || value.Any(char.IsControl))
            throw new UsageException($"-H '{Secrets.Header(text).ReplaceLineEndings(" ")}' is no header such as 'Accept: text/html'");
        // What the shell has split off would be taken for a URL, and be printed as one that is wrong.
        if (text[^1] == ':')
            throw new UsageException($"-H {text} has no value: quote the whole header, as in -H '{name}: value'");
        var header = new HttpHeader(name, value);
        if (header.Is("Content-Length") || header.Is("Transfer-Encoding"))
            throw new UsageException($"-H {name}: the length of the body follows from --body");
        return header.Is("Expect")
            ? throw new UsageException("-H Expect: the body is sent with the headers, there is nothing to wait for")
            : header.Is("Upgrade") ? throw new UsageException("-H Upgrade: HTTP/1.1 alone is measured here") : header;
    }

    public bool Is(string name) => string.Equals(Name, name, StringComparison.OrdinalIgnoreCase);
}
