using System.Reflection;
using System.Text.Json.Nodes;
using System.Text.Json.Schema;

namespace IpcBench.Analysis.Results;

/// <summary>The JSON schema of results files. It is made from the records, so it always matches them.</summary>
public static class ResultsSchema
{
    /// <summary>Makes the schema, in draft 2020-12.</summary>
    /// <param name="describe">Returns the description of a record or a member. Null when it has no description.</param>
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
        if (((member is null ? null : describe(member)) ?? describe(type)) is { } text && !schema.ContainsKey("description")
            && !schema.ContainsKey("$ref"))
            schema.Insert(0, "description", text);
        // Counts, times and sizes are never negative.
        if (schema["type"]?.ToJsonString() is { } name
            && (name.Contains("integer", StringComparison.Ordinal) || name.Contains("number", StringComparison.Ordinal))
            && member?.Name != nameof(RunRecord.Seed))
            schema["minimum"] = 0;
        return schema;
    }
}
