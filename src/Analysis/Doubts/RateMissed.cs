using IpcBench.Analysis.Measures;
using static IpcBench.Analysis.Reports.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>The open loop asked for more calls than were sent.</summary>
internal sealed class RateMissed() : CellDoubt("rate-missed", "Ask for less (-R), or add connections: every stream was busy when a call was due.")
{
    private const double Least = 0.99;

    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        var worst = cell.Rounds.Where(r => r.Round.AskedRate > 0 && IsMissed(run, r)).MinBy(Share);
        if (worst == null)
            return null;
        var counted = worst.Round.NotSent > 0 ? Invariant($": {Quantity.Count(worst.Round.NotSent)} calls were due and not sent") : "";
        return new Finding(1 - Share(worst), Invariant($"asked {Quantity.Count(worst.Round.AskedRate)} calls a second, sent {Quantity.Count(worst.Round.Started / worst.Seconds)}{counted}"));
    }

    // Files before calls not sent were counted tell it by the rate alone.
    private static bool IsMissed(MeasuredRun run, RoundReading r) =>
        r.Round.Started < Least * (r.Round.Started + r.Round.NotSent) || Share(r) < Least - Chance(run, r);

    // A Poisson process of mean N has fewer than N - 4 √N arrivals once in 30,000 windows.
    private static double Chance(MeasuredRun run, RoundReading r) =>
        run.Record.Options.Knobs.GetValueOrDefault("arrivals") == "poisson" ? 4 / Math.Sqrt(r.Round.AskedRate * r.Seconds) : 0;

    private static double Share(RoundReading r) => r.Round.Started / r.Seconds / r.Round.AskedRate;
}
