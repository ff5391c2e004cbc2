using System.Text;
using IpcBench.Schema.Json;

namespace IpcBench.Schema.Requests;

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
            return new CorpusInput(StandardInput, Read(StandardInput, standardInput, limits), StandardInput);
        if (!data.StartsWith('@'))
            return new CorpusInput("the data", Encoding.UTF8.GetBytes(data), null);
        var path = data[1..];
        if (path.Length == 0)
            throw new InputException("@ needs the name of a file behind it");
        return new CorpusInput(path, Read(path, () => System.IO.File.OpenRead(path), limits), path);
    }

    /// <summary>Each request with the text it stands in. A .jsonl has one a line: the broken line is named, not the one after it.</summary>
    public IEnumerable<(JsonSource Source, JsonNode Request)> Requests()
    {
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

    private static byte[] Read(string name, Func<Stream> open, CorpusLimits limits)
    {
        try
        {
            using var stream = open();
            using var read = new MemoryStream();
            var block = new byte[64 << 10];
            int count;
            while ((count = stream.Read(block)) > 0)
            {
                if (read.Length + count > limits.TotalBytes)
                    throw new InputException($"{name} has more than {limits.TotalBytes} bytes, too many for a corpus in memory");
                read.Write(block, 0, count);
            }
            return read.ToArray();
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            throw new InputException($"there is no file {name}", e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new InputException($"cannot read {name}: {e.Message.TrimEnd('.')}", e);
        }
    }
}
