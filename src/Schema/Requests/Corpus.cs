using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;
using Google.Protobuf.Reflection;
using IpcBench.Schema.Json;
using IpcBench.Schema.Types;
using IpcBench.Schema.Values;

namespace IpcBench.Schema.Requests;

/// <summary>How much a corpus may hold, in bytes. Every message stays in memory while it is measured.</summary>
/// <param name="MessageBytes">Of one message; 4 MiB is what most gRPC servers accept.</param>
/// <param name="TotalBytes">Of all messages together, and of the file or text they come from.</param>
public sealed record CorpusLimits(int MessageBytes = 4 << 20, int TotalBytes = 256 << 20);

/// <summary>The requests that are sent in turn, encoded once.</summary>
public sealed class Corpus
{
    private Corpus(IReadOnlyList<byte[]> messages) => (Messages, Hash) = (messages, HashOf(messages));

    /// <summary>The messages' bytes, at least one; a message may be empty.</summary>
    public IReadOnlyList<byte[]> Messages { get; }

    /// <summary>Bytes of all messages.</summary>
    public long TotalBytes => Messages.Sum(message => (long)message.Length);

    /// <summary>SHA-256 of the messages, each after its length as four big-endian bytes; lower-case hexadecimal digits.</summary>
    public string Hash { get; }

    /// <summary>
    /// Reads JSON: the text itself, <c>@file.jsonl</c> with a request on each line, any other <c>@file</c> or <c>-</c> for standard input
    /// with one request or several, one after another.
    /// </summary>
    /// <exception cref="InputException">The JSON is not of the type, there is no request, or there is too much.</exception>
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

    /// <summary>Takes the bytes of <c>@file</c> or of <c>-</c>, standard input, as one message of whatever type; it may be empty.</summary>
    /// <exception cref="InputException">The file cannot be read or is too large.</exception>
    public static Corpus OfBinary(string data, CorpusLimits limits, Func<Stream> standardInput)
    {
        if (data != "-" && !data.StartsWith('@'))
            throw new InputException($"'{data}' is no file of message bytes: write @file, or - for standard input");
        var input = CorpusInput.Open(data, limits, standardInput);
        return input.Text.Length <= limits.MessageBytes
            ? new Corpus([input.Text])
            : throw new InputException(TooLarge(input.Name, input.Text.Length, limits));
    }

    private static string TooLarge(string what, int length, CorpusLimits limits) =>
        $"{what} has {length} bytes, and {limits.MessageBytes} are the most for a message";

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

/// <summary>Where requests come from: text of the command line, a file, standard input.</summary>
/// <param name="Name">What messages call it.</param>
/// <param name="Text">All of it.</param>
/// <param name="File">The file errors point into; null for text of the command line.</param>
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
            throw new InputException("@ needs the name of a file behind it");
        return new CorpusInput(path, Read(path, () => System.IO.File.OpenRead(path)), path);

        byte[] Read(string name, Func<Stream> open) => InputFile.Read(name, open, limits.TotalBytes, "a corpus in memory");
    }

    /// <summary>Each request with the text it stands in. A .jsonl has one a line: the broken line is named, not the one after it.</summary>
    /// <exception cref="InputException">The text is no JSON.</exception>
    public IEnumerable<(JsonSource Source, JsonNode Request)> Requests()
    {
        // What a shell of Windows writes with > (about_Character_Encoding of PowerShell 5.1).
        if (Text is [0xFF, 0xFE, ..] or [0xFE, 0xFF, ..])
            throw new InputException($"{Name} is UTF-16 text: save it as UTF-8, which is what JSON is written in (RFC 8259)");
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
