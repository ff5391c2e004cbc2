using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

/// <summary>Checks that generated code reads and writes results files as earlier versions did by reflection.</summary>
public sealed class ResultsRoundTripTests
{
    private static readonly JsonSerializerOptions ByReflection = new()
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

    private static string Committed([CallerFilePath] string source = "") =>
        Path.GetFullPath(Path.Combine(Path.GetDirectoryName(source)!, "../../results"));

    public static TheoryData<string> Files =>
    [
        .. Directory.EnumerateFiles(Committed(), "*.json", SearchOption.AllDirectories)
            .Where(path => File.ReadAllText(path).Contains("\"schemaVersion\"", StringComparison.Ordinal))
            .Select(path => Path.GetRelativePath(Committed(), path).Replace('\\', '/')).Order(StringComparer.Ordinal),
    ];

    [Theory]
    [MemberData(nameof(Files))]
    public void Generated_code_reads_and_writes_a_committed_file_in_the_same_way_as_reflection(string name)
    {
        var text = File.ReadAllText(Path.Combine(Committed(), name));
        var before = JsonSerializer.Serialize(JsonSerializer.Deserialize<RunRecord>(text, ByReflection), ByReflection);
        var now = ResultsFile.ToJson(ResultsFile.Load(Path.Combine(Committed(), name)));
        Assert.Equal(before, now);
        Assert.Equal(now, ResultsFile.ToJson(ResultsFile.Parse(Encoding.UTF8.GetBytes(now), name)));
    }

    [Fact]
    public void A_file_with_every_kind_of_member_stays_the_same_when_read_and_written_again()
    {
        var run = new SampleRuns { Sizes = [10, 1000], Rounds = 2, SamplesPerRound = 20 }.Make();
        var text = JsonSerializer.Serialize(run, ByReflection);
        Assert.Equal(text, ResultsFile.ToJson(run));
        Assert.Equal(text, ResultsFile.ToJson(ResultsFile.Parse(Encoding.UTF8.GetBytes(text), "f.json")));
    }
}
