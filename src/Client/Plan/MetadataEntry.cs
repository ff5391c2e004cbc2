using System.Buffers.Text;

namespace IpcBench.Client.Plan;

/// <summary>
/// One entry of a gRPC call's metadata, from <c>-H</c>. The name is in lower case. If the name ends in <c>-bin</c>, the value
/// is base64.
/// </summary>
internal sealed record MetadataEntry(string Name, string Value)
{
    private const string Binary = "-bin";

    // Headers that gRPC and HTTP/2 write themselves (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
    private static readonly string[] Written =
        ["host", "content-type", "content-length", "te", "user-agent", "connection", "keep-alive", "transfer-encoding", "upgrade"];

    // The default limit of gRPC servers (GRPC_ARG_MAX_METADATA_SIZE). Metadata of this size also fits into one HEADERS frame.
    private const int MostBytes = 8 << 10;

    /// <exception cref="UsageException">An entry is invalid, or all entries together are too long. The message hides values.</exception>
    public static IReadOnlyList<MetadataEntry> ParseAll(IEnumerable<string> texts)
    {
        List<MetadataEntry> entries = [.. texts.Select(Parse)];
        return entries.Sum(entry => entry.Name.Length + entry.Value.Length) <= MostBytes
            ? entries
            : throw new UsageException(
                $"-H: names and values have more than {MostBytes >> 10} KiB together, the limit of gRPC servers");
    }

    /// <exception cref="UsageException">The text is no metadata, or is a header that gRPC writes. The message hides the value.</exception>
    public static MetadataEntry Parse(string text)
    {
        var colon = text.IndexOf(':', StringComparison.Ordinal);
        var (name, value) = colon < 0 ? ("", "") : (text[..colon].Trim().ToLowerInvariant(), text[(colon + 1)..].Trim());
        if (name.Length == 0 || !name.All(c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_' or '.'))
        {
            var shown = Redaction.Header(text).ReplaceLineEndings(" ");
            throw new UsageException($"-H '{shown}' is not metadata such as 'authorization: Bearer …'");
        }
        if (name.StartsWith("grpc-", StringComparison.Ordinal) || Written.Contains(name))
            throw new UsageException($"-H {name}: gRPC writes this header itself");
        if (name.EndsWith(Binary, StringComparison.Ordinal))
        {
            if (!Base64.IsValid(value.TrimEnd('=').PadRight((value.TrimEnd('=').Length + 3) / 4 * 4, '=')))
                throw new UsageException($"-H {name}: the name ends in {Binary}, so the value must be base64");
        }
        else if (!value.All(c => c is >= ' ' and <= '~'))
        {
            throw new UsageException(
                $"-H {name}: the value may hold printable ASCII only: send other bytes as base64 under a name that ends in {Binary}");
        }
        return new MetadataEntry(name, value);
    }
}
