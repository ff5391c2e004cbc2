namespace IpcBench.Analysis.Statistics;

/// <summary>
/// Searches for the highest rate at which an objective holds, with one rate per window. The search is a stochastic
/// approximation in the log rate (Kesten 1958, Accelerated stochastic approximation). The rate steps up after a window
/// that met the objective, and down after a window that missed the objective. Each change of direction halves the step,
/// down to 4 %. If a window is wrong by chance, later windows correct the error, which a bisection could not do. The
/// result comes from a local regression over the windows near <see cref="Centre"/>. The log of what counts against the
/// objective is fitted as a linear function of the log rate, and windows closer to the centre have more weight. The fit
/// is by quasi-likelihood with a variance proportional to the mean (Wedderburn 1974; Loader 1999, Local Regression and
/// Likelihood). The interval is a jackknife over the windows (Tukey 1958), so the calls of a window may be dependent.
/// </summary>
public static class RateSearch
{
    /// <summary>
    /// The number of rounds that a search has in addition to the requested rounds, because the first steps of a search
    /// only approach the rate.
    /// </summary>
    public const int Approach = 8;

    /// <summary>The highest rate that is tried, as a multiple of the rate at full load.</summary>
    public const double Most = 1.25;

    /// <summary>The lowest rate that is tried, as a multiple of the rate at full load.</summary>
    public const double Least = 0.01;

    /// <summary>The smallest number of windows near the rate that gives an interval.</summary>
    public const int FewestWindows = 5;

    private const double FirstStep = 0.6931471805599453; // ln 2
    private const double LastStep = 0.04;
    /// <summary>A window counts if its log rate is less than this far from the log rate of the centre.</summary>
    public const double Reach = 0.4;
    private const double MostExcess = 4;
    private const double Flattest = 0.5, Steepest = 500;

    /// <summary>Chooses the rate of the next window, in the unit of <paramref name="saturation"/>.</summary>
    /// <param name="done">Rates of the measured windows, and whether each window met the objective.</param>
    /// <param name="saturation">The rate at full load, in calls per second.</param>
    public static double Next(IReadOnlyList<(double Rate, bool IsKept)> done, double saturation)
    {
        if (done.Count == 0)
            return saturation / 2;
        var step = FirstStep;
        for (var i = 1; i < done.Count; i++)
        {
            if (done[i].IsKept != done[i - 1].IsKept)
                step = Math.Max(LastStep, step / 2);
        }
        return Math.Clamp(done[^1].Rate * Math.Exp(done[^1].IsKept ? step : -step), saturation * Least, saturation * Most);
    }

    /// <summary>
    /// Computes the rate that the search has approached: the geometric mean of the rates of the later half of the windows.
    /// </summary>
    public static double Centre(IReadOnlyList<double> rates) =>
        Math.Exp(rates.Skip(rates.Count / 2).Select(rate => Math.Log(rate)).DefaultIfEmpty(double.NaN).Average());

    /// <summary>
    /// Computes the rate at which the calls just keep a term of the objective: the mean per call of what counts against
    /// the term equals the allowed mean. The rate has an interval if enough windows are near the rate, and the rate
    /// lies between the rates of these windows, or less than one smallest step (4 %) beyond these rates.
    /// </summary>
    /// <param name="probes">All windows. Windows far from the centre have no weight.</param>
    /// <param name="allowed">The mean per call that may count against the term.</param>
    /// <param name="centre">See <see cref="Centre"/>.</param>
    /// <param name="alpha">The probability that the interval misses the rate.</param>
    /// <returns>
    /// The rate. Null if no window is near the centre, or if no call in these windows counts against the term of the objective.
    /// </returns>
    public static FoundCrossing? Crossing(IReadOnlyList<Probe> probes, double allowed, double centre, double alpha)
    {
        if (Local(probes, allowed, centre) is not { } first)
            return null;
        // The second fit is centred on the rate that the first fit found.
        centre *= Math.Exp(first);
        var near = Near(probes, centre);
        if (Local(near, allowed, centre) is not { } found)
            return null;
        // A result is limited to one smallest step beyond the rates of the windows. At this limit, each fit of the
        // jackknife would find the limit too, so the interval would have no width, although the rate is uncertain.
        var ends = Ends(near, centre);
        if (near.Count < FewestWindows || found <= ends.Low || found >= ends.High)
            return new FoundCrossing(centre * Math.Exp(found), null);
        var without = near.Select((_, i) => Local([.. near.Where((_, j) => j != i)], allowed, centre)).OfType<double>().ToList();
        // If nothing counts against the objective in all windows but one, this window alone decides, and the error is unknown.
        if (without.Count < near.Count)
            return new FoundCrossing(centre * Math.Exp(found), null);
        var mean = without.Average();
        var error = Math.Sqrt((near.Count - 1.0) / near.Count * without.Sum(one => (one - mean) * (one - mean)));
        var half = StudentQuantile(1 - alpha / 2, near.Count - 2) * error;
        return new FoundCrossing(centre * Math.Exp(found), new Interval(centre * Math.Exp(found - half), centre * Math.Exp(found + half)));
    }

