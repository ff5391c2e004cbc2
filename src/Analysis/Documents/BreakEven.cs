using System.Globalization;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Documents;

/// <summary>
/// From how much work of the server per call on it no longer matters which transport carries the call. Where several amounts of work were
/// measured (<c>--work</c>), each round gives a line for each transport, time per call = what the call takes + work × a slope that both
/// have in common, fitted by least squares of the relative errors; the transports differ by less than delta where the distance of the two
/// lines is less than delta times the faster one's time. Of a method of somebody's server it is calculated in the same way from the CPU
/// time that the server takes for a call. The interval is the signed-rank interval of the rounds.
/// </summary>
public static class BreakEven
{
    private static readonly (string Unit, double Ns)[] Units = [("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];

    /// <summary>A sentence for each arm and its reference; none where nothing is decided.</summary>
    public static IEnumerable<string> Lines(MeasuredRun run) =>
        from cell in run.Cells
        where cell.Median != null && cell.Key.Load == "max" && !AaTest.IsAa(cell.Key)
        let reference = run.ReferenceOf(cell)
        where reference is { Median: not null } && reference.Key.Transport != cell.Key.Transport
        group (Cell: cell, Reference: reference) by (cell.Key.Arm, Point: cell.Point with { ServerWork = "" }) into works
        let line = Line(run, [.. works])
        where line != null
        select line;

    private static string? Line(MeasuredRun run, List<(MeasuredCell Cell, MeasuredCell Reference)> works)
    {
        var (cell, reference) = works[0];
        var isMeasured = works.Select(work => NsOf(work.Cell.Key.ServerWork)).Distinct().Count() > 1;
        if (!isMeasured && cell.Key.Method.Length == 0)
            return null;
        var fits = isMeasured ? Fits(works) : FitsOfCpu(cell, reference);
        var (delta, alpha) = (run.Record.Options.Delta, run.Record.Options.Alpha());
        var point = Arms.NameOf(run, cell.Point with { ServerWork = "" });
        var names = $"{cell.Key.Arm} and {reference.Key.Arm}";
        var less = $"{names} differ by less than {Quantity.Percent(delta)}";
        var found = Of(fits, delta, alpha);
        if (isMeasured && (found?.Interval.High <= 0 || found is null && AreAlike(fits, delta, alpha)))
            return $"{point}: {less} whatever the server computes for a call.";
        if (found is not var (work, interval))
            return isMeasured ? $"{point}: from how much work per call on {less} cannot be told from these rounds." : null;
        if (!isMeasured)
            return interval.Low <= 0 ? null
                : $"{point}: calculated from the server's CPU per call: with {Text(work, interval)} more of work per call {less}.";
        if (interval.Low <= 0)
            return $"{point}: above {Quantity.Duration(interval.High)} of work per call at the latest {less}.";
        var most = works.Max(one => NsOf(one.Cell.Key.ServerWork));
        var beyond = work > most ? $" (calculated: {Quantity.Duration(most)} is the most that was measured)" : "";
        return $"{point}: above {Text(work, interval)} of work per call {less}{beyond}.";
    }

    /// <summary>
    /// Work in ns above which the difference is less than <paramref name="delta"/>, with its interval; null where it is not decided which
    /// of the two is ahead, or where the rounds are too few.
    /// </summary>
    public static (double Ns, Interval Interval)? Of(IReadOnlyList<RoundFit> fits, double delta, double alpha)
    {
        if (SignedRank.IntervalOf(fits.Select(fit => fit.Reference - fit.Arm), alpha) is not { } lead || lead.Contains(0))
            return null;
        double[] works = Works(fits, delta, lead.Low > 0 ? 1 : -1);
        return (SignedRank.Estimate(works), SignedRank.IntervalOf(works, alpha)!.Value);
    }

    /// <summary>Without any work already, and whichever of the two is ahead.</summary>
    private static bool AreAlike(IReadOnlyList<RoundFit> fits, double delta, double alpha) =>
        new[] { 1, -1 }.All(sign => SignedRank.IntervalOf(Works(fits, delta, sign), alpha) is { High: <= 0 });

    /// <summary>Of each round the work above which the difference matters no longer; below 0 where it never does.</summary>
    /// <param name="sign">1: the arm is the faster one; −1: its reference is.</param>
    private static double[] Works(IReadOnlyList<RoundFit> fits, double delta, int sign) =>
        [.. fits.Select(fit => (sign * (fit.Reference - fit.Arm) / delta - fit.Arm) / fit.Slope)];

    /// <summary>Of the rounds that every cell has.</summary>
    private static List<RoundFit> Fits(List<(MeasuredCell Cell, MeasuredCell Reference)> works)
    {
        var rounds = works.SelectMany(work => new[] { work.Cell, work.Reference })
            .Select(cell => cell.Rounds.Where(round => round.Rate > 0).Select(round => round.Record.Number))
            .Aggregate((all, these) => all.Intersect(these)).ToList();
        return [.. rounds.Select(number => RoundFit.Of(
            works.ConvertAll(work => (NsOf(work.Cell.Key.ServerWork), Time(work.Cell, number))),
            works.ConvertAll(work => (NsOf(work.Reference.Key.ServerWork), Time(work.Reference, number)))))
            .Where(fit => fit.Slope > 0)];
    }

    private static List<RoundFit> FitsOfCpu(MeasuredCell cell, MeasuredCell reference) =>
        [.. ArmComparison.Pairs(cell, reference, Metric.ServerCpu).Select(pair => new RoundFit(pair.New, pair.Base, 1))];

    /// <summary>Time per call in ns, as the rate has it.</summary>
    private static double Time(MeasuredCell cell, int number) => 1e9 / cell.Rounds.First(round => round.Record.Number == number).Rate;

    private static string Text(double work, Interval interval)
    {
        // All three in the unit of the first.
        var (ns, unit) = work < 1e6 ? (1e3, "µs") : (1e6, "ms");
        string Show(double value) => Quantity.Significant(value / ns);
        return $"{Show(work)} {unit} [{Show(interval.Low)}, {Show(interval.High)}]";
    }

    private static double NsOf(string work)
    {
        foreach (var (unit, ns) in Units)
        {
            if (work.EndsWith(unit, StringComparison.Ordinal)
                && double.TryParse(work[..^unit.Length], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var count))
                return count * ns;
        }
        return 0;
    }
}

/// <summary>What one round says of an arm and its reference: time per call in ns = its own + work × slope.</summary>
/// <param name="Arm">Time of a call of the arm without work.</param>
/// <param name="Reference">The same of its reference.</param>
/// <param name="Slope">Time per ns of work: below 1 where several CPUs compute.</param>
public sealed record RoundFit(double Arm, double Reference, double Slope)
{
    /// <summary>Least squares of the relative errors, with one slope for both lines.</summary>
    public static RoundFit Of(IReadOnlyList<(double Work, double Time)> arm, IReadOnlyList<(double Work, double Time)> reference)
    {
        var (mine, theirs) = (Line.Of(arm), Line.Of(reference));
        var slope = (mine.Product + theirs.Product) / (mine.Square + theirs.Square);
        return new RoundFit(mine.Time - slope * mine.Work, theirs.Time - slope * theirs.Work, slope);
    }

    /// <summary>Means and sums of the points, each weighted by the reciprocal of its squared time.</summary>
    private sealed record Line(double Work, double Time, double Product, double Square)
    {
        public static Line Of(IReadOnlyList<(double Work, double Time)> points)
        {
            var weights = points.Sum(point => 1 / (point.Time * point.Time));
            double Mean(Func<(double Work, double Time), double> value) => points.Sum(p => value(p) / (p.Time * p.Time)) / weights;
            var (work, time) = (Mean(p => p.Work), Mean(p => p.Time));
            return new Line(work, time, weights * Mean(p => (p.Work - work) * (p.Time - time)),
                weights * Mean(p => (p.Work - work) * (p.Work - work)));
        }
    }
}
