using System.Buffers.Text;
using System.Text;
using IpcBench.Analysis.Results;
using IpcBench.Transports;

namespace IpcBench.Client.Plan;

/// <summary>Hides the secrets of the command line, so that it may be printed and kept in files that are shared.</summary>
internal static class Redaction
{
    // Headers that hold no credentials keep their values.
    private static readonly string[] Harmless = ["content-type", "accept", "user-agent", "te"];

    // Options whose values are messages, which may hold secrets.
    private static readonly string[] Messages = ["--data", "--expect"];

    /// <summary>Returns the arguments with the values of headers and messages hidden, and without users and queries of URLs.</summary>
    public static IReadOnlyList<string> Without(IReadOnlyList<string> commandLine)
    {
        var kept = new List<string>(commandLine.Count);
        var (isHeader, isMessage) = (false, false);
        foreach (var argument in commandLine)
        {
            var header = isHeader ? 0 : isMessage ? -1 : HeaderStart(argument);
            var message = isMessage ? 0 : isHeader ? -1 : MessageStart(argument);
            kept.Add(header >= 0 ? argument[..header] + Header(argument[header..])
                : message >= 0 ? argument[..message] + Message(argument[message..])
                : UrlText.WithoutSecrets(argument));
            var isValue = isHeader || isMessage;
            isHeader = !isValue && (argument == "--header" || argument is ['-', not '-', ..] && argument[^1] == 'H');
            isMessage = !isValue && Messages.Contains(argument);
        }
        return kept;
    }

    /// <summary>Returns the sentence without the secrets of the arguments that it may quote.</summary>
    public static string Without(string sentence, IReadOnlyList<string> commandLine)
    {
        var hidden = commandLine.Zip(Without(commandLine)).Where(pair => pair.First != pair.Second);
        foreach (var (typed, shown) in hidden.OrderByDescending(pair => pair.First.Length))
            sentence = sentence.Replace(typed, shown, StringComparison.Ordinal);
        return sentence;
    }

    /// <summary>
    /// Returns a header as <c>Name: value</c> or <c>Name: (hidden)</c>. <c>@FILE</c> and <c>$VARIABLE</c> stay, since
    /// only their content is secret.
    /// </summary>
    public static string Header(string text)
    {
        if (HeaderTexts.IsElsewhere(text))
            return text;
        var colon = text.IndexOf(':', StringComparison.Ordinal);
        if (colon < 0)
            return UrlText.Hidden;
        return Harmless.Contains(text[..colon].Trim(), StringComparer.OrdinalIgnoreCase) ? text : text[..colon] + ": " + UrlText.Hidden;
    }

    // The name of a file is not secret, but its content may be.
    private static string Message(string text) => text is ['@', ..] or "-" ? text : UrlText.Hidden;

    /// <summary>Returns the index of the message in <c>--data=…</c>. −1 without a message.</summary>
    private static int MessageStart(string argument) =>
        Array.Find(Messages, name => argument.StartsWith(name, StringComparison.Ordinal)
            && argument.AsSpan(name.Length) is ['=' or ':', ..]) is { } found ? found.Length + 1 : -1;

    /// <summary>Returns the index of the header in <c>--header=…</c>, <c>-H…</c> and <c>-lH…</c>. −1 without a header.</summary>
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

/// <summary>
/// Reads the headers of <c>-H</c>. A header is <c>Name: value</c>, or is in a place with one header per line: <c>@FILE</c>, or
/// the environment variable <c>$NAME</c>. Values in such a place appear in no list of processes.
/// </summary>
internal static class HeaderTexts
{
    /// <summary>True when the text names a file or variable with headers.</summary>
    public static bool IsElsewhere(string text) =>
        text is ['@', ..] || (text is ['$', _, ..] && !text.Contains(':', StringComparison.Ordinal));

    /// <summary>Reads all headers, each as <c>Name: value</c>.</summary>
    /// <exception cref="UsageException">A file cannot be read, or a variable does not exist.</exception>
    public static IReadOnlyList<string> Read(IEnumerable<string> typed) =>
        [.. typed.SelectMany(text => IsElsewhere(text) ? Lines(text) : [text])];

    private static IEnumerable<string> Lines(string text)
    {
        var lines = (text[0] == '@' ? OfFile(text[1..]) : Environment.GetEnvironmentVariable(text[1..])
            ?? throw new UsageException($"-H {text}: the environment has no variable {text[1..]}"))
            .Split('\n', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        return lines.Length > 0 ? lines : throw new UsageException($"-H {text} holds no header");
    }

    private static string OfFile(string file)
    {
        try
        {
            return Encoding.UTF8.GetString(WholeFile.Read(file)).TrimStart('\uFEFF');
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException or ArgumentException)
        {
            throw new UsageException($"-H @{file} cannot be read: {e.Message.ReplaceLineEndings(" ").TrimEnd('.')}");
        }
    }
}

/// <summary>One entry of a gRPC call's metadata, from <c>-H</c>. The name is in lower case. A <c>-bin</c> value is base64.</summary>
internal sealed record MetadataEntry(string Name, string Value)
{
    private const string Binary = "-bin";

    // Headers that gRPC and HTTP/2 write themselves (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
    private static readonly string[] Written =
        ["host", "content-type", "content-length", "te", "user-agent", "connection", "keep-alive", "transfer-encoding", "upgrade"];

    // The default limit of gRPC servers (GRPC_ARG_MAX_METADATA_SIZE), which also fits one HEADERS frame.
    private const int MostBytes = 8 << 10;

    /// <exception cref="UsageException">An entry is invalid, or all together are too long. The message hides all values.</exception>
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