    /// <summary>Lists the windows that have calls and whose rates are near the centre (<see cref="Reach"/>).</summary>
    public static IReadOnlyList<Probe> Near(IEnumerable<Probe> probes, double centre) =>
        [.. probes.Where(probe => probe.Calls > 0 && Math.Abs(Math.Log(probe.Rate / centre)) < Reach)];

    /// <summary>
    /// Computes the closest non-decreasing values by least squares, by pooling adjacent violators (Ayer and others 1955).
    /// </summary>
    public static IReadOnlyList<double> NeverFalling(IEnumerable<double> values)
    {
        var blocks = new List<(double Sum, int Count)>();
        foreach (var value in values)
        {
            blocks.Add((value, 1));
            while (blocks.Count > 1 && blocks[^2].Sum / blocks[^2].Count > blocks[^1].Sum / blocks[^1].Count)
            {
                blocks[^2] = (blocks[^2].Sum + blocks[^1].Sum, blocks[^2].Count + blocks[^1].Count);
                blocks.RemoveAt(blocks.Count - 1);
            }
        }
        return [.. blocks.SelectMany(block => Enumerable.Repeat(block.Sum / block.Count, block.Count))];
    }

    /// <summary>Computes Student's quantile (Hill 1970, Algorithm 396), to four digits.</summary>
    public static double StudentQuantile(double p, int freedom)
    {
        var tails = 2 * (1 - p);
        if (freedom == 1)
            return 1 / Math.Tan(tails * Math.PI / 2);
        if (freedom == 2)
            return Math.Sqrt(2 / (tails * (2 - tails)) - 2);
        double n = freedom;
        var a = 1 / (n - 0.5);
        var b = 48 / (a * a);
        var c = ((20700 * a / b - 98) * a - 16) * a + 96.36;
        var d = ((94.5 / (b + c) - 3) / b + 1) * Math.Sqrt(a * Math.PI / 2) * n;
        var y = Math.Pow(d * tails, 2 / n);
        if (y > 0.05 + a)
        {
            var x = -Normal.Quantile(p);
            y = x * x;
            if (n < 5)
                c += 0.3 * (n - 4.5) * (x + 0.6);
            c = (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b + c;
            y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x;
            y = Math.Exp(a * y * y) - 1;
        }
        else
        {
            y = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1) * (n + 1) / (n + 2) + 1 / y;
        }
        return Math.Sqrt(n * y);
    }

    /// <summary>
    /// Computes ln(rate / centre) for the rate at which the fitted mean equals the allowed mean. Null when no window is
    /// near the centre, or when no call in these windows counts against the term of the objective.
    /// </summary>
    private static double? Local(IReadOnlyList<Probe> probes, double allowed, double centre)
    {
        var near = Near(probes, centre);
        var points = near.Select(probe =>
        {
            var at = Math.Log(probe.Rate / centre);
            // The excess is limited, so that a single window in which the machine was stopped does not decide the result.
            var excess = Math.Min(probe.Against / (probe.Calls * allowed), MostExcess);
            var tricube = 1 - Math.Pow(Math.Abs(at) / Reach, 3);
            return (At: at, Excess: excess, Weight: probe.Calls * tricube * tricube * tricube);
        }).ToList();
        if (points.Count == 0 || points.TrueForAll(point => point.Excess <= 0))
            return null;
        double Level(double slope) => points.Sum(p => p.Weight * p.Excess) / points.Sum(p => p.Weight * Math.Exp(slope * p.At));
        // The likelihood is concave in the slope. So its derivative decreases, and its zero is found by halving.
        double Score(double slope)
        {
            var level = Level(slope);
            return points.Sum(p => p.Weight * p.At * (p.Excess - level * Math.Exp(slope * p.At)));
        }
        var (low, high) = (Flattest, Steepest);
        for (var i = 0; i < 50; i++)
        {
            var middle = Math.Sqrt(low * high);
            (low, high) = Score(middle) > 0 ? (middle, high) : (low, middle);
        }
        var crossing = -Math.Log(Level(low)) / low;
        var ends = Ends(near, centre);
        return Math.Clamp(crossing, ends.Low, ends.High);
    }

    /// <summary>
    /// Computes the lowest and highest ln(rate / centre) that can be a result: one smallest step beyond the rates of the windows.
    /// </summary>
    private static Interval Ends(IReadOnlyList<Probe> near, double centre) => new(
        Math.Log(near.Min(probe => probe.Rate) / centre) - LastStep, Math.Log(near.Max(probe => probe.Rate) / centre) + LastStep);
}

/// <summary>
/// A rate in calls per second. The interval is null if too few windows are near the rate, or the rate lies one smallest
/// step (4 %) beyond the rates of these windows, which is the limit of a result.
/// </summary>
public sealed record FoundCrossing(double Rate, Interval? Interval);
