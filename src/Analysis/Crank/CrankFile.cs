using System.Text;
using System.Text.Json;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Crank;

/// <summary>
/// Reads a file that dotnet/crank wrote with <c>--json</c>. The file contains the whole run that
/// <see cref="CrankStatistics"/> passed to crank.
/// </summary>
public static class CrankFile
{
    /// <summary>Reads the run in a file of crank. Null when the bytes are not a file of crank.</summary>
    /// <param name="name">The name of the file, for messages only.</param>
    /// <exception cref="ResultsFileException">
    /// The file is a file of crank, but no job in it ran GrpcBench with --crank, or the run in the file is damaged.
    /// </exception>
    public static RunRecord? TryParse(byte[] json, string name)
    {
        try
        {
            using var document = JsonDocument.Parse(json);
            return document.RootElement.ValueKind == JsonValueKind.Object
                && document.RootElement.TryGetProperty("jobResults", out var results)
                ? Parse(results, name)
                : null;
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException)
        {
            // The bytes are not JSON, or have a string with invalid UTF-16. The reader of results files reports the error.
            return null;
        }
    }

    private static RunRecord Parse(JsonElement results, string path) => Runs(results).FirstOrDefault() is { } json
        ? ResultsFile.Parse(Encoding.UTF8.GetBytes(json), path)
        : throw new ResultsFileException($"{path} is a file of crank, but no job in the file ran GrpcBench with --crank");

    private static IEnumerable<string> Runs(JsonElement results)
    {
        if (results.ValueKind != JsonValueKind.Object || !results.TryGetProperty("jobs", out var jobs)
            || jobs.ValueKind != JsonValueKind.Object)
            yield break;
        foreach (var job in jobs.EnumerateObject())
        {
            if (job.Value.ValueKind == JsonValueKind.Object && job.Value.TryGetProperty("results", out var values)
                && values.ValueKind == JsonValueKind.Object && values.TryGetProperty(CrankStatistics.WholeRun, out var run)
                && run.ValueKind == JsonValueKind.String)
                yield return run.GetString()!;
        }
    }
}
