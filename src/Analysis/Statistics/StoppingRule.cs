namespace IpcBench.Analysis.Statistics;

/// <summary>
/// When <c>--rounds auto</c> may stop. Looking after every round at a 95 % interval calls 20 % of identical arms different. Here there are
/// at most eight looks, after fixed numbers of rounds that grow by the square root of two, each with the same stricter level (Pocock 1977,
/// Group sequential methods, Biometrika 64): with 1.05 % a look the eight together are wrong in 5 % of identical arms, by simulation of the
/// signed-rank test at these very looks (CampaignTests repeats it). An interval shown of such a run has this level too.
/// </summary>
public static class StoppingRule
{
    /// <summary>Probability with which one look calls identical arms different.</summary>
    public const double AlphaOfLook = 0.0105;

    /// <summary>Numbers of rounds after which verdicts are looked at.</summary>
    public static IReadOnlyList<int> Looks { get; } = [8, 12, 17, 24, 34, 48, 68, 96];

    /// <summary>The level for the intervals of a run: the looks' when it could stop early, else 5 %.</summary>
    public static double AlphaOf(bool roundsAuto) => roundsAuto ? AlphaOfLook : 0.05;

    /// <summary>Whether this is a number of rounds after which to look.</summary>
    public static bool IsLook(int rounds) => Looks.Contains(rounds);

    /// <summary>The number of rounds of the next look; null after the last.</summary>
    public static int? NextLook(int rounds) => Looks.Where(look => look > rounds).Cast<int?>().FirstOrDefault();

    /// <summary>
    /// Whether a verdict needs no more rounds: it is known which arm is ahead, or that no difference is larger than delta.
    /// </summary>
    public static bool IsDecided(Verdict verdict) => verdict.Kind != VerdictKind.CannotTell || verdict.Withheld.Length > 0;
}
