using System.Text.RegularExpressions;

namespace IpcBench.Host.Tests;

/// <summary>
/// The dependencies between the namespaces of a source tree. A using line is a dependency, and so are a type of a parent namespace,
/// which needs no using line, and a type that is named with its namespace.
/// </summary>
internal sealed partial class SourceTree
{
    private const string Kinds = @"class|record struct|record class|record|struct|interface|enum|delegate \S+";
    private const string Modifiers = "public|internal|static|sealed|abstract|partial|readonly|unsafe|file|ref";

    private readonly Dictionary<string, HashSet<string>> types = [];
    private readonly Dictionary<(string From, string To), SortedSet<string>> arrows = [];

    /// <param name="root">The folder whose .cs files are read, except the files that a build made.</param>
    public SourceTree(string root)
    {
        var files = new List<(string Name, string Text, string Room)>();
        foreach (var path in FilesOf(root))
        {
            var text = Bare(File.ReadAllText(path));
            if (Namespace().Match(text) is not { Success: true } room)
                continue;
            files.Add((Path.GetRelativePath(root, path), text, room.Groups[1].Value));
            types.TryAdd(files[^1].Room, []);
            types[files[^1].Room].UnionWith(Declared().Matches(text).Select(match => match.Groups[1].Value));
        }
        foreach (var (name, text, room) in files)
        {
            foreach (var used in UsedBy(room, text).Where(used => used != room))
            {
                arrows.TryAdd((room, used), []);
                arrows[(room, used)].Add(name);
            }
        }
    }

    public static IEnumerable<string> FilesOf(string root) => Directory.EnumerateFiles(root, "*.cs", SearchOption.AllDirectories)
        .Where(path => !path.Split(Path.DirectorySeparatorChar).Any(folder => folder is "bin" or "obj"));

    /// <summary>
    /// Finds the shortest cycle without the allowed dependencies (<c>A -> B</c>), with some files of each dependency. Null without
    /// a cycle.
    /// </summary>
    public string? Cycle(params IEnumerable<string> allowed)
    {
        var left = arrows.Keys
            .Where(arrow => !allowed.Contains($"{arrow.From} -> {arrow.To}"))
            .ToLookup(arrow => arrow.From, arrow => arrow.To);
        var shortest = left.Select(start => Way(left, start.Key, start.Key)).OfType<List<string>>().MinBy(way => way.Count);
        if (shortest is null)
            return null;
        // The dependency that the fewest files have is the likeliest to be wrong.
        var steps = shortest.Zip(shortest.Skip(1)).OrderBy(step => arrows[step].Count).ToList();
        return string.Join("; ", steps.Select((step, i) =>
            $"{(i == 0 ? "probably wrong: " : "")}{step.First} -> {step.Second} ({string.Join(", ", arrows[step].Take(3))})"));
    }

    private IEnumerable<string> UsedBy(string own, string text)
    {
        foreach (Match line in Using().Matches(text))
        {
            // A using static or an alias names a type: its namespace counts.
            for (var name = line.Groups[1].Value; name.Contains('.', StringComparison.Ordinal); name = name[..name.LastIndexOf('.')])
            {
                if (types.ContainsKey(name))
                {
                    yield return name;
                    break;
                }
            }
        }
        var words = Word().Matches(text).Select(match => match.Value).ToHashSet();
        foreach (var (name, declared) in types)
        {
            var last = name[(name.LastIndexOf('.') + 1)..];
            if (own.StartsWith(name + ".", StringComparison.Ordinal) && declared.Overlaps(words))
                yield return name;
            else if (words.Contains(last) && IsQualified(text, last, declared))
                yield return name;
        }
    }

    private static bool IsQualified(string text, string last, HashSet<string> declared) =>
        Qualified().Matches(text).Any(match => match.Groups[1].Value == last && declared.Contains(match.Groups[2].Value));

    /// <summary>Finds the shortest way between two namespaces, breadth first. The way includes both.</summary>
    private static List<string>? Way(ILookup<string, string> arrows, string from, string to)
    {
        var (ways, seen) = (new Queue<List<string>>([[from]]), new HashSet<string>());
        while (ways.TryDequeue(out var way))
        {
            foreach (var next in arrows[way[^1]])
            {
                if (next == to)
                    return [.. way, next];
                if (seen.Add(next))
                    ways.Enqueue([.. way, next]);
            }
        }
        return null;
    }

    // Removes comments and strings: a type that only they name is not used.
    private static string Bare(string text) => CommentOrText().Replace(text, " ");

    [GeneratedRegex(@"^namespace ([\w.]+)", RegexOptions.Multiline)]
    private static partial Regex Namespace();

    [GeneratedRegex(@"^(?:global )?using (?:static )?(?:\w+ = )?([\w.]+);", RegexOptions.Multiline)]
    private static partial Regex Using();

    // Types of the namespace itself: a type that is nested in another type is indented.
    [GeneratedRegex($@"^(?:(?:{Modifiers}) )*(?:{Kinds}) (\w+)", RegexOptions.Multiline)]
    private static partial Regex Declared();

    [GeneratedRegex(@"\w+")]
    private static partial Regex Word();

    [GeneratedRegex(@"\b(\w+)\.(\w+)")]
    private static partial Regex Qualified();

    [GeneratedRegex("""//[^\n]*|/\*.*?\*/|\"\"\".*?\"\"\"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""", RegexOptions.Singleline)]
    private static partial Regex CommentOrText();
}
