using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

public sealed partial class ResultsSchemaTests
{
    private static readonly JsonSerializerOptions Written =
        new() { WriteIndented = true, IndentSize = 1, NewLine = "\n", Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    private static string SchemaPath([CallerFilePath] string source = "") =>
        Path.GetFullPath(Path.Combine(Path.GetDirectoryName(source)!, "../../docs/results.schema.json"));

    [Fact]
    public void The_schema_in_the_documents_matches_the_records()
    {
        var made = ResultsSchema.Make(Describe).ToJsonString(Written) + "\n";
        if (Environment.GetEnvironmentVariable("UPDATE_SNAPSHOTS") == "1")
            File.WriteAllText(SchemaPath(), made);
        Assert.Equal(File.ReadAllText(SchemaPath()).ReplaceLineEndings("\n"), made);
    }

    [Fact]
    public void A_saved_file_has_every_member_of_the_schema_and_no_other()
    {
        var path = Path.Combine(Path.GetTempPath(), $"ipcbench-{Guid.NewGuid():N}.json");
        try
        {
            ResultsFile.Save(path, new SampleRuns { Sizes = [10], Rounds = 1, SamplesPerRound = 20 }.Make());
            Compare(JsonNode.Parse(File.ReadAllText(SchemaPath()))!, JsonNode.Parse(File.ReadAllText(path))!, "$");
        }
        finally
        {
            File.Delete(path);
        }
    }

    private static void Compare(JsonNode schema, JsonNode node, string where)
    {
        if (node is JsonArray items && schema["items"] is { } itemSchema)
        {
            foreach (var item in items)
                Compare(itemSchema, item!, where + "[]");
        }
        if (node is not JsonObject members || schema["properties"] is not JsonObject properties)
            return;
        Assert.Equal((where, string.Join(' ', properties.Select(p => p.Key).Order())),
            (where, string.Join(' ', members.Select(m => m.Key).Order())));
        foreach (var (name, value) in members.Where(m => m.Value is not null && properties[m.Key]!["$ref"] is null))
            Compare(properties[name]!, value!, $"{where}.{name}");
    }

    /// <summary>Returns the summary of a record or member as text. Null without a summary.</summary>
    private static string? Describe(MemberInfo member)
    {
        var name = member is Type type ? $"T:{type.FullName}" : $"P:{member.DeclaringType!.FullName}.{member.Name}";
        var summary = Documentation.Descendants("member")
            .FirstOrDefault(entry => (string?)entry.Attribute("name") == name)?.Element("summary");
        if (summary == null)
            return null;
        foreach (var see in summary.Descendants("see").ToList())
            see.ReplaceWith(((string?)see.Attribute("cref") ?? "").Split('.', ':')[^1]);
        return Blanks().Replace(summary.Value, " ").Trim();
    }

    private static XDocument Documentation => XDocument.Load(Path.ChangeExtension(typeof(RunRecord).Assembly.Location, ".xml"));

    [GeneratedRegex(@"\s+")]
    private static partial Regex Blanks();
}
