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
