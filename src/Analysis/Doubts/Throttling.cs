using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>The fixed loop before a cell took longer than its other readings say it should: the machine was slower then.</summary>
internal sealed class Throttling : IDoubt
{
    private const double LeastSlowdown = 0.15;

    public Advice? Of(MeasuredRun run)
    {
        var timed = run.Cells.SelectMany(cell => cell.Rounds.Select(r => (cell.Index, r.Record))).Where(entry => entry.Record.FixedLoopNs > 0).ToList();
        if (timed.Count < 5)
            return null;
        var usual = RatioEstimate.Median(timed.Select(entry => (double)entry.Record.FixedLoopNs));
        var wander = RatioEstimate.Median(timed.Select(entry => Math.Abs(entry.Record.FixedLoopNs - usual)));
        // Shared machines wander by 3 % all the time; six times their own wander is no wandering.
        var limit = usual + Math.Max(LeastSlowdown * usual, 6 * 1.4826 * wander);
        var slow = timed.Where(entry => entry.Record.FixedLoopNs > limit).ToList();
        if (slow.Count == 0)
            return null;
        var worst = slow.Max(entry => entry.Record.FixedLoopNs);
        return new Advice
        {
            Id = "throttling",
            Doubt = Invariant($"Before {slow.Count} of {timed.Count} measurements a fixed loop took up to {Quantity.Duration(worst)} instead of {Quantity.Duration(usual)}: the machine was slower then."),
            Fix = "Let the machine cool or be alone (governor performance, no other guests), or run more rounds.",
            Cells = [.. slow.Select(entry => entry.Index).Distinct().Order()],
        };
    }
}
