using System.Reflection;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Schema;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace IpcBench.Analysis.Results;

/// <summary>
/// How records become JSON: in camelCase, strict about null, missing and duplicate members, and tolerant of unknown members.
/// </summary>
[JsonSourceGenerationOptions(
    GenerationMode = JsonSourceGenerationMode.Metadata,
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    RespectNullableAnnotations = true,
    AllowDuplicateProperties = false,
    MaxDepth = 16,
    NewLine = "\n",
    WriteIndented = true,
    IndentSize = 1)]
[JsonSerializable(typeof(RunRecord))]
internal sealed partial class GeneratedResultsJson : JsonSerializerContext;

/// <inheritdoc cref="GeneratedResultsJson"/>
internal static class ResultsJson
{
    private static readonly JsonTypeInfo<RunRecord> Run =
        (JsonTypeInfo<RunRecord>)new JsonSerializerOptions(GeneratedResultsJson.Default.Options)
        {
            TypeInfoResolver = ((IJsonTypeInfoResolver)GeneratedResultsJson.Default).WithAddedModifier(KeepDefaults),
        }.GetTypeInfo(typeof(RunRecord));

    public static void Write(Stream to, RunRecord run) => JsonSerializer.Serialize(to, run, Run);

    public static string ToText(RunRecord run) => JsonSerializer.Serialize(run, Run);

    public static RunRecord? Read(ReadOnlySpan<byte> json) => JsonSerializer.Deserialize(json, Run);

    public static JsonNode Schema(JsonSchemaExporterOptions options) => Run.GetJsonSchemaAsNode(options);

    /// <summary>
    /// Keeps the defaults of members that an older file lacks. The generated code creates a record with all its init-only
    /// members at once, and sets missing members to null or 0 instead of their defaults (dotnet/runtime issue 84484).
    /// Here the record is created first, with its defaults, and then only the members in the file are set. The generated
    /// code names the constructor and the properties, so trimming keeps them.
    /// </summary>
    private static void KeepDefaults(JsonTypeInfo type)
    {
        if (type.Kind != JsonTypeInfoKind.Object || type.ConstructorAttributeProvider is not ConstructorInfo constructor
            || constructor.GetParameters().Length > 0)
            return;
        type.CreateObject = () => constructor.Invoke(null);
        foreach (var member in type.Properties)
        {
            if (member.AttributeProvider is PropertyInfo { CanWrite: true } property)
                member.Set = property.SetValue;
        }
    }
}
