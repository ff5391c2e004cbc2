using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Comparison;

/// <summary>
/// Whether a run that ends by itself has measured enough: asked after each round, a pure function of what was measured. Its intervals hold
/// at every look (<see cref="ConfidenceSequence"/>), so it may be asked as often as rounds end.
/// </summary>
/// <param name="Stop">No more rounds: all is decided.</param>
/// <param name="Undecided">Comparisons that are not decided yet.</param>
public sealed record StopDecision(bool Stop, int Undecided)
{
    /// <summary>Of <c>--rounds auto</c>: who is ahead everywhere, or that the difference does not matter.</summary>
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
        var undecided = compared.Count(cell => !IsDecided(ArmComparison.OfHeadline(run, cell)?.Verdict));
        return new StopDecision(compared.Count > 0 && undecided == 0, undecided);
    }

    /// <summary>
    /// Of <c>ab</c>: a limit is crossed, or all of them are excluded; without limits, all that is shown of the two sides is decided.
    /// </summary>
    public static StopDecision OfSides(RunRecord record, IReadOnlyList<GateLimit> limits)
    {
        var sides = FileComparison.OfSides(record with { Ending = "complete", Options = record.Options with { RoundsAuto = true } });
        if (sides.Cells.Count == 0)
            return new StopDecision(false, limits.Count);
        if (limits.Count > 0)
        {
            var gate = Gate.Of(sides, limits);
            return new StopDecision(gate.Crossed.Count > 0 || gate.NotExcluded.Count == 0, gate.NotExcluded.Count);
        }
        var undecided = FileComparison.Shown.Sum(metric => sides.JudgeAll(metric).Count(one => !IsDecided(one.Verdict)));
        return new StopDecision(undecided == 0, undecided);
    }

    private static bool IsDecided(Verdict? verdict) =>
        verdict is not null && (verdict.Kind != VerdictKind.CannotTell || verdict.Withheld.Length > 0);
}
