using System.Globalization;

namespace IpcBench.Client.Engine;

/// <summary>The kinds of failed calls that several protocols share, with the names that stand in results files.</summary>
internal static class FailureKind
{
    /// <summary>The connection ended before the call did.</summary>
    public const string ConnectionLost = "connection lost";

    /// <summary>The server's bytes are not what the protocol allows.</summary>
    public const string Protocol = "protocol";

    private const string HttpMark = "http ";

    // Each code of gRPC (0 to 16) has its string here, so that a failed call allocates nothing.
    private static readonly string[] GrpcKinds =
        [.. Enumerable.Range(0, 17).Select(code => string.Create(CultureInfo.InvariantCulture, $"status {code}"))];

    /// <param name="code">A status of gRPC, 0 to 16.</param>
    public static string OfGrpc(int code) => GrpcKinds[code];

    public static string OfHttp(int status) => string.Create(CultureInfo.InvariantCulture, $"{HttpMark}{status}");

    /// <summary>True when a call failed with an HTTP status of a redirect (300 to 399).</summary>
    public static bool IsRedirect(string kind) => kind.StartsWith(HttpMark + "3", StringComparison.Ordinal);
}
