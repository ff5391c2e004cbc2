using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Documents;

/// <summary>
/// The amount of work per call above which the transport no longer matters. If several amounts of work were measured
/// (<c>--work</c>), each round gives a line for each transport: time per call = time without work + work × slope. Both
/// lines have the same slope and are fitted by least squares of the relative errors. The transports differ by less than
/// delta when the distance of the lines is less than delta times the time of the arm. For a method of the user's own
/// server, the amount is calculated: the server's CPU per call takes the place of the times, and the slope is 1. The
/// intervals belong to the second <see cref="ClaimFamily"/>.
/// </summary>
public static class BreakEven
{
    /// <summary>Writes a sentence for each arm and its reference. An amount that is calculated and undecided has no sentence.</summary>
    public static IEnumerable<string> Lines(MeasuredRun run) => BreakEvenFits.Compute(run).Select(fits => Line(run, fits)).OfType<string>();

    private static string? Line(MeasuredRun run, BreakEvenFits fits)
    {
        var (cell, reference, isMeasured) = (fits.Cell, fits.Reference, fits.IsMeasured);
        var delta = run.Record.Options.Delta;
        Interval? Joint(string what) => ClaimFamily.Find(run, cell, reference, what)?.Interval;
        var workload = Arms.NameOf(run, cell.Workload with { ServerWork = "" });
        var names = $"{cell.Key.Arm} and {reference.Key.Arm}";
        var less = $"{names} differ by less than {Quantity.Percent(delta)}";
        var areAlike = new[] { true, false }.All(isArmFaster => Joint(DerivedClaims.WorkBeyond(isArmFaster)) is { High: <= 0 });
        if (isMeasured && areAlike)
            return $"{workload}: {less}, however much the server computes for a call.";
        if (Joint(DerivedClaims.Lead) is not { } lead || lead.Contains(0) || fits.Fits.Count == 0)
            return isMeasured ? $"{workload}: these rounds do not show above how much work per call {less}." : null;
        var isAhead = lead.Low > 0;
        if (Joint(DerivedClaims.WorkBeyond(isAhead)) is not { } interval)
            return null;
        var work = Math.Clamp(SignedRank.Estimate(fits.WorkBeyond(isAhead, delta).Select(one => one.Value)), interval.Low, interval.High);
        if (isMeasured && interval.High <= 0)
            return $"{workload}: {less}, however much the server computes for a call.";
        if (!isMeasured)
            return interval.Low <= 0 ? null
                : $"{workload}: with {Text(work, interval)} of additional work per call, {less} (calculated from the server's CPU per "
                    + "call).";
        if (interval.Low <= 0)
            return $"{workload}: {less} above {Quantity.Duration(interval.High)} of work per call, and perhaps also below.";
        var most = fits.Works.Max(one => BreakEvenFits.NsOf(one.Cell.Key.ServerWork));
        var beyond = work > most ? $" (calculated: {Quantity.Duration(most)} was the most work measured)" : "";
        return $"{workload}: above {Text(work, interval)} of work per call, {less}{beyond}.";
    }

    private static string Text(double work, Interval interval)
    {
        // The amount and both bounds of its interval have the same unit.
        var (ns, unit) = work < 1e6 ? (1e3, "µs") : (1e6, "ms");
        string Show(double value) => Quantity.Significant(value / ns);
        return $"{Show(work)} {unit} [{Show(interval.Low)}, {Show(interval.High)}]";
    }
}
