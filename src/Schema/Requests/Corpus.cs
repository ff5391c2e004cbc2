using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;
using Google.Protobuf.Reflection;
using IpcBench.Schema.Json;
using IpcBench.Schema.Types;
using IpcBench.Schema.Values;

namespace IpcBench.Schema.Requests;

/// <summary>The largest sizes in bytes of a corpus (the requests of a run). All messages stay in memory during the run.</summary>
/// <param name="MessageBytes">The limit of one message. Most gRPC servers accept 4 MiB.</param>
/// <param name="TotalBytes">The limit of all messages together, and of the file or standard input that holds them.</param>
public sealed record CorpusLimits(int MessageBytes = 4 << 20, int TotalBytes = 256 << 20);

/// <summary>The requests of a run, encoded once and sent in turn.</summary>
public sealed class Corpus
{
    private Corpus(IReadOnlyList<byte[]> messages) => (Messages, Hash) = (messages, HashOf(messages));

    /// <summary>The messages' bytes. There is at least one message, and a message may be empty.</summary>
    public IReadOnlyList<byte[]> Messages { get; }

    /// <summary>
    /// SHA-256 over the messages, in lower-case hexadecimal. The length of each message, as four big-endian bytes, is
    /// hashed before the message.
    /// </summary>
    public string Hash { get; }

    /// <summary>
    /// Reads JSON requests. <paramref name="data"/> is the text itself, <c>@file.jsonl</c> with one request per line, or
    /// another <c>@file</c> or <c>-</c> (standard input) with one request after another.
    /// </summary>
    /// <exception cref="InputException">The JSON does not fit the type, or there is no request or too many bytes.</exception>
    public static Corpus OfJson(string data, MessageDescriptor type, MethodTypes types, CorpusLimits limits, Func<Stream> standardInput)
    {
        var input = CorpusInput.Open(data, limits, standardInput);
        var messages = new List<byte[]>();
        long total = 0;
        foreach (var (source, node) in input.Requests())
        {
            var message = WireWriter.Write(new JsonReader(source, types).Message(type, node));
            if (message.Length > limits.MessageBytes)
                throw source.Error(node.At, TooLarge("the request", message.Length, limits));
            if ((total += message.Length) > limits.TotalBytes)
                throw source.Error(node.At, $"the requests have more than {limits.TotalBytes} bytes together");
            messages.Add(message);
        }
        return messages.Count > 0
            ? new Corpus(messages)
            : throw new InputException($"{input.Name} holds no request: an empty message is {{}}");
    }

    /// <summary>
    /// Reads <c>@file</c>, or standard input for <c>-</c>, and takes all its bytes as one message of any type.
    /// The message may be empty.
    /// </summary>
    /// <exception cref="InputException">The file cannot be read or is too large.</exception>
    public static Corpus OfBinary(string data, CorpusLimits limits, Func<Stream> standardInput)
    {
        if (data != "-" && !data.StartsWith('@'))
            throw new InputException($"'{data}' is not a file of message bytes: write @file, or - for standard input");
        var input = CorpusInput.Open(data, limits, standardInput);
        return input.Text.Length <= limits.MessageBytes
            ? new Corpus([input.Text])
            : throw new InputException(TooLarge(input.Name, input.Text.Length, limits));
    }

    private static string TooLarge(string what, int length, CorpusLimits limits) =>
        $"{what} has {length} bytes, but a message may have at most {limits.MessageBytes}";

    private static string HashOf(IReadOnlyList<byte[]> messages)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        Span<byte> length = stackalloc byte[sizeof(int)];
        foreach (var message in messages)
        {
            BinaryPrimitives.WriteInt32BigEndian(length, message.Length);
            hash.AppendData(length);
            hash.AppendData(message);
        }
        return Convert.ToHexStringLower(hash.GetHashAndReset());
    }
}

/// <summary>The source of the requests: text of the command line, a file, or standard input.</summary>
/// <param name="File">The name that errors put before line and column. Null for text of the command line.</param>
internal sealed record CorpusInput(string Name, byte[] Text, string? File)
{
    private const string StandardInput = "standard input";

    public static CorpusInput Open(string data, CorpusLimits limits, Func<Stream> standardInput)
    {
        if (data == "-")
            return new CorpusInput(StandardInput, Read(StandardInput, standardInput), StandardInput);
        if (!data.StartsWith('@'))
            return new CorpusInput("the data", Encoding.UTF8.GetBytes(data), null);
        var path = data[1..];
        if (path.Length == 0)
            throw new InputException("@ needs the name of a file, as in @request.json");
        return new CorpusInput(path, Read(path, () => System.IO.File.OpenRead(path)), path);

        byte[] Read(string name, Func<Stream> open) => InputFile.Read(name, open, limits.TotalBytes, "a corpus in memory");
    }

    /// <summary>
    /// Lists each request with the text that holds it. Each line of a .jsonl is a text of its own, so that an
    /// error names the right line.
    /// </summary>
    /// <exception cref="InputException">The text is not JSON.</exception>
    public IEnumerable<(JsonSource Source, JsonNode Request)> Requests()
    {
        // PowerShell 5.1 writes UTF-16 with > (about_Character_Encoding), so users may have such files.
        if (Text is [0xFF, 0xFE, ..] or [0xFE, 0xFF, ..])
            throw new InputException($"{Name} is UTF-16 text: save it as UTF-8, the encoding of JSON (RFC 8259)");
        if (File is not null && Path.GetExtension(File) is ".jsonl" or ".ndjson")
            return Lines().Select(line => (line, JsonNode.Parse(line)));
        var source = new JsonSource(Text, File);
        return JsonNode.ParseAll(source).Select(request => (source, request));
    }

    private IEnumerable<JsonSource> Lines()
    {
        var number = 0;
        for (var start = 0; start < Text.Length;)
        {
            number++;
            var length = Text.AsSpan(start).IndexOf((byte)'\n');
            var line = Text.AsMemory(start, length < 0 ? Text.Length - start : length);
            start += line.Length + 1;
            var source = new JsonSource(line, File, number);
            if (source.Text.Span.IndexOfAnyExcept(" \t\r"u8) >= 0)
                yield return source;
        }
    }
}
