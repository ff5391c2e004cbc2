using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Documents;

/// <summary>Where the ranking of an arm and its reference flips between sizes, by decided verdicts alone.</summary>
internal static class Crossover
{
    public static IEnumerable<string> Lines(MeasuredRun run) =>
        from cell in run.Cells
        where cell.Key.Load == "max" && !AaTest.IsAa(cell.Key)
        group cell by (cell.Key.Arm, cell.Key.Connections, cell.Key.Streams) into arm
        let line = LineOf(run, [.. arm.OrderBy(cell => cell.Key.Size)])
        where line != null
        select line;

    private static string? LineOf(MeasuredRun run, List<MeasuredCell> sizes)
    {
        var decided = sizes.Select(cell => ArmComparison.OfHeadline(run, cell)).OfType<ArmComparison>()
            .Where(c => c.IsBetter || c.IsWorse).ToList();
        var stretches = new List<(ArmComparison First, ArmComparison Last)>();
        foreach (var comparison in decided)
        {
            if (stretches.Count > 0 && stretches[^1].Last.IsBetter == comparison.IsBetter)
                stretches[^1] = (stretches[^1].First, comparison);
            else
                stretches.Add((comparison, comparison));
        }
        if (stretches.Count < 2)
            return null;
        var parts = stretches.Select((stretch, i) => $"{Winner(stretch.First)} {Where(stretch, i, stretches.Count)}").ToList();
        var where = sizes[0].Point with { Size = 0 } is var point
            && run.Cells.Any(c => c.Point with { Size = 0 } != point && c.Key.Load == "max")
            ? TextBuilding.Invariant($" at {point.Connections} connections × {point.Streams}") : "";
        return $"Crossover{where}: " + parts[0].Replace(" up to", " is faster up to", StringComparison.Ordinal) + ", "
            + string.Join(", ", parts.Skip(1)) + ".";
    }

    private static string Where((ArmComparison First, ArmComparison Last) stretch, int index, int count)
    {
        var (from, to) = (Quantity.Size(stretch.First.Cell.Key.Size), Quantity.Size(stretch.Last.Cell.Key.Size));
        return index == 0 ? $"up to {to}" : index == count - 1 ? $"from {from}" : from == to ? $"at {from}" : $"from {from} to {to}";
    }

    private static string Winner(ArmComparison comparison) => comparison.IsBetter ? comparison.Cell.Key.Arm : comparison.Reference.Key.Arm;
}
