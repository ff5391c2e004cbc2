using System.Reflection;
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

/// <summary>The JSON schema of results files, made from the records themselves so that it cannot fall behind them.</summary>
public static class ResultsSchema
{
    /// <summary>Draft 2020-12.</summary>
    /// <param name="describe">The description of a record or of one of its members; null when there is none.</param>
    public static JsonObject Make(Func<MemberInfo, string?> describe)
    {
        var schema = ResultsJson.Schema(new JsonSchemaExporterOptions
        {
            TreatNullObliviousAsNonNullable = true,
            TransformSchemaNode = (context, node) =>
                Describe(node, describe, context.PropertyInfo?.AttributeProvider as MemberInfo, context.TypeInfo.Type),
        }).AsObject();
        var whole = new JsonObject { ["$schema"] = "https://json-schema.org/draft/2020-12/schema", ["title"] = "IpcBench results file" };
        foreach (var (name, value) in schema.ToList())
            whole[name] = value?.DeepClone();
        whole["properties"]!["schemaVersion"]!["const"] = ResultsFile.SchemaVersion;
        whole["required"]!.AsArray().Insert(0, "schemaVersion");
        return whole;
    }

    private static JsonNode Describe(JsonNode node, Func<MemberInfo, string?> describe, MemberInfo? member, Type type)
    {
        if (node is not JsonObject schema)
            return node;
        if (((member == null ? null : describe(member)) ?? describe(type)) is { } text && !schema.ContainsKey("description")
            && !schema.ContainsKey("$ref"))
            schema.Insert(0, "description", text);
        // No count, time or size is negative.
        if (schema["type"]?.ToJsonString() is { } name
            && (name.Contains("integer", StringComparison.Ordinal) || name.Contains("number", StringComparison.Ordinal))
            && member?.Name != nameof(RunRecord.Seed))
            schema["minimum"] = 0;
        return schema;
    }
}
