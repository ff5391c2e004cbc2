using System.Text.RegularExpressions;

namespace IpcBench.Host.Tests;

/// <summary>
/// An experiment is one folder in Client and, if it has its own reports, one folder in Analysis. The core does not name
/// the experiment: its words may stand only in its folders and in the two tables of commands and loads.
/// </summary>
public sealed class SliceTests
{
    private static readonly string[] Tables = ["Client/Commands/Experiment.cs", "Client/Loads/LoadTable.cs"];

    /// <summary>
    /// Name, words as a pattern, folders, and how many other files still have such a word. Zero: the experiment is clean. The number may
    /// only fall: a change that removes the words from a file also lowers the number.
    /// </summary>
    public static TheoryData<string, string, string[], int> Experiments => new()
    {
        { "sweep", @"\bSweepCommand\b|""--vary""|""sweep""", ["Client/Experiments/Sweep"], 0 },
        { "http", @"\bHttp(Command|CommandOptions|OptionsReader|Url)\b|""--expect-status""|""--varying-length""|""--body""",
            ["Client/Experiments/Http"], 0 },
        { "article", @"\bArticleExperiment\b|""article""", ["Client/Experiments/Article", "Analysis/Published"], 0 },
        { "layers", @"\bLayersExperiment\b|""layers""|\bLayer(Budget|Text|sPlot)\b", ["Client/Experiments/Layers", "Analysis/Layers"], 6 },
        { "echo", @"\bEcho(Experiment|Targets|Table|WriteUp)\b|\bRoundTripPlot\b",
            ["Client/Experiments/Echo", "Analysis/Published"], 6 },
        { "mcp", @"\bMcp(Command|Server)\b|""--tool""", ["Client/Experiments/Mcp"], 0 },
        { "ab", @"\bAbCommand\b|""ab""|""--(base|head)""|\bBuildComparison\b|\b[iI]?s?OfBuilds\b", ["Client/Experiments/Ab"], 12 },
        { "find", @"\bSearchLoad\b|\bLatencyObjective\b|\bRateSearch\w*\b|\bObjective(Plot|Term)\b|""--find""", ["Client/Loads/Find"], 15 },
        { "load", @"\b(Share|Rate)Load\b|""--load""|""--my-rate""|\bSavings\b", ["Client/Loads/Given"], 5 },
        { "profile", @"\bSampler\b|\bPerf(Recording|Script)\b|\bStackSample\b|\bRuntime(Recording|Samples)\b"
            + @"|\bStage(Shares|Tally|Difference)\b|\bProfile(Section|Phase|Check)\b|""--profile""",
            ["Client/Profile", "Analysis/Profile"], 10 },
        { "work", @"\bBreakEven\w*\b|\bServerWork\b|\bWorkT(ime|ext)\b|""--?work""", [], 13 },
    };

    [Theory]
    [MemberData(nameof(Experiments))]
    public void The_number_of_files_that_name_an_experiment_outside_its_folders_is_the_known_number(
        string name, string words, string[] folders, int known)
    {
        var found = Files().Where(file => !Tables.Contains(file.Path) && !folders.Any(folder => file.Path.StartsWith(folder + "/")))
            .SelectMany(file => Places(file, words)).ToList();
        var files = found.Select(place => place.Split(':')[0]).Distinct().ToList();
        Assert.True(files.Count <= known, $"{name} is named in {files.Count} files outside {string.Join(" and ", folders)}, "
            + $"and {known} are known: {string.Join(", ", found)}");
        Assert.True(files.Count == known, $"{name} is named in {files.Count} files outside its folders: lower the number in this test");
        // A pattern of words that the code no longer has would find nothing outside the folders either.
        Assert.Equal(folders.Length > 0,
            Files().Any(file => folders.Any(folder => file.Path.StartsWith(folder + "/")) && Places(file, words).Any()));
    }

    [Fact]
    public void Every_folder_of_an_experiment_is_in_this_test()
    {
        var rooms = Directory.EnumerateDirectories(Path.Combine(Repository.Root, "src", "Client", "Experiments"))
            .Select(folder => $"Client/Experiments/{Path.GetFileName(folder)}").ToList();
        Assert.NotEmpty(rooms);
        Assert.Empty(rooms.Except(Experiments.SelectMany(row => row.Data.Item3)));
    }

    [Fact]
    public void A_word_is_found_in_code_with_file_and_line_and_not_in_comments() =>
        Assert.Equal(["A.cs:2"],
            Places(("A.cs", "// SweepCommand\nSweepCommand.Create();\n/// <see cref=\"SweepCommand\"/>"), @"\bSweepCommand\b"));

    private static IEnumerable<string> Places((string Path, string Text) file, string words) =>
        file.Text.Split('\n').Index().Where(line => Regex.IsMatch(line.Item.Split("//")[0], words))
            .Select(line => FormattableString.Invariant($"{file.Path}:{line.Index + 1}"));

    private static IEnumerable<(string Path, string Text)> Files()
    {
        var src = Path.Combine(Repository.Root, "src");
        return SourceTree.FilesOf(src).Select(path => (Path.GetRelativePath(src, path).Replace('\\', '/'), File.ReadAllText(path)));
    }
}
