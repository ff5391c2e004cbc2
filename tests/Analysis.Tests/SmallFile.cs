using System.Text;
using System.Text.Json.Nodes;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

/// <summary>A small results file, whole or with one wrong member.</summary>
internal static class SmallFile
{
    /// <summary>A run of one size and two rounds.</summary>
    public static RunRecord Small() => new SampleRuns { Sizes = [10], Rounds = 2, SamplesPerRound = 50 }.Make();

    /// <summary>Returns the file of the small run, with one member replaced.</summary>
    /// <param name="member">The path of the member, such as <c>rounds[0].started</c>.</param>
    /// <param name="value">The new value as JSON.</param>
    public static byte[] With(string member, string value)
    {
        const string Mark = "\"@@here@@\"";
        var root = JsonNode.Parse(Bytes(Small()))!;
        JsonNode node = root;
        var parts = member.Replace("[0]", ".[0]", StringComparison.Ordinal).Split('.');
        foreach (var part in parts[..^1])
            node = part == "[0]" ? node[0]! : node[part]!;
        if (parts[^1] == "[0]")
            node[0] = "@@here@@";
        else
            node[parts[^1]] = "@@here@@";
        return Encoding.UTF8.GetBytes(root.ToJsonString().Replace(Mark, value, StringComparison.Ordinal));
    }

    /// <summary>Returns the file of a run.</summary>
    public static byte[] Bytes(RunRecord run) => Encoding.UTF8.GetBytes(ResultsFile.ToJson(run));
}
