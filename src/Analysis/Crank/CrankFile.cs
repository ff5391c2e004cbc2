using System.Text;
using System.Text.Json;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Crank;

/// <summary>Reads what dotnet/crank's <c>--json</c> wrote: the run that <see cref="CrankStatistics"/> handed over is in it, whole.</summary>
public static class CrankFile
{
    /// <summary>The run of a file of crank's; null when the file is none of crank's, whatever else it is.</summary>
    /// <exception cref="ResultsFileException">It is crank's, but no job of it was GrpcBench with --crank, or what is in it is damaged.</exception>
    public static RunRecord? TryLoad(string path)
    {
        try
        {
            using var file = File.OpenRead(path);
            using var document = JsonDocument.Parse(file);
            return document.RootElement.ValueKind == JsonValueKind.Object && document.RootElement.TryGetProperty("jobResults", out var results)
                ? Parse(results, path)
                : null;
        }
        catch (Exception e) when (e is JsonException or IOException or UnauthorizedAccessException)
        {
            // Not JSON or not readable: the reader of our own files says it better.
            return null;
        }
    }

    private static RunRecord Parse(JsonElement results, string path) => Runs(results).FirstOrDefault() is { } json
        ? ResultsFile.Parse(Encoding.UTF8.GetBytes(json), path)
        : throw new ResultsFileException($"{path} is a file of crank's, but none of its jobs was GrpcBench with --crank");

    private static IEnumerable<string> Runs(JsonElement results)
    {
        if (results.ValueKind != JsonValueKind.Object || !results.TryGetProperty("jobs", out var jobs) || jobs.ValueKind != JsonValueKind.Object)
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
