namespace IpcBench.Analysis.Statistics;

/// <summary>A closed interval.</summary>
public readonly record struct Interval(double Low, double High)
{
    public bool Contains(double value) => Low <= value && value <= High;

    /// <summary>Returns the interval, extended so that it contains this value.</summary>
    public Interval With(double value) => new(Math.Min(Low, value), Math.Max(High, value));

    /// <summary>Returns the interval of the exponentials. For an interval of log ratios, this is the interval of ratios.</summary>
    public Interval Exp() => new(Math.Exp(Low), Math.Exp(High));
}
