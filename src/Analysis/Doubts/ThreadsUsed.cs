using IpcBench.Analysis.Metrics;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>Another number of threads ran completions than was asked for.</summary>
internal sealed class ThreadsUsed() : CellDoubt("threads", "Read the result as one of that many threads.")
{
    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        var asked = Math.Min(run.Record.Options.Threads, cell.Key.Connections);
        var rounds = cell.Rounds.Where(r => r.Record.ThreadCalls.Count > 0 && r.Record.Completed > 100L * asked).ToList();
        if (rounds.Count == 0)
            return null;
        var used = rounds.Select(r => r.Record.ThreadCalls.Count(calls => calls > 0)).MaxBy(count => Math.Abs(count - asked));
        return used == asked ? null : new Finding(Math.Abs(used - asked), Invariant($"{asked} threads were asked for and {used} ran completions"));
    }
}
