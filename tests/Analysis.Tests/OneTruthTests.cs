using System.Text.RegularExpressions;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

/// <summary>Checks for every committed run that verdicts, texts and intervals agree with each other.</summary>
public sealed partial class OneTruthTests
{
    public static TheoryData<string> Runs()
    {
        var root = Root();
        return [.. Directory.EnumerateFiles(Path.Combine(root, "results"), "*.json", SearchOption.AllDirectories)
            .Where(file => File.ReadAllText(file).Contains("\"rounds\"", StringComparison.Ordinal))
            .Select(file => Path.GetRelativePath(root, file)).Order(StringComparer.Ordinal)];
    }

    [Theory]
    [MemberData(nameof(Runs))]
    public void Only_undecided_ratios_have_an_interval_that_includes_1(string file)
    {
        var run = new MeasuredRun(ResultsFile.Load(Path.Combine(Root(), file)));
        var comparisons = from pair in ClaimFamily.Pairs([.. run.Cells.Select(cell => cell.Key)], run.Record.Options.Reference)
                          from metric in new[] { ArmComparison.Headline(run.Cells[pair.One]),
                              ArmComparison.Cost(run.Cells[pair.One], run.Cells[pair.Other]) }
                          let one = ArmComparison.Compare(run, run.Cells[pair.One], run.Cells[pair.Other], metric)
                          where one is { Verdict: { Withheld.Length: 0, Estimate: { Interval: not null, LeftOut: 0 } } }
                          select one;
        Assert.All(comparisons, one => Assert.Equal(one.Verdict.Estimate.Interval!.Value.Contains(1),
            one.Verdict.Kind is VerdictKind.CannotTell or VerdictKind.NoDifference));
        // The texts agree too: an interval beside "not decided" has bounds of different signs.
        foreach (var text in Answers.For(run).Concat(Headlines.For(run).SelectMany(line => new[] { line.Sentence, line.Headline })))
        {
            Assert.All(Undecided().Matches(text), match => Assert.NotEqual(match.Groups["low"].Value, match.Groups["high"].Value));
            Assert.DoesNotContain("allow by chance", text, StringComparison.Ordinal);
        }
    }

    [Theory]
    [MemberData(nameof(Runs))]
    public void The_ratio_of_an_arm_to_its_reference_is_the_same_if_the_comparison_is_made_in_reverse(string file)
    {
        var run = new MeasuredRun(ResultsFile.Load(Path.Combine(Root(), file)));
        Assert.All(run.Cells.Where(cell => run.ReferenceOf(cell) is not null), cell =>
        {
            var reference = run.ReferenceOf(cell)!;
            var one = ArmComparison.OfHeadline(run, cell);
            var turned = ArmComparison.Compare(run, reference, cell, ArmComparison.Headline(cell));
            Assert.Equal(one?.Verdict.Estimate.Ratio, turned?.AgainstReference(run).Verdict.Estimate.Ratio);
        });
    }

    private static string Root([System.Runtime.CompilerServices.CallerFilePath] string source = "") =>
        Path.GetFullPath(Path.Combine(Path.GetDirectoryName(source)!, "..", ".."));

    // "not decided between … between −2.0 % and +46 %": the signs of the bounds.
    [GeneratedRegex(@"not decided between [^:.]*: (?:[^:;.]* )?between (?<low>[+−])[0-9.,]+ % and (?<high>[+−])[0-9.,]+ %")]
    private static partial Regex Undecided();
}
