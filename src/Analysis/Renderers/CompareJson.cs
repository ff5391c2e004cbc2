using System.Text.Json.Nodes;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using static IpcBench.Analysis.Renderers.JsonReport;

namespace IpcBench.Analysis.Renderers;

/// <summary>
/// Runs compared with a base, for scripts: every metric of every cell with its ratio, interval and verdict, and the result of the gate.
/// </summary>
public static class CompareJson
{
    /// <param name="comparisons">The other files, each compared with the first file.</param>
    /// <param name="gates">The result of the gate for each comparison. Missing or null entries write no result.</param>
    public static string Make(IReadOnlyList<FileComparison> comparisons, IReadOnlyList<Gate?> gates) => Text(new JsonObject
    {
        ["schema"] = "ipcbench-comparison/1",
        ["comparisons"] = Array(comparisons.Select((comparison, i) => Compared(comparison, i < gates.Count ? gates[i] : null))),
    });

    private static JsonObject Compared(FileComparison comparison, Gate? gate)
    {
        var json = new JsonObject
        {
            ["before"] = comparison.Before.Name,
            ["after"] = comparison.After.Name,
            ["sameMachine"] = comparison.SameMachine,
            ["differs"] = Array(comparison.Machines.Concat(comparison.Settings).Select(difference => new JsonObject
            {
                ["what"] = difference.What,
                ["before"] = difference.Before,
                ["after"] = difference.After,
            })),
            ["confidence"] = 1 - comparison.Alpha,
            ["cells"] = Array(comparison.Cells.Select(pair => Cell(comparison, pair.Before, pair.After))),
            ["onlyBefore"] = Array(comparison.OnlyBefore.Select(Key)),
            ["onlyAfter"] = Array(comparison.OnlyAfter.Select(Key)),
        };
        if (gate is not null)
        {
            json["gate"] = new JsonObject
            {
                ["passed"] = gate.Passed,
                ["crossed"] = Array(gate.Crossed),
                ["notExcluded"] = Array(gate.NotExcluded),
                ["missing"] = Array(gate.Missing),
            };
        }
        return json;
    }

    private static JsonObject Cell(FileComparison comparison, MeasuredCell before, MeasuredCell after)
    {
        var json = Key(before.Key);
        json["metrics"] = Array(from metric in Metric.All
                                let verdict = comparison.Judge(before, after, metric)
                                where verdict is not null
                                select Judged(metric, verdict, before, after));
        return json;
    }

    private static JsonObject Judged(Metric metric, Verdict verdict, MeasuredCell before, MeasuredCell after) => new()
    {
        ["metric"] = metric.Id,
        ["before"] = Number(before.Middle(metric)),
        ["after"] = Number(after.Middle(metric)),
        ["ratio"] = Number(verdict.Estimate.Ratio),
        ["low"] = Number(verdict.Estimate.Interval?.Low),
        ["high"] = Number(verdict.Estimate.Interval?.High),
        ["drift"] = Number(Math.Exp(verdict.Estimate.Drift) - 1),
        ["verdict"] = verdict.Kind switch
        {
            VerdictKind.NoDifference => "no difference",
            VerdictKind.CannotTell => "cannot tell",
            VerdictKind.Higher => "higher",
            _ => "lower",
        },
        ["text"] = VerdictText.Describe(verdict, metric),
    };

    private static JsonObject Key(CellKey key) => WithWorkload(new() { ["arm"] = key.Arm, ["variant"] = key.Variant }, key);
}
