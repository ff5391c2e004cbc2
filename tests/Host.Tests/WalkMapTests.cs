using System.Text.RegularExpressions;

namespace IpcBench.Host.Tests;

/// <summary>The walk from <c>-U</c> in docs/architecture.md is a chain of calls, not a list of names.</summary>
public sealed class WalkMapTests
{
    // The call of this hop is not in the text of an earlier hop: CommandTree makes the call.
    private static readonly string[] Elsewhere = ["RunCommand.AddTo"];

    [Fact]
    public void Each_hop_of_the_documented_walk_to_the_first_byte_is_called_by_an_earlier_hop()
    {
        var map = File.ReadAllText(Path.Combine(Repository.Root, "docs", "architecture.md"));
        var from = map.IndexOf("### The walk from `-U", StringComparison.Ordinal);
        var hops = Hops(map[from..map.IndexOf("\n## ", from, StringComparison.Ordinal)]);
        Assert.True(hops.Count > 20);
        Assert.Equal(Elsewhere,
            Uncalled(hops, [.. SourceTree.FilesOf(Path.Combine(Repository.Root, "src")).Select(File.ReadAllText)]));
    }

    [Theory]
    [InlineData("1. `One.Go`\n2. `Two.Come`: why", "One.Go")]
    [InlineData("1. `One.Go`\n2. `Two.Come`\n3. `One.Stay`", "One.Go, One.Stay")]
    [InlineData("1. `Two.Come`\n2. `One.Go`", "Two.Come, One.Go")]
    [InlineData("1. `One.Stay`\n2. `Other.Find`", "One.Stay, Other.Find")]
    public void A_hop_that_no_earlier_hop_calls_is_reported(string map, string uncalled)
    {
        const string source = """
            class One
            {
                public void Go()
                {
                    var two = new Two();

                    two.Come();
                }

                public void Stay() => Go(Two.Find());
            }

            class Two
            {
                public void Come() => Wait();
            }
            """;
        Assert.Equal(uncalled, string.Join(", ", Uncalled(Hops(map), [source])));
    }

    private static List<(string Type, string Method)> Hops(string part) =>
        [.. Regex.Matches(part, @"^\d+\. `(\w+)\.(\w+)`", RegexOptions.Multiline)
            .Select(hop => (hop.Groups[1].Value, hop.Groups[2].Value))];

    private static IEnumerable<string> Uncalled(IEnumerable<(string Type, string Method)> hops, IReadOnlyList<string> sources)
    {
        var earlier = "";
        foreach (var (type, method) in hops)
        {
            if (!IsCalled(type, method, earlier))
                yield return $"{type}.{method}";
            earlier += string.Concat(sources.Where(text => Regex.IsMatch(text, $@"\b(class|record|struct|interface) {type}\b"))
                .SelectMany(text => Bodies(text, method)));
        }
    }

    // A static method is called by its type's name, every other method on an object or from its own type. So a method of
    // the same name in another type does not count.
    private static bool IsCalled(string type, string method, string text) =>
        Regex.IsMatch(text, $@"\b{type}\.{method}\b|(?<![A-Z]\w*\.)\b{method}[(),]");

    // Finds the body of each method of this name: a block with its indentation, or an expression.
    private static IEnumerable<string> Bodies(string text, string method) =>
        Regex.Matches(text, $@"^( {{4,8}})(?:public|private|internal|protected)[^=;{{}}]*?[ .]{method}(?:<\w+>)?\(", RegexOptions.Multiline)
            .Select(head => (After: text[(head.Index + head.Length)..], Indent: head.Groups[1].Value))
            .Select(one => Regex.Match(one.After, $@"\A[^{{]*?\)\s*=>.*?;\r?$|\A.*?^{one.Indent}}}",
                RegexOptions.Multiline | RegexOptions.Singleline).Value);
}
