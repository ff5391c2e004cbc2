using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Published.RatioOfRatios;

namespace IpcBench.Analysis.Published;

/// <summary>
/// Repeats each published ratio of shared memory for every way of waiting in the run, and says which way is faster.
/// </summary>
internal sealed class WaitExplanation : IExplanation
{
    public Explained? Explain(MeasuredRun run, PublishedComparison published)
    {
        var table = new TextTable("what", "both ends wait by", "ratio", "round trip", "CPU of both sides") { Words = 2 };
        var sentences = new List<string>();
        foreach (var ratio in published.Ratios)
        {
            if (ratio.Cell.In(run) is not { Key.Wait.Length: > 0 } cell || ratio.Reference.In(run) is not { } reference)
                continue;
            var ways = run.Cells.Where(way => way.Median is not null && way.Key with { Variant = cell.Key.Variant } == cell.Key).ToList();
            foreach (var way in ways)
                table.Add(ratio.What, way.Key.Wait, Text(run, way, reference), way.Show(Metric.Mean), way.Show(Metric.TotalCpu));
            string[] faster = [.. ways.Select(way => Faster(run, cell, way)).OfType<string>()];
            if (faster.Length > 0)
                sentences.Add($"Shared memory, {Quantity.Size(cell.Key.Size)}: {string.Join("; ", faster)}.");
        }
        return table.IsEmpty ? null : new Explained("The ratio for each way of waiting", table, sentences);
    }

    /// <summary>Says which of two ways of waiting is faster. Null when this is undecided.</summary>
    private static string? Faster(MeasuredRun run, MeasuredCell cell, MeasuredCell way)
    {
        var (first, second) = Claim(run, cell, way) is { IsBetter: true } ? (cell, way) : (way, cell);
        return cell != way && Claim(run, first, second) is { IsBetter: true }
            ? $"{first.Key.Wait} is {Text(run, first, second)} as fast as {second.Key.Wait}" : null;
    }

    private static ArmComparison? Claim(MeasuredRun run, MeasuredCell cell, MeasuredCell reference) =>
        ArmComparison.Compare(run, cell, reference, Metric.Rate) is { Verdict.Withheld.Length: 0 } claim ? claim : null;
}
