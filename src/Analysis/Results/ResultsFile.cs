using System.Globalization;
using System.Text.Json;

namespace IpcBench.Analysis.Results;

/// <summary>Writes and reads results files: one run each, JSON, never half written.</summary>
public static class ResultsFile
{
    /// <summary>The schema version that this tool writes, and the only one it reads.</summary>
    public const int SchemaVersion = 1;

    /// <summary>
    /// Puts this run where the path names, as <see cref="WholeFile.Write"/> does: whatever happens meanwhile, a file is the old run or
    /// the new one, whole.
    /// </summary>
    /// <exception cref="ResultsFileException">The folder or the file cannot be written.</exception>
    public static void Save(string path, RunRecord run)
    {
        try
        {
            WholeFile.Write(path, Writing(run));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            throw new ResultsFileException($"cannot write {path}: {OneLine(e.Message)}", e);
        }
    }

    /// <summary>
    /// Puts this run into a new file, whole from its first moment; false, and nothing is changed, when the path names something already.
    /// </summary>
    /// <exception cref="ResultsFileException">The folder or the file cannot be written.</exception>
    public static bool TryMake(string path, RunRecord run)
    {
        try
        {
            return WholeFile.TryMake(path, Writing(run));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            throw new ResultsFileException($"cannot write {path}: {OneLine(e.Message)}", e);
        }
    }

    /// <summary>The text of a results file.</summary>
    public static string ToJson(RunRecord run) => ResultsJson.ToText(run);

    /// <summary>Reads a run, complete or not, and checks that it can be true.</summary>
    /// <exception cref="ResultsFileException">Not readable, not a results file, of an unknown version, truncated, or contradicting
    /// itself.</exception>
    public static RunRecord Load(string path) => Parse(Read(path), path);

    /// <summary>All bytes of what may be a results file.</summary>
    /// <exception cref="ResultsFileException">Not readable, or larger than any run.</exception>
    public static byte[] Read(string path)
    {
        try
        {
            return WholeFile.Read(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException or ArgumentException)
        {
            throw new ResultsFileException($"cannot read {path}: {OneLine(e.Message)}", e);
        }
    }

    /// <summary>Reads a run from the bytes of a file; the name is for messages alone.</summary>
    /// <exception cref="ResultsFileException">As for <see cref="Load"/>.</exception>
    public static RunRecord Parse(ReadOnlySpan<byte> json, string name)
    {
        if (json.StartsWith("\uFEFF"u8))
            json = json["\uFEFF"u8.Length..];
        try
        {
            CheckVersion(json, name);
            var run = ResultsJson.Read(json)
                ?? throw new ResultsFileException($"{name} is not a results file: it holds null");
            if (ResultsCheck.FirstFault(run) is { } fault)
                throw new ResultsFileException($"{name} is damaged: {fault}");
            return run;
        }
        catch (JsonException e)
        {
            throw new ResultsFileException(Describe(e, json, name), e);
        }
    }

    /// <summary>The version comes first so that a file of another one says so, and not that some member is missing.</summary>
    private static void CheckVersion(ReadOnlySpan<byte> json, string name)
    {
        if (json.IndexOfAnyExcept(" \t\r\n"u8) < 0)
            throw new ResultsFileException($"{name} is empty");
        var reader = new Utf8JsonReader(json, new JsonReaderOptions { MaxDepth = 16 });
        if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
            throw new ResultsFileException($"{name} is not a results file: it does not hold one JSON object");
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var isVersion = reader.ValueTextEquals("schemaVersion"u8);
            reader.Read();
            if (!isVersion)
                reader.Skip();
            else if (reader.TokenType != JsonTokenType.Number || !reader.TryGetInt32(out var version))
                throw new ResultsFileException($"{name} is not a results file: its schemaVersion is not a number");
            else if (version != SchemaVersion)
                throw new ResultsFileException(string.Create(CultureInfo.InvariantCulture,
                    $"{name} has schema version {version} and this tool reads {SchemaVersion}: use the version of the tool that wrote it"));
            else
                return;
        }
        throw new ResultsFileException($"{name} is not a results file: it has no schemaVersion");
    }

    private static string Describe(JsonException e, ReadOnlySpan<byte> json, string name)
    {
        var trimmed = json.TrimEnd(" \t\r\n\0"u8);
        var line = (e.LineNumber ?? 0) + 1;
        if (trimmed.Length == 0 || trimmed.TrimStart(" \t\r\n"u8)[0] != (byte)'{')
            return $"{name} is not a results file: it does not hold one JSON object";
        if (EndsInTheMiddle(trimmed))
            return $"{name} is truncated: the JSON ends in the middle";
        var message = OneLine(e.Message);
        var detail = message.IndexOf(" Path:", StringComparison.Ordinal) is var cut and > 0 ? message[..cut] : message;
        return string.Create(CultureInfo.InvariantCulture,
            $"{name} is not a results file: line {line}, {e.Path ?? "$"}: {detail.TrimEnd('.')}");
    }

    /// <summary>Whether all of it is well-formed and only the rest is missing.</summary>
    private static bool EndsInTheMiddle(ReadOnlySpan<byte> json)
    {
        var reader = new Utf8JsonReader(json, isFinalBlock: false, new JsonReaderState(new JsonReaderOptions { MaxDepth = 16 }));
        try
        {
            while (reader.Read())
            {
            }
        }
        catch (JsonException)
        {
            return false;
        }
        return reader is not { CurrentDepth: 0, TokenType: JsonTokenType.EndObject };
    }

    private static Action<Stream> Writing(RunRecord run) => file =>
    {
        ResultsJson.Write(file, run);
        file.WriteByte((byte)'\n');
    };

    private static string OneLine(string text) => text.ReplaceLineEndings(" ").Trim();
}

/// <summary>A results file cannot be read or written; the message is one sentence that says why.</summary>
public sealed class ResultsFileException(string message, Exception? inner = null) : Exception(message, inner);
