using System.Diagnostics;
using System.Globalization;
using IpcBench.Analysis.Crank;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Host;

namespace IpcBench.Client.Terminal;

/// <summary>
/// Prints the output of a run: the report on stdout and the progress on stderr. With <c>--format</c>, only the report
/// is on stdout, and with <c>--crank</c> only crank's block. This class shows no progress, but its two derived classes
/// do.
/// </summary>
internal class RunView(RunOptions options, TextWriter output, TextWriter error, Screen screen) : IRunObserver, IDisposable
{
    private Action? end;

    /// <summary>Called with the complete run before it is reported.</summary>
    public Action<RunRecord>? Measured { get; set; }

    protected RunOptions Options => options;

    // crank treats every line on stderr as a failure.
    protected TextWriter Progress => options.Output.Crank ? TextWriter.Null : error;

    /// <summary>
    /// The writer to which each round of each cell is printed after its measurement. Null when rounds are not printed.
    /// With -v, rounds are printed. Without -v and --format, rounds are printed if one server is given and no shapes are compared.
    /// </summary>
    private TextWriter? Blocks => options.Output switch
    {
        { Crank: true } => null,
        { Verbose: true } => options.Output.Format is not null || IsOfBuilds ? error : output,
        { Format: null } when options.Addresses.Count == 1 && options.Shapes.Count == 0 && !IsOfBuilds => output,
        _ => null,
    };

    private bool IsOfBuilds => options.Variants.Any(variant => variant.Command is not null);

    /// <summary>Makes the view: a live view on a terminal, a line per round elsewhere, and no progress for crank.</summary>
    public static RunView For(RunOptions options)
    {
        var screen = Screen.OfOutput();
        if (options.Output.Crank)
            return new RunView(options, Console.Out, Console.Error, screen);
        return LiveView.IsPossible ? new LiveView(options, screen) : new PlainView(options, Console.Out, Console.Error, screen);
    }

    public void Note(string sentence) => Around(() =>
    {
        foreach (var line in TextWrapping.Lines(PrintableText.Of(sentence), screen.IsTerminal ? screen.Width : null, "", "  "))
            Progress.WriteLine(line);
    });

    public void Detail(string sentence)
    {
        if (options.Output.Verbose)
            Note(sentence);
    }

    /// <summary>Prints the plan before the first step that takes time.</summary>
    public virtual void Started(BenchPlan plan, RunProgress progress, Action end)
    {
        this.end = end;
        foreach (var line in PlanText.Lines(plan, screen.IsTerminal ? screen.Width : null))
            Note(line);
        Detail(PlanText.Details(plan.Options));
    }

    public virtual void RoundStarted(int number, int attempt, int rounds)
    {
        if (Blocks is { } blocks && attempt == 0)
            Around(() => blocks.Write(Transcript.RoundHeading(number, options.RoundsAuto ? 0 : rounds)));
    }

    public virtual void CellFinished(PlannedCell cell, Measurement round, RunRecord record)
    {
        if (Blocks is { } blocks)
            Around(() => Print(blocks, Transcript.Cell(record, round, options.Output.Verbose)));
        if (options.Output.Save || options.Output.Reports.Count > 0 || !StandardOutput.IsGone || end is not { } endNow)
            return;
        // The run ends here, since nobody reads its results and no file keeps them.
        end = null;
        Note("the run ended, because nobody reads standard output any more and --no-save keeps no file");
        endNow();
    }

    /// <summary>Prints lines that are aligned. Only a line that is wider than the terminal is wrapped.</summary>
    private void Print(TextWriter blocks, string text)
    {
        foreach (var line in text.Split('\n'))
        {
            var isWide = screen.IsTerminal && line.Length > screen.Width;
            foreach (var part in isWide ? TextWrapping.Lines(line, screen.Width, "", "  ") : [line])
                blocks.WriteLine(part);
        }
    }

    public void Unkept(RunRecord record) => output.WriteLine(ResultsFile.ToJson(record));

