using System.Globalization;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;

namespace IpcBench.Client.Terminal;

/// <summary>Writes the transcript of a run and keeps the progress display out of its way.</summary>
internal sealed class RunView(RunConsole console, RunOptions options, BenchPlan plan, IProgressDisplay display) : IRunObserver, IDisposable
{
    /// <summary>Prints the plan, before anything takes time.</summary>
    public void Started() => display.Around(() => console.Progress.WriteLine(PlanLine()));

    public void RoundStarted(int number, int attempt)
    {
        display.RoundStarted(number);
        display.Around(() => console.Transcript.Write(Transcript.RoundHeading(number, options.RoundsAuto ? 0 : options.Rounds)));
    }

    public void CellFinished(PlannedCell cell, Measurement round, RunRecord record)
    {
        display.CellFinished(cell, round);
        display.Around(() => console.Transcript.WriteLine(Transcript.Cell(record, round)));
    }

    public void Note(string sentence) => display.Around(() => console.Note(sentence));

    public void Finished(RunRecord record)
    {
    }

    public void Dispose() => display.Dispose();

    private string PlanLine()
    {
        var rounds = options.RoundsAuto
            ? $"rounds until decided, at most {LeftText.Span(options.MaxTime)}"
            : string.Create(CultureInfo.InvariantCulture, $"{options.Rounds} rounds of {Length()}");
        var warmup = string.Create(CultureInfo.InvariantCulture, $"{options.Warmup.TotalSeconds:0.###}s");
        return string.Create(CultureInfo.InvariantCulture, $"{plan.Cells.Count} cells ({Axes()}), {rounds}; every cell is warmed up for {warmup}{ServersWarmedUp()}; order from seed {options.Seed}");
    }

    private string ServersWarmedUp() => ServerWarmup.OfEachServer(options) is { Ticks: > 0 } time
        ? string.Create(CultureInfo.InvariantCulture, $", the server for {time.TotalSeconds:0.###}s before the first round") : "";

    private string Length() => plan.Estimate is { } estimate
        ? string.Create(CultureInfo.InvariantCulture, $"{options.Duration.TotalSeconds:0.###}s, about {LeftText.Span(estimate)}")
        : string.Create(CultureInfo.InvariantCulture, $"{options.Calls:#,0} calls, however long they take");

    private string Axes()
    {
        var arms = string.Join(", ", plan.Cells.Select(cell => cell.Record.Key.Arm).Distinct());
        return string.Create(CultureInfo.InvariantCulture, $"{arms} × {options.Sizes.Count} sizes, {string.Join(", ", options.Topologies.Select(topology => topology.Connections).Distinct())} connections over {options.Threads} threads");
    }
}
