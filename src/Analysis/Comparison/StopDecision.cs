using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Comparison;

/// <summary>
/// The decision whether an automatic run has measured enough rounds. The decision depends on the results alone. A
/// decision after every round is allowed, because the intervals hold at every look (<see cref="ConfidenceSequence"/>).
/// </summary>
/// <param name="Stop">Whether no more rounds are needed.</param>
/// <param name="Undecided">The number of comparisons or limits that are not decided yet.</param>
public sealed record StopDecision(bool Stop, int Undecided)
{
    /// <summary>
    /// Decides for <c>--rounds auto</c>: stops when every comparison has a winner, no difference that matters, or a withheld verdict.
    /// </summary>
    public static StopDecision After(RunRecord record)
    {
        var run = new MeasuredRun(record with { Options = record.Options with { RoundsAuto = true } });
        // A run measures first at full load, later at given loads. Only the cells of the last round's phase are judged.
        var atFullLoad = record.Rounds.Count == 0 || record.Cells[record.Rounds[^1].Cell].Key.IsFullLoad;
        // A search for a rate is not judged here, because its number of windows does not depend on the results. A cell
        // without rounds is not judged either: it could not be measured at a given load.
        var phase = run.Cells.Where(cell => cell.Key.IsFullLoad == atFullLoad && !cell.Key.VariesRate).ToList();
        if (phase.Exists(cell => cell.Rounds.Count > 0))
            phase.RemoveAll(cell => cell.Rounds.Count == 0);
        var compared = phase.Where(cell => run.ReferenceOf(cell) is not null).ToList();
        var undecided = compared.Count(cell => !IsDecided(ArmComparison.OfHeadline(run, cell)?.Verdict));
        return new StopDecision(compared.Count > 0 && undecided == 0, undecided);
    }

    /// <summary>
    /// Decides for <c>ab</c>: stops when a limit is crossed, or when every cell is within every limit. Without limits,
    /// stops when every shown metric of every cell is decided.
    /// </summary>
    public static StopDecision OfSides(RunRecord record, IReadOnlyList<GateLimit> limits)
    {
        var sides = FileComparison.OfSides(
            record with { Ending = RunEnding.Complete, Options = record.Options with { RoundsAuto = true } });
        if (sides.Cells.Count == 0)
            return new StopDecision(false, limits.Count);
        if (limits.Count > 0)
        {
            // Failed calls are judged once, at the end: a look after each round would find a rise by chance in most runs.
            var gate = Gate.Check(sides, limits, judgesFailures: false);
            return new StopDecision(gate.Crossed.Count > 0 || gate.NotExcluded.Count == 0, gate.NotExcluded.Count);
        }
        var undecided = FileComparison.Shown.Sum(metric => sides.JudgeAll(metric).Count(one => !IsDecided(one.Verdict)));
        return new StopDecision(undecided == 0, undecided);
    }

    private static bool IsDecided(Verdict? verdict) =>
        verdict is { WantsMoreRounds: false };
}
