namespace IpcBench.Analysis.Statistics;

/// <summary>A closed interval.</summary>
public readonly record struct Interval(double Low, double High)
{
    public bool Contains(double value) => Low <= value && value <= High;

    /// <summary>The interval of the exponentials: of ratios, when this is one of their logarithms.</summary>
    public Interval Exp() => new(Math.Exp(Low), Math.Exp(High));
}
