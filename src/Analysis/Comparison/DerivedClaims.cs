using IpcBench.Analysis.Metrics;

namespace IpcBench.Analysis.Comparison;

/// <summary>
/// The claims of the second <see cref="ClaimFamily"/> that are no ratios: wake-ups per call, the cores and the median
/// latency at a given rate, and the lead and the work of <see cref="BreakEvenFits"/>.
/// </summary>
public static class DerivedClaims
{
    /// <summary>The name of the claim about the number of cores that both sides (or the client alone) use at a given rate.</summary>
    public const string Cores = "cores";

    public const string MedianLatency = "p50 ns";

    /// <summary>The name of the claim about <see cref="BreakEvenFits.Leads"/>, the lead of an arm in time per call.</summary>
    public const string Lead = "break-even lead";

    /// <summary>Returns the name of the claim about <see cref="BreakEvenFits.WorkBeyond"/>.</summary>
    public static string WorkBeyond(bool isArmFaster) => isArmFaster ? "work where the arm leads" : "work where the reference leads";

    internal static IEnumerable<Claim> For(MeasuredRun run)
    {
        foreach (var cell in run.Cells.Where(cell => !AaTest.IsAa(cell.Key) && !cell.Key.VariesRate))
        {
            if (run.ReferenceOf(cell) is not { } reference)
                continue;
            var claims = new List<Claim>();
            if (cell.Key.Protocol == reference.Key.Protocol)
            {
                claims.Add(Difference(cell, reference, Metric.ServerWakeUps.Id, Metric.ServerWakeUps.Value));
                claims.Add(Difference(cell, reference, Metric.ClientWakeUps.Id, Metric.ClientWakeUps.Value));
            }
            if (cell.Key.Load.EndsWith("/s", StringComparison.Ordinal))
            {
                claims.Add(Difference(cell, reference, Cores, CoresOf(cell, reference)));
                claims.Add(Difference(cell, reference, MedianLatency, Metric.P50.Value));
            }
            // Claims about planned rounds count too, so that the number of claims never grows (see ClaimFamily).
            var isPlanned = cell.Rounds.Count == 0 || reference.Rounds.Count == 0;
            foreach (var claim in claims.Where(claim => isPlanned || claim.Series.Count > 0))
                yield return claim;
        }
        foreach (var fits in BreakEvenFits.Compute(run).Where(fits => fits.Fits.Count > 0))
        {
            var delta = run.Record.Options.Delta;
            yield return Claim(fits.Cell, fits.Reference, Lead, fits.Leads);
            yield return Claim(fits.Cell, fits.Reference, WorkBeyond(true), fits.WorkBeyond(isArmFaster: true, delta));
            yield return Claim(fits.Cell, fits.Reference, WorkBeyond(false), fits.WorkBeyond(isArmFaster: false, delta));
        }
    }

    /// <summary>Returns a function that computes the number of cores in use: CPU per call times rate.</summary>
    public static Func<RoundMetrics, double?> CoresOf(MeasuredCell cell, MeasuredCell reference)
    {
        var cost = ArmComparison.Cost(cell, reference);
        return view => cost.Value(view) * view.Rate / 1e9;
    }

    /// <summary>Makes the claim about the value of the cell minus the value of the reference, in each round that has both.</summary>
    private static Claim Difference(MeasuredCell cell, MeasuredCell reference, string what, Func<RoundMetrics, double?> value) =>
        Claim(cell, reference, what, PairedDifference.Series(cell, reference, value));

    private static Claim Claim(MeasuredCell cell, MeasuredCell reference, string what, IReadOnlyList<(int Round, double Value)> series) =>
        cell.Index < reference.Index ? new Claim(cell.Index, reference.Index, what, series)
            : new Claim(reference.Index, cell.Index, what, [.. series.Select(one => (one.Round, -one.Value))]);
}
