using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Cli;

/// <summary>Finds the format of a file by the extension of its name.</summary>
internal static class ReportEnding
{
    private const string ResultsEnding = ".json";

    /// <summary>The extensions that differ from the names of their formats.</summary>
    private static readonly Dictionary<string, string> Short = new(StringComparer.OrdinalIgnoreCase)
    {
        [".txt"] = "text",
        [".md"] = "markdown",
        [".htm"] = "html",
        [".xml"] = "junit",
        [".prom"] = "prometheus",
    };

    /// <summary>The extensions of all reports, without the extension of results files. The short extensions come first.</summary>
    public static string Known { get; } = string.Join(", ", Short.Keys.Concat(
        Reports.All.Select(report => "." + report.Format).Where(ending => ending != ResultsEnding)));

    /// <summary>Returns the format for an extension, which begins with a dot. Null for an unknown extension.</summary>
    public static string? FormatOf(string ending) =>
        Short.GetValueOrDefault(ending) ?? (ending.Length > 0 ? Reports.Find(ending[1..])?.Format : null);

    /// <summary>Divides the files of <c>-o</c> into the results file, if there is one, and the reports.</summary>
    /// <exception cref="UsageException">An extension is unknown, or there are two results files.</exception>
    public static (string? Results, IReadOnlyList<ReportFile> Reports) Divide(IEnumerable<string> paths)
    {
        string? results = null;
        List<ReportFile> reports = [];
        foreach (var path in paths)
        {
            var ending = Path.GetExtension(path);
            // Pipes, devices and the empty name are results files. The empty name is rejected when the file is written.
            var isResults = path.Length == 0 || FileKind.IsStream(path)
                || ResultsEnding.Equals(ending, StringComparison.OrdinalIgnoreCase);
            if (isResults && results is not null)
                throw new UsageException("-o names two results files, but a run has one: give one file another extension, as in page.html");
            if (isResults)
                results = path;
            else
                reports.Add(new(path, FormatOf(ending) ?? throw new UsageException(Refusal(path, ending))));
        }
        return (results, reports);
    }

    private static string Refusal(string path, string ending) =>
        $"-o {path}: the extension decides the format, but "
            + $"{(ending.Length == 0 ? "the file has no extension" : $"'{ending}' is unknown")}: "
            + $"write {ResultsEnding} for the results file, which report, compare and --resume read, or for a report one of {Known}";
}
