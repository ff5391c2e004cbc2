using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Crank;

/// <summary>Writes the numbers of a run in the block that dotnet/crank's agent looks for in a job's standard output.</summary>
public static class CrankStatistics
{
    /// <summary>The name of the measurement that contains the whole run, which <see cref="CrankFile"/> reads.</summary>
    public const string WholeRun = "ipc/run";

    // The agent finds each marker at any place of its line, and reads the lines between the two markers as JSON (crank:
    // Startup.cs, ParseMeasurementOutput).
    private const string Start = "#StartJobStatistics", End = "#EndJobStatistics";
    private static readonly JsonWriterOptions Plain = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    /// <summary>
    /// Makes the block, with each marker on its own line. Counts of calls are of the median round. Other numbers are those of reports.
    /// </summary>
    /// <exception cref="ArgumentException">
    /// The run does not have exactly one cell, but crank keeps only one value for each name.
    /// </exception>
    public static string Make(RunRecord run)
    {
        if (run.Cells.Count != 1)
            throw new ArgumentException("crank accepts only one transport and one size in a run", nameof(run));
        var cell = new MeasuredRun(run).Cells[0];
        var values = cell.Median is null ? [] : CrankMeasure.All.Select(measure => (measure, measure.Value(cell)));
        return $"{Start}\n{Json(run, [.. values])}\n{End}\n";
    }

    private static string Json(RunRecord run, IReadOnlyList<(CrankMeasure Measure, double? Value)> values)
    {
        var (metadata, measurements, at) = (new JsonArray(), new JsonArray(), (run.Finished ?? run.Started).UtcDateTime);
        foreach (var (measure, value) in values)
        {
            metadata.Add((JsonNode)Metadata(measure.Name, measure.Description, measure.Format));
            if (value is { } number)
                measurements.Add((JsonNode)new JsonObject { ["name"] = measure.Name, ["timestamp"] = at, ["value"] = number });
        }
        metadata.Add((JsonNode)Metadata(WholeRun, "GrpcBench results file", "object"));
        // The run is written as text, because crank would convert dates and numbers in JSON.
        measurements.Add((JsonNode)new JsonObject { ["name"] = WholeRun, ["timestamp"] = at, ["value"] = ResultsFile.ToJson(run) });
        using var bytes = new MemoryStream();
        using (var json = new Utf8JsonWriter(bytes, Plain))
            new JsonObject { ["Metadata"] = metadata, ["Measurements"] = measurements }.WriteTo(json);
        return Encoding.UTF8.GetString(bytes.GetBuffer().AsSpan(0, (int)bytes.Length));
    }

    private static JsonObject Metadata(string name, string description, string format) => new()
    {
        ["source"] = "GrpcBench",
        ["name"] = name,
        // There is only one value, so crank has nothing to aggregate.
        ["aggregate"] = "First",
        ["reduce"] = "First",
        ["format"] = format,
        ["longDescription"] = description,
        ["shortDescription"] = description,
    };
}

/// <summary>A number with the names that crank's dashboards read: the name in gRPC jobs, then the name in all HTTP jobs.</summary>
/// <param name="Name">The name in crank. <c>;</c> separates synonyms.</param>
/// <param name="Format">A .NET format for crank's tables.</param>
/// <param name="Value">Computes the value from a cell with rounds. Null when the cell does not have the value.</param>
internal sealed record CrankMeasure(string Name, string Description, string Format, Func<MeasuredCell, double?> Value)
{
    private const double NsPerMs = 1e6, NsPerUs = 1e3;

    public static readonly IReadOnlyList<CrankMeasure> All =
    [
        new("grpc/rps/mean;http/rps/mean", "Requests/sec", "n0", cell => cell.Value(Metric.Rate)),
        new("grpc/requests;http/requests", "Requests", "n0", cell => cell.Median!.Record.Completed),
        new("grpc/errors/badresponses;http/requests/badresponses", "Bad responses", "n0",
            cell => cell.Median!.FailedCalls + cell.Median.Record.CutOff),
        new("grpc/latency/mean;http/latency/mean", "Mean latency (ms)", "n3", cell => cell.Value(Metric.Mean) / NsPerMs),
        Percentile(50),
        Percentile(75),
        Percentile(90),
        Percentile(99),
        new("grpc/latency/max;http/latency/max", "Max latency (ms)", "n3", cell => cell.Value(Metric.Max) / NsPerMs),
        new("ipc/client-cpu-us", "Client CPU per call (us)", "n2", cell => cell.Value(Metric.ClientCpu) / NsPerUs),
        new("ipc/server-cpu-us", "Server CPU per call (us)", "n2", cell => cell.Value(Metric.ServerCpu) / NsPerUs),
    ];

    private static CrankMeasure Percentile(int percent) => new(
        FormattableString.Invariant($"grpc/latency/{percent};http/latency/{percent}"),
        FormattableString.Invariant($"{percent}th percentile latency (ms)"), "n3", cell => cell.OfLatencies!.Latency.At(percent) / NsPerMs);
}
