using System.Globalization;
using System.Text.RegularExpressions;

namespace IpcBench.Host.Tests;

/// <summary>Checks rules of this repository: directions of dependencies, widths of lines, cited names.</summary>
public sealed class SourceTreeTests : IDisposable
{
    // Dependencies that are still to be removed from the code.
    private static readonly string[] KnownArrows =
    [
    ];

    // How many lines of each folder may still be too long.
    private static readonly Dictionary<string, int> KnownLongLines = new()
    {
    };

    private readonly string folder = Directory.CreateTempSubdirectory("tree-").FullName;

    private static string Root => Repository.Root;

    [Fact]
    public void Dependencies_between_namespaces_have_one_direction()
    {
        var cycle = new SourceTree(Path.Combine(Root, "src")).Cycle(KnownArrows);
        Assert.True(cycle is null, cycle);
    }

    [Theory]
    [InlineData("src")]
    [InlineData("tests")]
    public void Lines_fit_the_width_of_the_editorconfig(string part)
    {
        var width = Width();
        Assert.All(Directory.EnumerateDirectories(Path.Combine(Root, part)), top =>
        {
            var name = part + "/" + Path.GetFileName(top);
            var found = LongLines(top, width);
            Assert.True(found.Count <= KnownLongLines.GetValueOrDefault(name),
                $"{name} has {found.Count} lines of more than {width} columns: {string.Join(", ", found.TakeLast(5))}");
        });
    }

    [Fact]
    public void Every_reason_to_skip_a_test_on_some_system_is_listed_in_allowed_skips()
    {
        var allowed = File.ReadAllLines(Path.Combine(Root, ".ci", "allowed-skips"));
        const string system = @"[^"";]*(?:OperatingSystem\.Is|\.IsSupported)[^"";]*";
        var skip = new Regex(@"Assert\.Skip(?:When|Unless)\(\s*(?<when>" + system + @"),\s*""(?<why>[^""]+)""");
        var reasons = SourceTree.FilesOf(Path.Combine(Root, "tests")).SelectMany(path => skip.Matches(File.ReadAllText(path)))
            .Where(match => match.Groups["when"].Value is var when && !(when.Contains("IsLinux") && when.Contains("IsWindows")))
            .Select(match => match.Groups["why"].Value).Distinct().ToList();

        Assert.NotEmpty(reasons);
        Assert.Empty(reasons.Except(allowed)); // .ci/run fails for a reason that is not in the list
    }

    [Fact]
    public void Test_classes_that_comments_and_documents_cite_exist()
    {
        var own = SourceTree.FilesOf(Path.Combine(Root, "tests"))
            .SelectMany(path => Cited(path, @"\bclass (\w+Tests)\b")).Select(cited => cited.Name).ToHashSet();
        string[] documents = [.. Directory.EnumerateFiles(Root, "*.md"), .. Directory.EnumerateFiles(Path.Combine(Root, "docs"), "*.md"),
            .. Directory.EnumerateFiles(Path.Combine(Root, "bench")), .. SourceTree.FilesOf(Path.Combine(Root, "src"))];
        var cited = documents.SelectMany(path => Cited(path, @"\b([A-Z]\w*[a-z]Tests)\b")).ToList();

        Assert.NotEmpty(cited);
        Assert.DoesNotContain(cited, one => !own.Contains(one.Name));
    }

    [Fact]
    public void Types_and_members_that_architecture_md_names_exist()
    {
        var map = File.ReadAllText(Path.Combine(Root, "docs", "architecture.md"));
        string[] files = [.. SourceTree.FilesOf(Path.Combine(Root, "src")).Select(File.ReadAllText)];
        var named = Regex.Matches(map, @"`([A-Z]\w+)((?:\.[A-Z]\w+)+)`").Select(match => match.Value.Trim('`')).Distinct().ToList();

        Assert.NotEmpty(named);
        Assert.DoesNotContain(named, name =>
        {
            var parts = name.Split('.');
            var declaring = files.Where(text => text.Contains(parts[0], StringComparison.Ordinal)
                && Regex.IsMatch(text, $@"\b(class|record|struct|interface|enum) {parts[0]}\b")).ToList();
            return parts[1..].Any(part => !declaring.Exists(text => Regex.IsMatch(text, $@"\b{part}\b")));
        });
    }

