using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Cli;

/// <summary>The ending of a file's name says what is written into the file.</summary>
internal static class ReportEnding
{
    private const string ResultsEnding = ".json";

    /// <summary>Endings that are not the name of their format.</summary>
    private static readonly Dictionary<string, string> Short = new(StringComparer.OrdinalIgnoreCase)
    {
        [".txt"] = "text",
        [".md"] = "markdown",
        [".htm"] = "html",
        [".xml"] = "junit",
        [".prom"] = "prometheus",
    };

    /// <summary>All endings of reports but that of results files, the short ones first.</summary>
    public static string Known { get; } = string.Join(", ", Short.Keys.Concat(
        Reports.All.Select(report => "." + report.Format).Where(ending => ending != ResultsEnding)));

    /// <summary>The format of this ending; null when there is none.</summary>
    public static string? FormatOf(string ending) =>
        Short.GetValueOrDefault(ending) ?? (ending.Length > 0 ? Reports.Find(ending[1..])?.Format : null);

    /// <summary>What <c>-o</c> of a run asks for: at most one results file, and reports.</summary>
    /// <exception cref="UsageException">An ending is none of a format, or there are two results files.</exception>
    public static (string? Results, IReadOnlyList<ReportFile> Reports) Divide(IEnumerable<string> paths)
    {
        string? results = null;
        List<ReportFile> reports = [];
        foreach (var path in paths)
        {
            var ending = Path.GetExtension(path);
            // A pipe or device has no ending to go by, and an empty name is refused with the reason where it is written.
            var isResults = path.Length == 0 || WholeFile.IsStream(path)
                || ResultsEnding.Equals(ending, StringComparison.OrdinalIgnoreCase);
            if (isResults && results is not null)
                throw new UsageException("-o names two results files, and a run has one: give one of them another ending, as in page.html");
            if (isResults)
                results = path;
            else
                reports.Add(new(path, FormatOf(ending) ?? throw new UsageException(Refusal(path, ending))));
        }
        return (results, reports);
    }

    private static string Refusal(string path, string ending) =>
        $"-o {path}: the ending says what is written, and {(ending.Length == 0 ? "there is none" : $"'{ending}' is no format")}: "
            + $"write {ResultsEnding} for the results file, which report, compare and --resume read, or a report's: {Known}";
}
