using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Schema;
using System.Text.Json.Serialization.Metadata;

namespace IpcBench.Analysis.Results;

/// <summary>How records become JSON: camelCase, strict about nulls, missing and doubled members, tolerant of unknown ones.</summary>
internal static class ResultsJson
{
    // By reflection, not generated: the generated code sets every init-only member that a file lacks to null or 0 instead of
    // leaving the default that its record declares (dotnet/runtime issue 84484), and an older file lacks what came later.
    private static readonly JsonSerializerOptions Options = new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        RespectNullableAnnotations = true,
        AllowDuplicateProperties = false,
        MaxDepth = 16,
        NewLine = "\n",
        WriteIndented = true,
        IndentSize = 1,
        TypeInfoResolver = new DefaultJsonTypeInfoResolver(),
    };

    public static void Write(Stream to, RunRecord run) => JsonSerializer.Serialize(to, run, Options);

    public static string ToText(RunRecord run) => JsonSerializer.Serialize(run, Options);

    public static RunRecord? Read(ReadOnlySpan<byte> json) => JsonSerializer.Deserialize<RunRecord>(json, Options);

    public static JsonNode Schema(JsonSchemaExporterOptions options) => Options.GetJsonSchemaAsNode(typeof(RunRecord), options);
}
