using System.Text;
using System.Text.Json;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Crank;

/// <summary>
/// Reads what dotnet/crank's <c>--json</c> wrote: the run that <see cref="CrankStatistics"/> handed over is in it, whole.
/// </summary>
public static class CrankFile
{
    /// <summary>The run in the bytes of a file of crank's; null when the file is none of crank's, whatever else it is.</summary>
    /// <param name="json">What the file holds.</param>
    /// <param name="name">Its name, for messages alone.</param>
    /// <exception cref="ResultsFileException">It is crank's, but no job of it was GrpcBench with --crank, or what is in it is
    /// damaged.</exception>
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
            // Not JSON, or a string that is no text: the reader of results files refuses it with the reason.
            return null;
        }
    }

    private static RunRecord Parse(JsonElement results, string path) => Runs(results).FirstOrDefault() is { } json
        ? ResultsFile.Parse(Encoding.UTF8.GetBytes(json), path)
        : throw new ResultsFileException($"{path} is a file of crank's, but none of its jobs was GrpcBench with --crank");

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
