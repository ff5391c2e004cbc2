using System.Buffers.Text;
using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>What was typed, as it may be printed and kept in files that are shown to others.</summary>
internal static class Secrets
{
    // Headers that hold no credentials: their values are kept.
    private static readonly string[] Harmless = ["content-type", "accept", "user-agent", "te"];

    /// <summary>The arguments, with the values of headers and the users and queries of URLs left out.</summary>
    public static IReadOnlyList<string> Without(IReadOnlyList<string> commandLine)
    {
        var kept = new List<string>(commandLine.Count);
        var isHeader = false;
        foreach (var argument in commandLine)
        {
            var start = isHeader ? 0 : HeaderStart(argument);
            kept.Add(start >= 0 ? argument[..start] + Header(argument[start..]) : UrlText.WithoutSecrets(argument));
            isHeader = !isHeader && (argument == "--header" || argument is ['-', not '-', ..] && argument[^1] == 'H');
        }
        return kept;
    }

    /// <summary>A sentence that may quote arguments, with their secrets left out.</summary>
    public static string Without(string sentence, IReadOnlyList<string> commandLine)
    {
        var hidden = commandLine.Zip(Without(commandLine)).Where(pair => pair.First != pair.Second);
        foreach (var (typed, shown) in hidden.OrderByDescending(pair => pair.First.Length))
            sentence = sentence.Replace(typed, shown, StringComparison.Ordinal);
        return sentence;
    }

    /// <summary><c>Name: value</c>, or <c>Name: (hidden)</c>.</summary>
    public static string Header(string text)
    {
        var colon = text.IndexOf(':', StringComparison.Ordinal);
        if (colon < 0)
            return UrlText.Hidden;
        return Harmless.Contains(text[..colon].Trim(), StringComparer.OrdinalIgnoreCase) ? text : text[..colon] + ": " + UrlText.Hidden;
    }

    /// <summary>Where the header begins in <c>--header=…</c>, <c>-H…</c> and <c>-lH…</c>; −1 where there is none.</summary>
    private static int HeaderStart(string argument)
    {
        const string name = "--header";
        if (argument.StartsWith(name, StringComparison.Ordinal) && argument.AsSpan(name.Length) is ['=' or ':', ..])
            return name.Length + 1;
        var letter = argument is ['-', not '-', ..] ? argument.IndexOf('H', StringComparison.Ordinal) : -1;
        if (letter < 0 || letter == argument.Length - 1)
            return -1;
        return argument[letter + 1] is '=' or ':' ? letter + 2 : letter + 1;
    }
}

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
