using IpcBench.Analysis.Measures;
using static IpcBench.Analysis.Reports.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>The open loop asked for more calls than were sent.</summary>
internal sealed class RateMissed() : CellDoubt("rate-missed", "Ask for less (-R), or add connections: every stream was busy when a call was due.")
{
    private const double Least = 0.99;

    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        var worst = cell.Rounds.Where(r => r.Round.AskedRate > 0).MinBy(Share);
        return worst != null && Share(worst) < Least - Chance(run, worst)
            ? new Finding(1 - Share(worst), Invariant($"asked {Quantity.Count(worst.Round.AskedRate)} calls a second, sent {Quantity.Count(worst.Round.Started / worst.Seconds)}")) : null;
    }

    // A Poisson process of mean N has fewer than N - 4 √N arrivals once in 30,000 windows.
    private static double Chance(MeasuredRun run, RoundReading r) =>
        run.Record.Options.Knobs.GetValueOrDefault("arrivals") == "poisson" ? 4 / Math.Sqrt(r.Round.AskedRate * r.Seconds) : 0;

    private static double Share(RoundReading r) => r.Round.Started / r.Seconds / r.Round.AskedRate;
}
