using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Doubts;

/// <summary>The open loop asked for more calls than were sent.</summary>
internal sealed class RateMissed() : CellDoubt("rate-missed", "Ask for less (-R), or add connections: every stream was busy when a call was due.")
{
    private const double Least = 0.99;

    protected override Finding? Look(MeasuredRun run, MeasuredCell cell)
    {
        var worst = cell.Rounds.Where(r => r.Record.AskedRate > 0 && IsMissed(run, r)).MinBy(Share);
        if (worst == null)
            return null;
        var counted = worst.Record.NotSent > 0 ? Invariant($": {Quantity.Count(worst.Record.NotSent)} calls were due and not sent") : "";
        return new Finding(1 - Share(worst), Invariant($"asked {Quantity.Count(worst.Record.AskedRate)} calls a second, sent {Quantity.Count(worst.Record.Started / worst.Seconds)}{counted}"));
    }

    // Files before calls not sent were counted tell it by the rate alone.
    private static bool IsMissed(MeasuredRun run, MeasurementView r) =>
        r.Record.Started < Least * (r.Record.Started + r.Record.NotSent) || Share(r) < Least - Chance(run, r);

    // A Poisson process of mean N has fewer than N - 4 √N arrivals once in 30,000 windows.
    private static double Chance(MeasuredRun run, MeasurementView r) =>
        run.Record.Options.Knobs.GetValueOrDefault("arrivals") == "poisson" ? 4 / Math.Sqrt(r.Record.AskedRate * r.Seconds) : 0;

    private static double Share(MeasurementView r) => r.Record.Started / r.Seconds / r.Record.AskedRate;
}
