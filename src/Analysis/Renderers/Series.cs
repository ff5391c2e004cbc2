using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Renderers;

/// <summary>
/// A cell whose results other programs track from run to run. The name of the cell is unique in the report. It does not
/// depend on the other cells of the run, except for a number after the name if an earlier cell has the same name.
/// </summary>
internal sealed record Series(string Name, NamedRun File, MeasuredCell Cell)
{
    /// <summary>The metrics to track. The formats <c>csv</c>, <c>json</c> and <c>prometheus</c> have all metrics.</summary>
    public static IReadOnlyList<Metric> Followed { get; } = [Metric.Rate, Metric.P50, Metric.P99, Metric.ClientCpu, Metric.ServerCpu];

    public static IReadOnlyList<Series> From(ReportModel model)
    {
        var taken = new Dictionary<string, int>();
        return [.. from file in model.Files
                   from cell in file.Run.Cells
                   let name = (model.Files.Count > 1 ? file.Name + ": " : "") + NameOf(cell.Key)
                   select new Series(Unique(name), file, cell)];

        string Unique(string name)
        {
            var count = taken[name] = taken.GetValueOrDefault(name) + 1;
            return count == 1 ? name : Unique(Invariant($"{name} ({count})"));
        }
    }

    /// <summary>Compares the cell with its reference by the headline metric and by the CPU per call. Empty without a reference.</summary>
    public IEnumerable<ArmComparison> Comparisons() => File.Run.ReferenceOf(Cell) is not { } reference ? []
        : new[] { ArmComparison.Headline(Cell), ArmComparison.Cost(Cell, reference) }
            .Select(metric => ArmComparison.Compare(File.Run, Cell, reference, metric)).OfType<ArmComparison>();

    /// <summary>Lists the comparisons that have a ratio to show, because their verdict is not withheld.</summary>
    public IEnumerable<ArmComparison> Ratios() => Comparisons().Where(comparison => comparison.Verdict.Withheld.Length == 0);

    /// <summary>
    /// Returns the value of the cell and its interval or range over the rounds. These bounds are extended to contain the
    /// value, which may come from the median round alone. Null when the cell does not have the metric.
    /// </summary>
    public (double Value, Interval? Bounds)? Read(Metric metric)
    {
        if (Cell.Value(metric) is not { } value || !double.IsFinite(value))
            return null;
        return (value, Cell.OverRounds(metric, Statistics.Joint.Alpha) is { Bounds: var bounds }
            ? new Interval(Math.Min(bounds.Low, value), Math.Max(bounds.High, value)) : null);
    }

    private static string NameOf(CellKey key)
    {
        var work = (key.Method.Length == 0 ? "" : key.Method + ", ") + Quantity.Size(key.Size)
            + (key.ServerWork.Length == 0 ? "" : ", work " + key.ServerWork);
        return PrintableText.Of(Invariant($"{key.Arm}, {work}, {key.Connections} × {key.Streams}")
            + (key.IsFullLoad ? "" : ", " + key.Load)).ReplaceLineEndings(" ");
    }
}
