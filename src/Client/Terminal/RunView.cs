using System.Diagnostics;
using System.Globalization;
using IpcBench.Analysis.Crank;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;

namespace IpcBench.Client.Terminal;

/// <summary>
/// What a run says: its transcript and report on stdout, what is going on meanwhile on stderr. With <c>--format</c> the report alone is on
/// stdout, with <c>--crank</c> nothing but crank's block is printed. This one shows no progress; the two that do derive from it.
/// </summary>
internal class RunView(RunOptions options, TextWriter output, TextWriter error) : IRunObserver, IDisposable
{
    private Action? end;

    protected RunOptions Options => options;

    // crank takes every line on stderr for a failure.
    protected TextWriter Progress => options.Output.Crank ? TextWriter.Null : error;

    private TextWriter Rounds => options.Output.Crank ? TextWriter.Null : options.Output.Format is null ? output : error;

    /// <summary>A live view on a terminal, a line for each round elsewhere, neither for crank.</summary>
    public static RunView For(RunOptions options) => options.Output.Crank
        ? new RunView(options, Console.Out, Console.Error)
        : LiveView.IsPossible ? new LiveView(options) : new PlainView(options, Console.Out, Console.Error);

    public void Note(string sentence) => Around(() => Progress.WriteLine(sentence));

    /// <summary>Prints the plan, before anything takes time.</summary>
    public virtual void Started(BenchPlan plan, RunProgress progress, Action end)
    {
        this.end = end;
        Around(() => Progress.WriteLine(PlanLine(plan)));
    }

    public virtual void RoundStarted(int number, int attempt) =>
        Around(() => Rounds.Write(Transcript.RoundHeading(number, options.RoundsAuto ? 0 : options.Rounds)));

    public virtual void CellFinished(PlannedCell cell, Measurement round, RunRecord record)
    {
        Around(() => Rounds.WriteLine(Transcript.Cell(record, round)));
        if (options.Output.Save || !StandardOutput.IsGone || end is not { } endNow)
            return;
        // What is neither kept nor read is not worth the machine's time.
        end = null;
        Note("ended, since nobody reads standard output any more and no file is kept (--no-save)");
        endNow();
    }

    public void Unkept(RunRecord record) => output.WriteLine(ResultsFile.ToJson(record));

    /// <summary>Prints the original's rows and the comparison, or the report that was asked for.</summary>
    public virtual void Finished(RunRecord record, string? file)
    {
        if (record.Rounds.Count == 0)
            return;
        if (options.Output.Crank)
            output.Write(CrankStatistics.Of(record));
        else if (options.Output.Format is { } format)
            output.Write(Reports.Find(format)!.Make(new ReportModel(record)));
        else
            output.Write(Transcript.FinalResults(record) + "\n" + Reports.Find("text")!.Make(new ReportModel(record)));
        if (file is not null)
        {
            var place = WholeFile.IsStream(file)
                ? $"went to {file}"
                : $"is in {file} (GrpcBench report {file} --format html -o report.html)";
            Progress.WriteLine($"\nEvery round {place}");
        }
    }

    public virtual void Dispose()
    {
    }

    /// <summary>Writes lines of text with whatever shows the progress out of the way, so that they never mix.</summary>
    protected virtual void Around(Action write) => write();

    private string PlanLine(BenchPlan plan)
    {
        var rounds = options.RoundsAuto
            ? $"rounds until decided, at most {LeftText.Span(options.MaxTime)}"
            : string.Create(CultureInfo.InvariantCulture, $"{options.Rounds} rounds of {Length(plan)}");
        var warmup = string.Create(CultureInfo.InvariantCulture, $"{options.Warmup.TotalSeconds:0.###}s{OfTheServer()}");
        return string.Create(CultureInfo.InvariantCulture,
            $"{plan.Cells.Count} cells ({Axes(plan)}), {rounds}; every cell is warmed up for {warmup}; order from seed {options.Seed}");
    }

    private string OfTheServer() => ServerWarmup.OfEachServer(options) is { Ticks: > 0 } time
        ? string.Create(CultureInfo.InvariantCulture, $", the server for {time.TotalSeconds:0.###}s before the first round") : "";

    private string Length(BenchPlan plan) => plan.Estimate is { } estimate
        ? string.Create(CultureInfo.InvariantCulture, $"{options.Duration.TotalSeconds:0.###}s, about {LeftText.Span(estimate)}")
        : string.Create(CultureInfo.InvariantCulture, $"{options.Calls:#,0} calls, however long they take");

    private string Axes(BenchPlan plan)
    {
        var arms = string.Join(", ", plan.Cells.Select(cell => cell.Record.Key.Arm).Distinct());
        var connections = string.Join(", ", options.Topologies.Select(topology => topology.Connections).Distinct());
        return string.Create(CultureInfo.InvariantCulture,
            $"{arms} × {options.Sizes.Count} sizes, {connections} connections over {options.Threads} threads");
    }
}

/// <summary>Shows the progress as one line a round, for pipes and log files.</summary>
internal sealed class PlainView(RunOptions options, TextWriter output, TextWriter error) : RunView(options, output, error)
{
    private BenchPlan? plan;
    private long begun;

    public override void Started(BenchPlan plan, RunProgress progress, Action end)
    {
        (this.plan, begun) = (plan, Stopwatch.GetTimestamp());
        base.Started(plan, progress, end);
    }

    public override void RoundStarted(int number, int attempt)
    {
        var elapsed = Stopwatch.GetElapsedTime(begun);
        var left = plan!.Estimate is { } whole ? whole - elapsed
            : number > 1 ? elapsed / (number - 1) * (Options.Rounds - number + 1) : (TimeSpan?)null;
        Progress.WriteLine(string.Create(CultureInfo.InvariantCulture, $"round {number}: {plan.Cells.Count} cells, {LeftText.Of(left)}"));
        base.RoundStarted(number, attempt);
    }
}