    [Fact]
    public void A_cycle_is_named_with_its_files_and_the_rarest_dependency_first()
    {
        Write("A/One.cs", "using Made.B;\n\nnamespace Made.A;\n\ninternal class One : Two;\n");
        Write("A/More.cs", "using Made.B;\n\nnamespace Made.A;\n\ninternal class More : Two;\n");
        Write("B/Two.cs", "using Made.A;\n\nnamespace Made.B;\n\ninternal class Two : One;\n");

        var cycle = new SourceTree(folder).Cycle();

        Assert.Equal(
            $"probably wrong: Made.B -> Made.A ({Named("B/Two.cs")}); Made.A -> Made.B ({Named("A/More.cs")}, {Named("A/One.cs")})",
            cycle);
        Assert.Null(new SourceTree(folder).Cycle("Made.B -> Made.A"));
    }

    [Theory]
    [InlineData("using Made.A;\n\nnamespace Made.B;\n\ninternal class Two;")]
    [InlineData("using static Made.A.One;\n\nnamespace Made.B;\n\ninternal class Two;")]
    [InlineData("using First = Made.A.One;\n\nnamespace Made.B;\n\ninternal class Two;")]
    [InlineData("namespace Made.B;\n\ninternal class Two\n{\n    private A.One? first;\n}")]
    public void A_using_line_and_an_alias_and_a_qualified_name_are_dependencies(string second)
    {
        Write("One.cs", "using Made.B;\n\nnamespace Made.A;\n\ninternal class One;\n");
        Write("Two.cs", second);

        Assert.Contains("Made.B -> Made.A", new SourceTree(folder).Cycle());
    }

    [Fact]
    public void A_type_of_a_parent_namespace_is_a_dependency_without_a_using_line()
    {
        Write("Top.cs", "using Made.Below;\n\nnamespace Made;\n\npublic sealed record Top(Low Low);\n");
        Write("Below/Low.cs", "namespace Made.Below;\n\ninternal class Low(Top top);\n");

        Assert.Contains("Made.Below -> Made ", new SourceTree(folder).Cycle());
    }

    [Fact]
    public void Comments_and_strings_and_dependencies_of_one_direction_make_no_cycle()
    {
        Write("Top.cs", "using Made.Below;\n\nnamespace Made;\n\npublic sealed record Top(Low Low);\n");
        Write("Below/Low.cs", "namespace Made.Below;\n\n/// Of a Top.\ninternal class Low { string s = \"Top\"; /* Top */ }\n");

        Assert.Null(new SourceTree(folder).Cycle());
    }

    [Fact]
    public void A_line_that_is_too_long_is_found_with_its_place()
    {
        Write("bin/Made.cs", new string('x', 200));
        Write("Fits.cs", new string('x', 140));
        Write("Long.cs", "one\n" + new string('µ', 141));

        Assert.Equal([Named("Long.cs") + ":2"], LongLines(folder, 140));
    }

    public void Dispose() => Directory.Delete(folder, recursive: true);

    private static List<string> LongLines(string root, int width)
    {
        var found = new List<string>();
        foreach (var path in SourceTree.FilesOf(root).Order())
        {
            var lines = File.ReadAllLines(path).Index().Where(line => line.Item.Length > width);
            found.AddRange(lines.Select(line => $"{Path.GetRelativePath(root, path)}:{line.Index + 1}"));
        }
        return found;
    }

    private static IEnumerable<(string Name, string File)> Cited(string path, string pattern) =>
        Regex.Matches(File.ReadAllText(path), pattern).Select(match => (match.Groups[1].Value, Path.GetRelativePath(Root, path)));

    private static int Width()
    {
        var settings = File.ReadAllText(Path.Combine(Root, ".editorconfig"));
        var setting = Regex.Match(settings, @"^max_line_length = (\d+)", RegexOptions.Multiline);
        return int.Parse(setting.Groups[1].Value, CultureInfo.InvariantCulture);
    }

    private static string Named(string path) => path.Replace('/', Path.DirectorySeparatorChar);

    private void Write(string path, string text)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(Path.Combine(folder, path))!);
        File.WriteAllText(Path.Combine(folder, path), text);
    }
}
