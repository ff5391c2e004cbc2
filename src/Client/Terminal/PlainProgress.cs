using System.Diagnostics;
using System.Globalization;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Terminal;

/// <summary>One line a round, for pipes and log files.</summary>
internal sealed class PlainProgress(BenchPlan plan, int rounds, TextWriter writer) : IProgressDisplay
{
    private readonly long begun = Stopwatch.GetTimestamp();

    public void Around(Action write) => write();

    public void RoundStarted(int number)
    {
        var elapsed = Stopwatch.GetElapsedTime(begun);
        var left = plan.Estimate is { } whole ? whole - elapsed : number > 1 ? elapsed / (number - 1) * (rounds - number + 1) : (TimeSpan?)null;
        writer.WriteLine(string.Create(CultureInfo.InvariantCulture, $"round {number}: {plan.Cells.Count} cells, {LeftText.Of(left)}"));
    }

    public void CellFinished(PlannedCell cell, Measurement round)
    {
    }

    public void Dispose()
    {
    }
}
