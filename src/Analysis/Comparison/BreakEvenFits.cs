using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Comparison;

/// <summary>The lines fitted to an arm and its reference: time per call as a function of the server's work per call.</summary>
/// <param name="Works">The cells of the arm and its reference, one pair for each amount of work.</param>
/// <param name="Fits">A fit for each round that all these cells have and whose slope is above 0, with the number of the round.</param>
internal sealed record BreakEvenFits(
    IReadOnlyList<(MeasuredCell Cell, MeasuredCell Reference)> Works, IReadOnlyList<(int Number, RoundFit Fit)> Fits)
{
    public MeasuredCell Cell => Works[0].Cell;

    public MeasuredCell Reference => Works[0].Reference;

    /// <summary>
    /// Whether several amounts of work were measured. Otherwise the break-even is calculated from the server's CPU time.
    /// </summary>
    public bool IsMeasured => HasWorks(Works);

    /// <summary>Fits each arm whose reference has another transport, if several amounts of work or a method were measured.</summary>
    public static IEnumerable<BreakEvenFits> Compute(MeasuredRun run) =>
        from cell in run.Cells
        where cell.Median is not null && cell.Key.IsFullLoad && !AaTest.IsAa(cell.Key)
        let reference = run.ReferenceOf(cell)
        where reference is { Median: not null } && reference.Key.Transport != cell.Key.Transport
        group (Cell: cell, Reference: reference) by (cell.Key.Arm, Workload: cell.Workload with { ServerWork = "" }) into same
        let works = same.ToList()
        where HasWorks(works) || works[0].Cell.Key.Method.Length > 0
        select new BreakEvenFits(works, HasWorks(works) ? OfTime(works) : OfCpu(works[0].Cell, works[0].Reference));

    /// <summary>
    /// The lead of the arm in each round: the time in ns of a call of the reference minus the time of a call of the arm.
    /// </summary>
    public IReadOnlyList<(int Round, double Value)> Leads => [.. Fits.Select(one => (one.Number, one.Fit.Reference - one.Fit.Arm))];

    /// <summary>
    /// Computes for each round the work in ns above which the difference between the two arms no longer matters. The
    /// work is negative if the difference never matters.
    /// </summary>
    /// <param name="delta">Differences smaller than this value do not matter.</param>
    /// <param name="isArmFaster">True if the arm is faster than its reference, false if the reference is faster.</param>
    public IReadOnlyList<(int Round, double Value)> WorkBeyond(bool isArmFaster, double delta) => [.. Fits.Select(one => (one.Number,
        ((isArmFaster ? 1 : -1) * (one.Fit.Reference - one.Fit.Arm) / delta - one.Fit.Arm) / one.Fit.Slope))];

    /// <summary>Reads an amount of work and returns it in ns. 0 if the text is no amount of work.</summary>
    public static double NsOf(string work) => Quantity.ParseNs(work) ?? 0;

    private static bool HasWorks(IReadOnlyList<(MeasuredCell Cell, MeasuredCell Reference)> works) =>
        works.Select(work => NsOf(work.Cell.Key.ServerWork)).Distinct().Count() > 1;

    private static List<(int, RoundFit)> OfTime(IReadOnlyList<(MeasuredCell Cell, MeasuredCell Reference)> works)
    {
        var rounds = works.SelectMany(work => new[] { work.Cell, work.Reference })
            .Select(cell => cell.Rounds.Where(round => round.Rate > 0).Select(round => round.Record.Number))
            .Aggregate((all, these) => all.Intersect(these)).ToList();
        return [.. rounds.Select(number => (Number: number, Fit: RoundFit.Compute(
            [.. works.Select(work => (NsOf(work.Cell.Key.ServerWork), Time(work.Cell, number)))],
            [.. works.Select(work => (NsOf(work.Reference.Key.ServerWork), Time(work.Reference, number)))])))
            .Where(one => one.Fit.Slope > 0)];
    }

    private static List<(int, RoundFit)> OfCpu(MeasuredCell cell, MeasuredCell reference) =>
        [.. RoundPairs.Match(cell, reference, Metric.ServerCpu).Select(pair => (pair.Number, new RoundFit(pair.New, pair.Base, 1)))];

    /// <summary>Computes the time per call in ns, which is the reciprocal of the rate.</summary>
    private static double Time(MeasuredCell cell, int number) => 1e9 / cell.Rounds.First(round => round.Record.Number == number).Rate;
}

/// <summary>The two lines of a round, for an arm and its reference: time per call in ns = time without work + work × slope.</summary>
/// <param name="Arm">The time in ns of a call without work, for the arm.</param>
/// <param name="Reference">The time in ns of a call without work, for the reference.</param>
/// <param name="Slope">The added time per ns of work. The slope is below 1 when several CPUs work on calls at the same time.</param>
public sealed record RoundFit(double Arm, double Reference, double Slope)
{
    /// <summary>Fits both lines with the same slope, by least squares of the relative errors.</summary>
    public static RoundFit Compute(IReadOnlyList<(double Work, double Time)> arm, IReadOnlyList<(double Work, double Time)> reference)
    {
        var (mine, theirs) = (Line.From(arm), Line.From(reference));
        var slope = (mine.Product + theirs.Product) / (mine.Square + theirs.Square);
        return new RoundFit(mine.Time - slope * mine.Work, theirs.Time - slope * theirs.Work, slope);
    }

    /// <summary>
    /// The means of the points to which a line is fitted, weighted by 1 / time², and the weighted sums of products of
    /// the deviations from these means.
    /// </summary>
    private sealed record Line(double Work, double Time, double Product, double Square)
    {
        public static Line From(IReadOnlyList<(double Work, double Time)> points)
        {
            var weights = points.Sum(point => 1 / (point.Time * point.Time));
            double Mean(Func<(double Work, double Time), double> value) => points.Sum(p => value(p) / (p.Time * p.Time)) / weights;
            var (work, time) = (Mean(p => p.Work), Mean(p => p.Time));
            return new Line(work, time, weights * Mean(p => (p.Work - work) * (p.Time - time)),
                weights * Mean(p => (p.Work - work) * (p.Work - work)));
        }
    }
}
