using System.Globalization;

namespace IpcBench.Client.Engine;

/// <summary>The names of those kinds of failures that several protocols share. Results files contain these names.</summary>
internal static class FailureKind
{
    /// <summary>The connection ended before the call ended.</summary>
    public const string ConnectionLost = "connection lost";

    /// <summary>The server reset the HTTP/2 stream of the call (RST_STREAM). The connection goes on.</summary>
    public const string Reset = "reset";

    /// <summary>The server sent bytes that the protocol does not allow.</summary>
    public const string Protocol = "protocol";

    private const string HttpMark = "http ";

    // The name of each gRPC status code (0 to 16) is made once, so that a failed call allocates nothing.
    private static readonly string[] GrpcKinds =
        [.. Enumerable.Range(0, 17).Select(code => string.Create(CultureInfo.InvariantCulture, $"status {code}"))];

    /// <param name="code">A status of gRPC, 0 to 16.</param>
    public static string OfGrpc(int code) => GrpcKinds[code];

    public static string OfHttp(int status) => string.Create(CultureInfo.InvariantCulture, $"{HttpMark}{status}");

    /// <summary>True when the kind of failure is an HTTP redirect (status 300 to 399).</summary>
    public static bool IsRedirect(string kind) => kind.StartsWith(HttpMark + "3", StringComparison.Ordinal);
}
