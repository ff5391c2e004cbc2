using System.Globalization;
using System.Text;

namespace IpcBench.Client.Protocols.Http1;

/// <summary>What every call of an HTTP/1.1 arm asks for, and what it must get.</summary>
internal sealed record HttpRequest
{
    /// <summary>As reports show it: without its query.</summary>
    public required string Url { get; init; }

    public string Method { get; init; } = "GET";

    /// <summary>Path and query.</summary>
    public string Path { get; init; } = "/";

    /// <summary>Value of the Host header.</summary>
    public string Host { get; init; } = "localhost";

    /// <summary>Further headers as <c>Name: value</c>.</summary>
    public IReadOnlyList<string> Headers { get; init; } = [];

    /// <summary>Null: the request has none.</summary>
    public byte[]? Body { get; init; }

    /// <summary>Bytes of the body of every reply, found by a first request.</summary>
    public long Size { get; init; }

    /// <summary>Bodies may be of any length: <see cref="Size"/> is one of them and nothing is expected.</summary>
    public bool VaryingLength { get; init; }

    /// <summary>Replies of another status are failures.</summary>
    public ExpectedStatus ExpectStatus { get; init; } = ExpectedStatus.Success;

    /// <summary>The reply has headers alone.</summary>
    public bool IsHead => Method == "HEAD";

    /// <param name="close">Ask the server to close the connection after the reply.</param>
    public byte[] ToBytes(bool close)
    {
        var text = new StringBuilder($"{Method} {Path} HTTP/1.1\r\nHost: {Host}\r\n");
        foreach (var header in Headers)
            text.Append(header).Append("\r\n");
        if (Body is not null)
            text.Append(CultureInfo.InvariantCulture, $"Content-Length: {Body.Length}\r\n");
        if (close)
            text.Append("Connection: close\r\n");
        return [.. Encoding.UTF8.GetBytes(text.Append("\r\n").ToString()), .. Body ?? []];
    }
}

/// <summary>The statuses of an HTTP reply that count as success.</summary>
internal sealed class ExpectedStatus
{
    private readonly bool[] expected = new bool[600];

    private ExpectedStatus()
    {
    }

    /// <summary>200 to 299: a redirect is another reply than the one that is to be measured.</summary>
    public static ExpectedStatus Success { get; } = Parse("2xx");

    /// <param name="list">Statuses and classes separated by commas: <c>200</c>, <c>2xx</c>, <c>200,304,4xx</c>.</param>
    /// <exception cref="FormatException">It is no such list; the message is one sentence.</exception>
    public static ExpectedStatus Parse(string list)
    {
        var parsed = new ExpectedStatus();
        foreach (var part in list.Split(',', StringSplitOptions.TrimEntries))
        {
            if (part is not [>= '2' and <= '5', _, _])
                throw Refusal(part);
            var first = 100 * (part[0] - '0');
            if (part.EndsWith("xx", StringComparison.OrdinalIgnoreCase))
                parsed.expected.AsSpan(first, 100).Fill(true);
            else if (char.IsAsciiDigit(part[1]) && char.IsAsciiDigit(part[2]))
                parsed.expected[first + 10 * (part[1] - '0') + part[2] - '0'] = true;
            else
                throw Refusal(part);
        }
        return parsed;
    }

    public bool Has(int status) => status < expected.Length && expected[status];

    private static FormatException Refusal(string part) => new($"'{part}' is no status such as 200 or 2xx, from 200 to 599");
}
