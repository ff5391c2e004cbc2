using System.Diagnostics;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Run;

/// <summary>When the rounds of a phase are enough: a planned number, or <c>--rounds auto</c>'s decision within its time.</summary>
internal sealed class RoundsLimit(RunOptions options)
{
    private readonly long begun = Stopwatch.GetTimestamp();
    private long phaseBegun;

    /// <summary>True when round <paramref name="number"/> is not to be measured any more.</summary>
    public bool IsReached(int number, RunRecord record)
    {
        if (!options.RoundsAuto)
            return number > options.Rounds;
        if (number > options.Rounds)
            return true;

        // A round that would end after --max-time is not begun: the run ends within it.
        if (number == 1)
        {
            phaseBegun = Stopwatch.GetTimestamp();
            return false;
        }
        var oneRound = Stopwatch.GetElapsedTime(phaseBegun) / (number - 1);
        return Stopwatch.GetElapsedTime(begun) + oneRound > options.MaxTime || StopDecision.After(record).Stop;
    }
}

/// <summary>
/// How much of what was spoiled may be measured again: once each, and at most a fifth of all measurements, since repeating more would
/// select results.
/// </summary>
/// <param name="planned">Measurements of the whole run; 0 when the tool decides.</param>
internal sealed class RepeatBudget(int planned)
{
    /// <summary>Measurements that were repeated.</summary>
    public int Repeated { get; private set; }

    /// <summary>True, and counted, when so many may be measured once more; false: they stand, with their doubt.</summary>
    /// <param name="measurements">Those to repeat, which are repeated together.</param>
    /// <param name="soFar">Made so far: where none are planned a fifth of these may be repeated.</param>
    public bool TryRepeat(int measurements, int soFar)
    {
        if (Repeated + measurements > (planned > 0 ? planned : soFar) / 5)
            return false;
        Repeated += measurements;
        return true;
    }
}
