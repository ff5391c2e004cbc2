using System.CommandLine;
using IpcBench.Analysis.Crank;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Plots;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;
using IpcBench.Client.Terminal;
using IpcBench.Host;

namespace IpcBench.Client.Cli;

/// <summary><c>report FILE…</c>: makes a document from results files.</summary>
internal static class ReportCommand
{
    public static Command Create()
    {
        var files = new Argument<string[]>("FILES")
        {
            Description = "results files (--format published also works without a file)",
            Arity = new ArgumentArity(0, 100),
        };
        var plots = PlotList.Names.ToArray();
        var formats = string.Join(", ", Reports.All.Select(report => report.Format));
        var list = new OptionList();
        var format = CompletionCommand.Suggesting(list.Text(HelpPlace.Output, "--format", "FORMAT",
            $"one of {formats} (default: by the extension of -o, else text)"), [.. Reports.All.Select(report => report.Format)]);
        var output = list.Many(HelpPlace.Output, "-o", "FILE", "the file to write, repeatable (default: the screen)", "--output");
        var plot = CompletionCommand.Suggesting(list.Text(HelpPlace.Output, "--plot", "NAME",
            $"with --format svg: make only this picture: {string.Join(", ", plots)}"), plots);
        var verbose = list.Flag(HelpPlace.Output, "-v", "show all tables and doubts, also on a terminal", "--verbose");
        var command = list.AddTo(new Command("report",
            "Makes a report from results files: text, Markdown, CSV, JSON, HTML, SVG, HdrHistogram's text, or published numbers beside "
            + "measured numbers.") { files });
        command.SetAction(typed =>
        {
            var paths = typed.GetValue(output) ?? [];
            var reports = paths.DefaultIfEmpty(null).Select(
                path => (Path: path, Report: Choose(typed.GetValue(format) ?? FormatOf(path), typed.GetValue(plot), formats))).ToList();
            var named = typed.GetValue(files) ?? [];
            if (named.Length == 0 && reports.Exists(one => one.Report is not PublishedReport))
                throw new UsageException("report needs a results file, as in GrpcBench report results/….json");
            if (paths.Select(Path.GetFullPath).Intersect(named.Select(Path.GetFullPath)).FirstOrDefault() is { } same)
                throw new UsageException($"-o {same} is the results file itself, which the report would replace: name another file");
            var model = ResultsReading.Model(named);
            foreach (var (path, report) in reports)
            {
                var shown = report is TextReport && path is null
                    ? new TextReport(Screen.OfOutput().Layout(typed.GetValue(verbose))) : report;
                var text = shown.Make(model);
                if (text.Length == 0)
                    throw new EnvironmentException(
                        $"there is nothing in {string.Join(", ", named)} that --format {report.Format} can show");
                if (path is null)
                    Console.Out.Write(text);
                else
                    ReportFile.Write(path, text);
            }
            return ExitCode.Ok;
        });
        return command;
    }

    private static IReport Choose(string format, string? plot, string formats)
    {
        var report = Reports.Find(format) ?? throw new UsageException($"--format '{format}' is unknown: write one of {formats}");
        if (plot is null)
            return report;
        if (report is not SvgReport)
            throw new UsageException("--plot chooses one picture of --format svg: add --format svg, or leave out --plot");
        return PlotList.NameOf(plot) is { } name
            ? new SvgReport(name)
            : throw new UsageException($"--plot '{plot}' is unknown: write one of {string.Join(", ", PlotList.Names)}");
    }

    private static string FormatOf(string? path) => Path.GetExtension(path)?.ToLowerInvariant() switch
    {
        null or "" => "text",
        var ending => ReportEnding.FormatOf(ending) ?? throw new UsageException(
            $"-o: no format has the extension '{ending}': add --format, or use one of .json, {ReportEnding.Known}"),
    };
}

/// <summary>Reads the results files of a command. Each file gets a name that distinguishes it from the other files.</summary>
internal static class ResultsReading
{
    /// <exception cref="EnvironmentException">A file cannot be read or is not a results file.</exception>
    public static ReportModel Model(IReadOnlyList<string> paths)
    {
        try
        {
            var runs = paths.Select(Load).ToList();
            return new ReportModel([.. NamesOf(paths, runs).Zip(runs)]);
        }
        catch (ResultsFileException e)
        {
            throw new EnvironmentException(e.Message, e);
        }
    }

    // The file is read only once, since the path may be a pipe.
    private static RunRecord Load(string path)
    {
        var json = ResultsFile.Read(path);
        return CrankFile.TryParse(json, path) ?? ResultsFile.Parse(json, path);
    }

    /// <summary>
    /// Returns the labels if every run has a label and all labels differ. Otherwise returns the file names if all file names differ,
    /// else the paths.
    /// </summary>
    private static IReadOnlyList<string> NamesOf(IReadOnlyList<string> paths, List<RunRecord> runs)
    {
        var labels = runs.ConvertAll(run => run.Label);
        if (labels.TrueForAll(label => label.Length > 0) && labels.Distinct().Count() == labels.Count)
            return labels;
        var names = paths.Select(path => Path.GetFileNameWithoutExtension(path)).ToList();
        return names.Distinct().Count() == names.Count ? names : paths;
    }
}
