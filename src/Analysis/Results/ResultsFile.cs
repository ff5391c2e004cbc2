using System.Globalization;
using System.Text.Json;

namespace IpcBench.Analysis.Results;

/// <summary>Writes and reads results files. A results file has one run, as JSON. The file is never half written.</summary>
public static class ResultsFile
{
    /// <summary>The schema version that this tool writes. The tool reads no other version.</summary>
    public const int SchemaVersion = 1;

    /// <summary>
    /// Saves the run, as <see cref="WholeFile.Write"/> does: after a failure the file holds either the whole old run or the whole new run.
    /// </summary>
    /// <exception cref="ResultsFileException">The folder or the file cannot be written.</exception>
    public static void Save(string path, RunRecord run) => Refusing(path, () => WholeFile.Write(path, Writing(run)));

    /// <summary>
    /// Finds out whether <see cref="Save"/> would succeed. Writes the run to a temporary file and deletes the temporary file, so that
    /// an existing file at the path stays unchanged.
    /// </summary>
    /// <exception cref="ResultsFileException">The folder or the file cannot be written.</exception>
    public static void TrySave(string path, RunRecord run) => Refusing(path, () => WholeFile.TryWrite(path, Writing(run)));

    /// <summary>
    /// Saves the run in a new file, which is complete as soon as it exists. Returns false and changes nothing when the path exists.
    /// </summary>
    /// <exception cref="ResultsFileException">The folder or the file cannot be written.</exception>
    public static bool TryMake(string path, RunRecord run)
    {
        var isMade = false;
        Refusing(path, () => isMade = WholeFile.TryMake(path, Writing(run)));
        return isMade;
    }

    /// <summary>Returns the text of a results file.</summary>
    public static string ToJson(RunRecord run) => ResultsJson.ToText(run);

    /// <summary>Reads a run, which may be incomplete, and checks that its content is possible.</summary>
    /// <exception cref="ResultsFileException">
    /// The file cannot be read, is no results file, is truncated, has another schema version or contradicts itself.
    /// </exception>
    public static RunRecord Load(string path) => Parse(Read(path), path);

    /// <summary>Reads all bytes of a file that may be a results file.</summary>
    /// <exception cref="ResultsFileException">The file cannot be read, or is larger than any run.</exception>
    public static byte[] Read(string path)
    {
        try
        {
            return WholeFile.Read(path);
        }
        catch (Exception e) when (e is FileNotFoundException or DirectoryNotFoundException)
        {
            throw new ResultsFileException($"there is no file {path}", e);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException or ArgumentException)
        {
            throw new ResultsFileException($"cannot read {path}: {WholeFile.Why(e)}", e);
        }
    }

    /// <summary>Returns why a file with this run could not be read again, as a clause. Null when nothing is wrong.</summary>
    public static string? Fault(RunRecord run) => ResultsCheck.FirstFault(run);

    /// <summary>Reads a run from the bytes of a file. The name is used in messages only.</summary>
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

    /// <summary>
    /// Checks the schema version before anything else, so that the message about a file of another version names the
    /// version and not missing members.
    /// </summary>
    private static void CheckVersion(ReadOnlySpan<byte> json, string name)
    {
        if (json.IndexOfAnyExcept(" \t\r\n"u8) < 0)
            throw new ResultsFileException($"{name} is empty");
        var reader = new Utf8JsonReader(json, new JsonReaderOptions { MaxDepth = 16 });
        if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
            throw new ResultsFileException($"{name} is not a results file: it does not hold one JSON object");
        while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
        {
            var (isVersion, isSchema) = (reader.ValueTextEquals("schemaVersion"u8), reader.ValueTextEquals("schema"u8));
            reader.Read();
            if (isSchema && reader.TokenType == JsonTokenType.String
                && reader.GetString()!.StartsWith("ipcbench-", StringComparison.Ordinal))
            {
                throw new ResultsFileException(
                        $"{name} is a report of --format json, not a results file: use the file that -o run.json wrote");
            }
            if (!isVersion)
                reader.Skip();
            else if (reader.TokenType != JsonTokenType.Number || !reader.TryGetInt32(out var version))
                throw new ResultsFileException($"{name} is not a results file: its schemaVersion is not a number");
            else if (version != SchemaVersion)
                throw new ResultsFileException(string.Create(CultureInfo.InvariantCulture,
                    $"{name} has schema version {version} and this tool reads {SchemaVersion}: use the version that wrote the file"));
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
        var message = WholeFile.Why(e);
        var detail = message.IndexOf(" Path:", StringComparison.Ordinal) is var cut and > 0 ? message[..cut] : message;
        return string.Create(CultureInfo.InvariantCulture,
            $"{name} is not a results file: line {line}, {e.Path ?? "$"}: {detail.TrimEnd('.')}");
    }

    /// <summary>Whether the JSON is well-formed but incomplete.</summary>
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

    /// <summary>Runs the action, and turns its errors into <see cref="ResultsFileException"/>.</summary>
    private static void Refusing(string path, Action write)
    {
        try
        {
            write();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            throw new ResultsFileException(WholeFile.Refusal(path, e), e);
        }
    }

    private static Action<Stream> Writing(RunRecord run) => file =>
    {
        ResultsJson.Write(file, run);
        file.WriteByte((byte)'\n');
    };
}
