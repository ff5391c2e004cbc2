using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Metrics;

/// <summary>One cell of a run with the rounds of it that count, in the order of their numbers.</summary>
public sealed class MeasuredCell
{
    internal MeasuredCell(int index, Cell cell, IReadOnlyList<MeasurementView> rounds)
    {
        (Index, Cell, Rounds) = (index, cell, rounds);
        Median = MedianOf(rounds);
    }

    /// <summary>Index into <see cref="RunRecord.Cells"/>.</summary>
    public int Index { get; }

    public Cell Cell { get; }

    public CellKey Key => Cell.Key;

    public IReadOnlyList<MeasurementView> Rounds { get; }

    /// <summary>
    /// The round that is the median by requests/s, whole; of an even number the lower of the two in the middle; null without rounds.
    /// </summary>
    public MeasurementView? Median { get; }

    /// <summary>What is compared with each other: everything of the key but the arm.</summary>
    public Point Point => Point.Of(Key);

    /// <summary>Values of the rounds that have one.</summary>
    public IEnumerable<double> Values(Metric metric) => Rounds.Select(metric.Value).OfType<double>();

    /// <summary>Whether every call of every round ended well.</summary>
    public bool AllWell => Rounds.All(r => r.FailedCalls == 0 && r.Record.CutOff == 0);

    internal static MeasurementView? MedianOf(IReadOnlyList<MeasurementView> rounds) =>
        rounds.Count == 0 ? null : rounds.OrderBy(r => r.Rate).ThenBy(r => r.Record.Number).ElementAt((rounds.Count - 1) / 2);
}

/// <summary>The place in the plan at which arms are compared: same method, size, connections, streams and load.</summary>
public sealed record Point(long Size, int Connections, int Streams, string Load, string Method = "")
{
    public static Point Of(CellKey key) => new(key.Size, key.Connections, key.Streams, key.Load, key.Method);

    /// <inheritdoc cref="CellKey.Work"/>
    public string Work => CellKey.WorkOf(Method, Size);
}
