using System.Buffers.Text;

namespace IpcBench.Client.Plan;

/// <summary>One entry of a gRPC call's metadata, as typed after <c>-H</c>: the name in lower case; a <c>-bin</c> value is base64.</summary>
internal sealed record MetadataEntry(string Name, string Value)
{
    private const string Binary = "-bin";

    // What gRPC and HTTP/2 write themselves (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
    private static readonly string[] Written =
        ["host", "content-type", "content-length", "te", "user-agent", "connection", "keep-alive", "transfer-encoding", "upgrade"];

    // What gRPC servers take together unless told otherwise (GRPC_ARG_MAX_METADATA_SIZE), and less than one HEADERS frame holds.
    private const int MostBytes = 8 << 10;

    /// <exception cref="UsageException">One of them is none, or they are too many; no value is in the message.</exception>
    public static IReadOnlyList<MetadataEntry> ParseAll(IEnumerable<string> texts)
    {
        List<MetadataEntry> entries = [.. texts.Select(Parse)];
        return entries.Sum(entry => entry.Name.Length + entry.Value.Length) <= MostBytes
            ? entries
            : throw new UsageException(
                $"-H: names and values have more than {MostBytes >> 10} KiB together, the most that gRPC servers take");
    }

    /// <exception cref="UsageException">It is none, or one that this tool writes itself; the value is not in the message.</exception>
    public static MetadataEntry Parse(string text)
    {
        var colon = text.IndexOf(':', StringComparison.Ordinal);
        var (name, value) = colon < 0 ? ("", "") : (text[..colon].Trim().ToLowerInvariant(), text[(colon + 1)..].Trim());
        if (name.Length == 0 || !name.All(c => char.IsAsciiLetterOrDigit(c) || c is '-' or '_' or '.'))
        {
            var shown = Secrets.Header(text).ReplaceLineEndings(" ");
            throw new UsageException($"-H '{shown}' is no metadata such as 'authorization: Bearer …'");
        }
        if (name.StartsWith("grpc-", StringComparison.Ordinal) || Written.Contains(name))
            throw new UsageException($"-H {name}: gRPC writes this header itself");
        if (name.EndsWith(Binary, StringComparison.Ordinal))
        {
            if (!Base64.IsValid(value.TrimEnd('=').PadRight((value.TrimEnd('=').Length + 3) / 4 * 4, '=')))
                throw new UsageException($"-H {name}: the value of a name that ends in {Binary} is bytes in base64");
        }
        else if (!value.All(c => c is >= ' ' and <= '~'))
        {
            throw new UsageException(
                $"-H {name}: the value has characters other than printable ASCII: send bytes in base64 under a name that ends in {Binary}");
        }
        return new MetadataEntry(name, value);
    }
}
