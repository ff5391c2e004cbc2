using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Comparison;

/// <summary>The difference of a value between two cells, estimated from the rounds in which both cells have the value.</summary>
/// <param name="Ns">The value of the reference minus the value of the cell, in the unit of the value.</param>
/// <param name="Interval">The interval of the difference. Null when there are too few rounds.</param>
public sealed record PairedDifference(double Ns, Interval? Interval)
{
    /// <summary>Whether the interval excludes 0.</summary>
    public bool IsDecided => Interval is { Low: > 0 } or { High: < 0 };

    /// <summary>Computes the difference. Null when no round has the value in both cells.</summary>
    /// <param name="what">
    /// The name of this difference in a <see cref="ClaimFamily"/>, which gives the simultaneous interval. Null for an
    /// interval of this difference alone.
    /// </param>
    public static PairedDifference? Compute(MeasuredRun run, MeasuredCell reference, MeasuredCell cell,
        Func<RoundMetrics, double?> value, string? what = null)
    {
        var series = Series(reference, cell, value);
        if (series.Count == 0)
            return null;
        double[] differences = [.. series.Select(one => one.Value)];
        var estimate = SignedRank.Estimate(differences);
        return new PairedDifference(estimate, what is null ? SignedRank.IntervalOf(differences, Joint.Alpha)
            : ClaimFamily.Find(run, reference, cell, what)?.Interval?.With(estimate));
    }

    /// <summary>Lists the difference of the value, one minus other, for each round that has the value in both cells.</summary>
    internal static IReadOnlyList<(int Round, double Value)> Series(
        MeasuredCell one, MeasuredCell other, Func<RoundMetrics, double?> value) =>
        [.. from mine in other.Rounds
            join theirs in one.Rounds on mine.Record.Number equals theirs.Record.Number
            let less = value(theirs) - value(mine)
            where less is not null
            select (mine.Record.Number, less.Value)];
}
