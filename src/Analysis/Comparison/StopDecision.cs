using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Comparison;

/// <summary>Whether <c>--rounds auto</c> has measured enough: asked after each round, a pure function of what was measured.</summary>
/// <param name="Stop">No more rounds: all is decided, or the last look is over.</param>
/// <param name="Undecided">Comparisons that are not decided yet, as last looked at; all of them before the first look.</param>
/// <param name="NextLook">Number of rounds after which verdicts are looked at next; null after the last.</param>
public sealed record StopDecision(bool Stop, int Undecided, int? NextLook)
{
    public static StopDecision After(RunRecord record)
    {
        var run = new MeasuredRun(record with { Options = record.Options with { RoundsAuto = true } });
        // The phase that is being measured: at full load, or later at given loads.
        var atFullLoad = record.Rounds.Count == 0 || record.Cells[record.Rounds[^1].Cell].Key.Load == "max";
        // A search counts its own windows, and what could not be measured at a load has no rounds that could decide anything.
        var phase = run.Cells.Where(cell => cell.Key.Load == "max" == atFullLoad && !cell.Key.IsSearch).ToList();
        if (phase.Exists(cell => cell.Rounds.Count > 0))
            phase.RemoveAll(cell => cell.Rounds.Count == 0);
        var compared = phase.Where(cell => run.ReferenceOf(cell) != null).ToList();
        var rounds = phase.Count == 0 ? 0 : phase.Min(cell => cell.Rounds.Count);
        var next = StoppingRule.NextLook(rounds);
        // Between looks no verdict is asked for: each further look would raise the share of false differences (StoppingRule).
        if (!StoppingRule.IsLook(rounds))
            return new StopDecision(compared.Count > 0 && next == null, compared.Count, next);
        var undecided = compared.Count(cell => ArmComparison.OfHeadline(run, cell) is not { } comparison
            || !StoppingRule.IsDecided(comparison.Verdict));
        return new StopDecision(compared.Count > 0 && (undecided == 0 || next == null), undecided, next);
    }
}
