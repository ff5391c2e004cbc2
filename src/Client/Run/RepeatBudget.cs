namespace IpcBench.Client.Run;

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
