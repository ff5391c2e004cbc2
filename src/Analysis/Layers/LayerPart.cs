using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Layers;

/// <summary>What one layer takes of a call, in ns.</summary>
/// <param name="Ns">May be below 0 where rounds scatter more than the layer costs.</param>
/// <param name="Interval">Of pairs of the same round; null when the rounds are too few for one.</param>
public sealed record LayerPart(double Ns, Interval? Interval)
{
    /// <summary>The interval leaves out 0: the layer costs something, as far as can be told.</summary>
    public bool IsResolved => Interval is { Low: > 0 } or { High: < 0 };
}
