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

        // The round that would end after the time is not begun: the limit is a promise.
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
/// How often spoiled rounds may be repeated: once each, and at most a fifth of them, or choosing rounds would become choosing results.
/// </summary>
internal sealed class RepeatBudget(int plannedRounds)
{
    private readonly HashSet<int> repeated = [];

    /// <summary>Rounds that were repeated.</summary>
    public int Repeated => repeated.Count;

    /// <summary>True, and counted, when this round may be measured once more; false: it stands, with its doubt.</summary>
    /// <param name="round">1-based. With 0 planned rounds (the tool decides) a fifth of the rounds so far may be repeated.</param>
    public bool TryRepeat(int round)
    {
        var allowed = (plannedRounds > 0 ? plannedRounds : round) / 5;
        return repeated.Count < allowed && repeated.Add(round);
    }
}
