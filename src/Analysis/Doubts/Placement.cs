using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>The rounds of a cell fall in two groups: the scheduler placed client and server now this way, now that.</summary>
internal sealed class Placement() : CellDoubt("placement", "Tie both sides down: --client-cpus and --server-cpus, or read the result as a mixture of two machines.")
{
    private const int FewestRounds = 6;
    private const double LeastDistance = 0.08;

    // Of normal rounds the best split into two is rarely further apart than this many standard deviations within the groups (PlacementTests).
    private const double LeastSeparation = 8;

    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        double[] rates = [.. cell.Rounds.Where(r => r.Rate > 0).Select(r => r.Rate).Order()];
        if (rates.Length < FewestRounds)
            return null;
        var best = Enumerable.Range(2, rates.Length - 3).Select(split => (Split: split, Separation: Separation(rates[..split], rates[split..]))).MaxBy(s => s.Separation);
        var (slow, fast) = (rates[..best.Split], rates[best.Split..]);
        var distance = fast.Average() / slow.Average() - 1;
        return best.Separation > LeastSeparation && distance > LeastDistance
            ? new Finding(distance, Invariant($"{slow.Length} rounds are near {Quantity.Count(slow.Average())} requests/s and {fast.Length} near {Quantity.Count(fast.Average())}, and none between"))
            : null;
    }

    private static double Separation(double[] slow, double[] fast)
    {
        var within = Math.Sqrt((Squares(slow) + Squares(fast)) / (slow.Length + fast.Length - 2));
        return (fast.Average() - slow.Average()) / Math.Max(within, 1e-9);
    }

    private static double Squares(double[] values)
    {
        var mean = values.Average();
        return values.Sum(value => (value - mean) * (value - mean));
    }
}
