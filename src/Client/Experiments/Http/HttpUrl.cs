using IpcBench.Client.Plan;
using IpcBench.Transports;

namespace IpcBench.Client.Experiments.Http;

/// <summary>One argument of <c>http</c>: the address of a server, with an optional path and name.</summary>
internal sealed record HttpUrl(string Name, Address Address, string OwnPath)
{
    /// <summary>The value of the Host header.</summary>
    public string Host => (Address is Address.Tcp { Port: 80 } or Address.Tls { Port: 443 }) && Address.Authority is var text
        ? text[..text.LastIndexOf(':')]
        : Address.Authority;

    /// <summary>Reads <c>[NAME=]URL</c>.</summary>
    /// <exception cref="UsageException">The text is no URL.</exception>
    public static HttpUrl Parse(string text)
    {
        if (text.StartsWith('-'))
            throw new UsageException($"http has no option {UrlText.WithoutSecrets(text)}");
        var sign = text.IndexOf('=', StringComparison.Ordinal);
        var isNamed = sign >= 0 && text.IndexOfAny([':', '/'], 0, sign) < 0;
        var (name, url) = isNamed ? (text[..sign].Trim(), text[(sign + 1)..]) : ("", text);
        if (isNamed && (name.Length is 0 or > 40 || name[0] == '#' || name.Any(char.IsControl)))
            throw new UsageException($"'{UrlText.WithoutSecrets(text)}' needs a name before '=', as in socket=http://localhost:8080/");
        var isWeb = url.StartsWith("http://", StringComparison.OrdinalIgnoreCase)
            || url.StartsWith("https://", StringComparison.OrdinalIgnoreCase);
        var (place, path) = isWeb ? Split(url) : (url, "");
        if (!Address.TryParse(place, out var address, out var error))
            throw new UsageException(error);
        if (address is Address.Child)
            throw new UsageException($"http measures servers that listen, not {address.Kind}: (for MCP servers there is GrpcBench mcp)");
        return address is Address.Tcp { Port: 0 } or Address.Tls { Port: 0 }
            ? throw new UsageException($"'{UrlText.WithoutSecrets(url)}' needs a port, as in http://localhost:8080/")
            : new HttpUrl(name, address, path);
    }

    /// <summary>Returns the URL's own path, else <paramref name="common"/>, else the root.</summary>
    /// <exception cref="UsageException">Both paths are given.</exception>
    public string Path(string common) => (OwnPath, common) switch
    {
        ("", "") => "/",
        ("", _) => common,
        (_, "") => OwnPath,
        _ => throw new UsageException(
            $"--path {UrlText.WithoutSecrets(common)} and {UrlText.WithoutSecrets(Address + OwnPath)} both give a path: leave out one "
                + "of the two"),
    };

    /// <summary>Returns the URL without its query, for reports and files.</summary>
    public string Shown(string common) =>
        Address + (Address is Address.Tcp or Address.Tls ? "" : " ") + UrlText.WithoutSecrets(Path(common));

    /// <summary>Splits a URL into its server and its path. The path is empty for the root.</summary>
    private static (string Place, string Path) Split(string text)
    {
        if (!Uri.TryCreate(text, UriKind.Absolute, out var uri) || uri.Host.Length == 0)
            throw new UsageException($"'{UrlText.WithoutSecrets(text)}' is not a URL: write http://host:port/path");
        if (uri.UserInfo.Length > 0)
            throw new UsageException($"'{UrlText.WithoutSecrets(text)}' contains a user name: write -H 'Authorization: …' instead");
        if (uri.Fragment.Length > 0)
            throw new UsageException(
                $"'{UrlText.WithoutSecrets(text)}' has a fragment, which is never sent: leave out the text from # on");
        return (uri.GetLeftPart(UriPartial.Authority), uri.PathAndQuery == "/" ? "" : uri.PathAndQuery);
    }
}

/// <summary>One header of <c>-H</c>.</summary>
internal sealed record HttpHeader(string Name, string Value)
{
    private const string Marks = "!#$%&'*+-.^_`|~";

    /// <exception cref="UsageException">The text is no header, or names a header that this tool writes itself.</exception>
    public static HttpHeader Parse(string text)
    {
        var colon = text.IndexOf(':', StringComparison.Ordinal);
        var (name, value) = colon < 0 ? ("", "") : (text[..colon], text[(colon + 1)..].Trim(' ', '\t'));
        if (name.Length == 0 || !name.All(c => char.IsAsciiLetterOrDigit(c) || Marks.Contains(c, StringComparison.Ordinal))
            || value.Any(char.IsControl))
            throw new UsageException($"-H '{Redaction.Header(text).ReplaceLineEndings(" ")}' is not a header such as 'Accept: text/html'");
        // The text ends with a colon when the shell has split an unquoted header. The header's value would then be taken for a URL,
        // and the error message about this URL would print the value, which may be secret.
        if (text[^1] == ':')
            throw new UsageException($"-H {text} has no value: quote the whole header, as in -H '{name}: value'");
        var header = new HttpHeader(name, value);
        if (header.Is("Content-Length") || header.Is("Transfer-Encoding"))
            throw new UsageException($"-H {name}: this tool sets the length of the body from --body, so leave out this header");
        return header.Is("Expect")
            ? throw new UsageException("-H Expect: the body is sent with the headers, without waiting, so leave out this header")
            : header.Is("Upgrade") ? throw new UsageException("-H Upgrade: only HTTP/1.1 is measured, so leave out this header") : header;
    }

    public bool Is(string name) => string.Equals(Name, name, StringComparison.OrdinalIgnoreCase);
}
