using System.Globalization;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Documents;

/// <summary>
/// What the user would save at a given rate with an arm in place of its reference: cores and median latency of the arm and
/// of the reference, and the difference with its interval, from pairs of values of the same round. Both arms are measured
/// at this rate: nothing is extrapolated.
/// </summary>
internal static class Savings
{
    // If an arm reached less than this share of the requested rate, its results say nothing about the requested rate.
    private const double Reached = 0.95;

    /// <summary>
    /// Writes a sentence for each arm and its reference at a rate in calls per second. Rates in percent of the capacity have no sentence.
    /// </summary>
    public static IEnumerable<string> Lines(MeasuredRun run) =>
        from workload in Arms.ByWorkload(run)
        where workload.Key.Load.EndsWith("/s", StringComparison.Ordinal)
        from cell in workload
        let reference = run.ReferenceOf(cell)
        where reference?.Median is not null
        select $"At {Quantity.Count(cell.Median!.Record.AskedRate)} calls/s, {Arms.NameOf(run, workload.Key, withLoad: false)}, "
            + $"{cell.Key.Arm} in place of {reference.Key.Arm}: {Between(run, cell, reference)}.";

    private static string Between(MeasuredRun run, MeasuredCell cell, MeasuredCell reference)
    {
        foreach (var arm in new[] { reference, cell })
        {
            if (arm.MedianOf(view => view.Rate) is { } rate && rate < arm.Median!.Record.AskedRate * Reached)
                return $"{arm.Key.Arm} reached only {Quantity.Count(rate)}/s, so nothing is known at the given rate";
        }
        var cost = ArmComparison.Cost(cell, reference);
        var coresOf = DerivedClaims.CoresOf(cell, reference);
        var cores = Change(run, cell, reference, DerivedClaims.Cores, coresOf, arm => arm.MedianOf(coresOf),
            _ => (1, cost == Metric.TotalCpu ? "cores" : "cores of the client"));
        // The shown p50 is computed from the calls of all rounds, as in the table.
        var latency = Change(run, cell, reference, DerivedClaims.MedianLatency, Metric.P50.Value, arm => arm.Value(Metric.P50),
            ns => ns switch
        {
            < 1e6 => (1e3, "µs"),
            < 1e9 => (1e6, "ms"),
            _ => (1e9, "s"),
        });
        var calls = latency is not null ? "p50 " + latency : cell.IsUntimed ? Answers.Untimed : "too few calls a round for a p50";
        var reserve = Doubt.OfRatio(run, cell, reference) is { } doubt ? $" (doubt: {doubt})" : "";
        return $"{cores ?? "cores are not known"}; {calls}{reserve}";
    }

    /// <summary>
    /// Writes a change: <c>0.310 → 0.280 cores, −0.030 [−0.036, −0.024]</c>. Null when no round has the value in both
    /// cells.
    /// </summary>
    /// <param name="what">The name of the difference in a <see cref="ClaimFamily"/>.</param>
    private static string? Change(MeasuredRun run, MeasuredCell cell, MeasuredCell reference, string what,
        Func<RoundMetrics, double?> value, Func<MeasuredCell, double?> shown, Func<double, (double Size, string Name)> unitOf)
    {
        // Compute subtracts the second cell from the first. The arm comes first here, so the result is arm minus reference.
        if (PairedDifference.Compute(run, cell, reference, value, what) is not { } change)
            return null;
        if (shown(reference) is not { } before || shown(cell) is not { } after)
            return null;
        var unit = unitOf(Math.Max(before, after));
        // The larger number is shown with three significant digits, and the others with as many decimals. There are more decimals if a
        // bound of a decided difference would be 0.
        int Decimals(double number, int digits) => Math.Clamp(digits - 1 - (int)Math.Floor(Math.Log10(number / unit.Size)), 0, 9);
        var decimals = Decimals(Math.Max(before, after), 3);
        if (change is { IsDecided: true, Interval: { } known })
            decimals = Math.Max(decimals, Decimals(Math.Min(Math.Abs(known.Low), Math.Abs(known.High)), 1));
        string Show(double number)
        {
            var rounded = Math.Round(number / unit.Size, decimals) + 0.0; // −0 is 0
            return rounded.ToString("F" + decimals.ToString(CultureInfo.InvariantCulture), CultureInfo.InvariantCulture).Replace('-', '−');
        }
        if (change.Interval is not { } range)
            return $"{Show(before)} → {Show(after)} {unit.Name} (too few rounds for an interval)";
        var interval = $" [{Show(range.Low)}, {Show(range.High)}]{(change.IsDecided ? "" : " (not decided)")}";
        // The medians of two arms may come from different rounds, so they may contradict the difference in pairs.
        var inPairs = Math.Sign(change.Ns) == -Math.Sign(after - before) && change.Ns != 0 ? " in pairs of a round" : "";
        if (what == DerivedClaims.MedianLatency
            && ArmComparison.Compare(run, cell, reference, Metric.P50)?.Verdict.Withheld is { Length: > 0 } why)
            return $"{Bound(reference)}{Show(before)} → {Bound(cell)}{Show(after)} {unit.Name} ({why})";
        return $"{Show(before)} → {Show(after)} {unit.Name}, {(change.Ns > 0 ? "+" : "")}{Show(change.Ns)}{inPairs}{interval}";
    }

    private static string Bound(MeasuredCell cell) => cell.Show(Metric.P50).StartsWith('≥') ? "≥ " : "";
}
