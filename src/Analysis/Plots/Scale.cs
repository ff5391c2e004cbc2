namespace IpcBench.Analysis.Plots;

/// <summary>Maps values to pixels, linearly or logarithmically, with ticks at round values.</summary>
internal sealed class Scale
{
    private readonly Func<double, double> transform;
    private readonly double low;
    private readonly double high;
    private readonly double from;
    private readonly double to;

    private Scale(bool isLog, double min, double max, double from, double to)
    {
        transform = isLog ? Math.Log10 : value => value;
        (IsLog, Min, Max, this.from, this.to) = (isLog, min, max, from, to);
        (low, high) = (transform(min), transform(max));
    }

    public bool IsLog { get; }

    public double Min { get; }

    public double Max { get; }

    public double this[double value] => high > low
        ? from + (transform(Math.Clamp(value, Min, Max)) - low) / (high - low) * (to - from) : (from + to) / 2;

    /// <summary>Makes a linear scale that begins and ends at round values.</summary>
    public static Scale Linear(double min, double max, double from, double to)
    {
        var step = Step(max - min);
        return new Scale(false, Math.Floor(min / step + 1e-9) * step, Math.Ceiling(max / step - 1e-9) * step, from, to);
    }

    /// <summary>Makes a logarithmic scale with room around the values, which must be above 0.</summary>
    public static Scale Log(double min, double max, double from, double to, double room = 0.04)
    {
        var margin = Math.Max(Math.Log10(max / min) * room, 0.02);
        return new Scale(true, min / Math.Pow(10, margin), max * Math.Pow(10, margin), from, to);
    }

    /// <summary>Returns round values on the scale, for grid lines and labels.</summary>
    public IEnumerable<double> Ticks() => IsLog ? LogTicks() : LinearTicks();

    private IEnumerable<double> LinearTicks()
    {
        var step = Step(Max - Min);
        for (var i = Math.Ceiling(Min / step - 1e-9); i * step <= Max + step * 1e-9; i++)
            yield return i * step + 0.0; // no −0
    }

    private List<double> LogTicks()
    {
        double[] steps = (Max / Min) switch { > 3000 => [1], > 8 => [1, 2, 5], > 2.5 => [1, 1.5, 2, 3, 4, 5, 7], _ => [] };
        if (steps.Length == 0)
            return [.. LinearTicks()];
        return [.. Enumerable.Range((int)Math.Floor(Math.Log10(Min)), 24).SelectMany(e => steps.Select(s => s * Math.Pow(10, e)))
            .Where(v => v >= Min && v <= Max)];
    }

    private static double Step(double span)
    {
        if (span <= 0)
            return 1;
        var power = Math.Pow(10, Math.Floor(Math.Log10(span / 4)));
        return (span / 4 / power) switch { < 1.5 => power, < 3.5 => 2 * power, < 7.5 => 5 * power, _ => 10 * power };
    }
}
