using System.Diagnostics;
using System.Globalization;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;

namespace IpcBench.Client.Terminal;

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
