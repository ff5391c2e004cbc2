using System.Globalization;
using System.Text;

namespace IpcBench.Client.Protocols.Http1;

/// <summary>The request of every call of an HTTP/1.1 arm, and the expected reply.</summary>
internal sealed record HttpRequest
{
    /// <summary>The URL without its query, for reports.</summary>
    public required string Url { get; init; }

    public string Method { get; init; } = "GET";

    /// <summary>Path and query.</summary>
    public string Path { get; init; } = "/";

    /// <summary>Value of the Host header.</summary>
    public string Host { get; init; } = "localhost";

    /// <summary>Additional headers, each in the form <c>Name: value</c>.</summary>
    public IReadOnlyList<string> Headers { get; init; } = [];

    /// <summary>The body. Null when the request has none.</summary>
    public byte[]? Body { get; init; }

    /// <summary>Makes the body of a connection from the connection's number. Null when all connections send <see cref="Body"/>.</summary>
    public Func<long, byte[]>? BodyOf { get; init; }

    /// <summary>The number of bytes of each reply that count as payload. Null when the whole body counts.</summary>
    public long? Payload { get; init; }

    /// <summary>The length of every reply's body in bytes, found by a first request.</summary>
    public long Size { get; init; }

    /// <summary>True when bodies may have any length. <see cref="Size"/> is then an example and is not checked.</summary>
    public bool VaryingLength { get; init; }

    /// <summary>The expected statuses. A reply with another status is a failure.</summary>
    public ExpectedStatus ExpectStatus { get; init; } = ExpectedStatus.Success;

    /// <summary>True for a HEAD request. Its reply has headers only.</summary>
    public bool IsHead => Method == "HEAD";

    /// <param name="close">True to ask the server to close the connection after the reply.</param>
    /// <param name="connection">The number of the connection.</param>
    public byte[] ToBytes(bool close, long connection = 0)
    {
        var body = BodyOf?.Invoke(connection) ?? Body;
        var text = new StringBuilder($"{Method} {Path} HTTP/1.1\r\nHost: {Host}\r\n");
        foreach (var header in Headers)
            text.Append(header).Append("\r\n");
        if (body is not null)
            text.Append(CultureInfo.InvariantCulture, $"Content-Length: {body.Length}\r\n");
        if (close)
            text.Append("Connection: close\r\n");
        return [.. Encoding.UTF8.GetBytes(text.Append("\r\n").ToString()), .. body ?? []];
    }
}

/// <summary>The statuses of an HTTP reply that count as success.</summary>
internal sealed class ExpectedStatus
{
    private readonly bool[] expected = new bool[600];

    private ExpectedStatus()
    {
    }

    /// <summary>The statuses 200 to 299. A redirect counts as a failure, since its reply is not the reply to measure.</summary>
    public static ExpectedStatus Success { get; } = Parse("2xx");

    /// <param name="list">Statuses and classes, separated by commas: <c>200</c>, <c>2xx</c>, <c>200,304,4xx</c>.</param>
    /// <exception cref="FormatException">The list is invalid. The message is one sentence.</exception>
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

    private static FormatException Refusal(string part) => new($"'{part}' is not a status from 200 to 599 such as 200 or 2xx");
}