    /// <summary>Prints the final results and the comparison, or the requested report. Writes the reports of <c>-o</c>.</summary>
    public virtual void Finished(RunRecord record, string? file)
    {
        if (record.Rounds.Count == 0)
            return;
        Measured?.Invoke(record);
        var model = new ReportModel(record);
        if (options.Output.Crank)
            output.Write(CrankStatistics.Make(record));
        else if (options.Output.Format is { } format)
            output.Write((format == "text" ? new TextReport(screen.Layout(options.Output.Verbose)) : Reports.Find(format)!).Make(model));
        else
            output.Write((Blocks != output ? "\n" : Transcript.FinalResults(record) + "\n")
                + new TextReport(screen.OfRun(options.Output.Verbose)).Make(model));
        if (file is not null)
            Next(record, file);
        // The run gets the same name here as from the command report.
        var name = record.Label.Length > 0 || file is null ? record.Label : Path.GetFileNameWithoutExtension(file);
        var named = new ReportModel([(name, record)]);
        EnvironmentException? refused = null;
        foreach (var report in options.Output.Reports)
        {
            try
            {
                ReportFile.Write(report.Path, Reports.Find(report.Format)!.Make(named));
                Progress.WriteLine($"The report is in {report.Path}");
            }
            catch (EnvironmentException e)
            {
                refused ??= e; // the other reports are still written
            }
        }
        if (refused is not null)
            throw refused;
    }

    // The printed command adds this many rounds, or more if an interval needs more.
    private const int UsualMore = 6;

    /// <summary>Prints the command for the user's next step on a line of its own, so that it can be copied.</summary>
    private void Next(RunRecord record, string file)
    {
        if (FileKind.IsStream(file))
        {
            Progress.WriteLine($"\nEvery round went to {file}");
            return;
        }
        var run = new MeasuredRun(record);
        var (open, loads) = UnixAgainstTcp.Undecided(run);
        var (quoted, report) = (ThisProgram.Quoted(file), $"{ThisProgram.Typed} report {ThisProgram.Quoted(file)} ");
        Progress.WriteLine(open > 0
            ? string.Create(CultureInfo.InvariantCulture, $"\nRequests/s are undecided for {open} of {loads} loads; ")
                + MoreRounds(run, quoted, Math.Max(UsualMore, UnixAgainstTcp.RoundsMissing(run)))
            : options.Output.Reports.Count > 0 ? "" : $"\nThe whole report as a page:\n  {report}-o report.html");
        Progress.WriteLine($"Every round is in {file}" + (options.Output.Verbose ? ""
            : $"\nAll tables and the advice on doubts:\n  {report}-v"));
    }

    private static string MoreRounds(MeasuredRun run, string file, int more) => Resumption.KeepsCommandLine(run.Record)
        ? string.Create(CultureInfo.InvariantCulture, $"this command adds rounds:\n  {ThisProgram.Typed} --resume {file} -r +{more}")
        : string.Create(CultureInfo.InvariantCulture,
            $"run the command again with -r {run.CommonRounds + more} (--resume needs --data, -H and --expect as @FILE)");

    public virtual void Dispose()
    {
    }

    /// <summary>Runs <paramref name="write"/> while the progress is hidden, so that lines of text and the progress do not mix.</summary>
    protected virtual void Around(Action write) => write();
}

/// <summary>Shows the progress as one line per round, for pipes and log files.</summary>
internal sealed class PlainView(RunOptions options, TextWriter output, TextWriter error, Screen screen)
    : RunView(options, output, error, screen)
{
    private long begun;
    private ExpectedTime? expected;

    public override void Started(BenchPlan plan, RunProgress progress, Action end)
    {
        expected = new ExpectedTime(plan);
        base.Started(plan, progress, end);
    }

    public override void RoundStarted(int number, int attempt, int rounds)
    {
        var now = Stopwatch.GetTimestamp();
        begun = begun == 0 ? now : begun;
        expected!.RoundStarted(attempt, now);
        Progress.WriteLine(string.Create(CultureInfo.InvariantCulture, $"round {number}: {LeftText.Describe(expected.Left(now))}"));
        base.RoundStarted(number, attempt, rounds);
    }

    public override void CellFinished(PlannedCell cell, Measurement round, RunRecord record)
    {
        expected!.Finished(cell, round.Number, Stopwatch.GetTimestamp());
        base.CellFinished(cell, round, record);
    }
}
