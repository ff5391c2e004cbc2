using System.Globalization;

namespace IpcBench.Server.Bytes;

/// <summary>The path <c>/bytes/{n}</c>: n bytes over bare HTTP/2, without gRPC.</summary>
internal static class BytesPath
{
    public const string Prefix = "/bytes/";

    public static bool IsBytes(string path) => path.StartsWith(Prefix, StringComparison.Ordinal);

    /// <summary>The number after the prefix; false when there is none.</summary>
    public static bool TryParse(string path, out long size) =>
        long.TryParse(IsBytes(path) ? path.AsSpan(Prefix.Length) : [], NumberStyles.None, CultureInfo.InvariantCulture, out size);
}
