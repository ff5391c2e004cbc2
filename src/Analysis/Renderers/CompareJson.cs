using System.Text.Json;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Renderers;

/// <summary>
/// Runs compared with a base, for scripts: every metric of every cell with its ratio, interval and verdict, and the result of the gate.
/// </summary>
public static class CompareJson
{
    /// <param name="comparisons">The other files, each compared with the first file.</param>
    /// <param name="gates">The result of the gate for each comparison. Missing or null entries write no result.</param>
    public static string Make(IReadOnlyList<FileComparison> comparisons, IReadOnlyList<Gate?> gates) =>
        JsonReport.Document("ipcbench-comparison/1", "comparisons", json =>
        {
            foreach (var (i, comparison) in comparisons.Index())
                Write(json, comparison, i < gates.Count ? gates[i] : null);
        });

    private static void Write(Utf8JsonWriter json, FileComparison comparison, Gate? gate)
    {
        json.WriteStartObject();
        json.WriteString("before", comparison.Before.Name);
        json.WriteString("after", comparison.After.Name);
        json.WriteBoolean("sameMachine", comparison.SameMachine);
        json.WriteStartArray("differs");
        foreach (var difference in comparison.Machines.Concat(comparison.Settings))
        {
            json.WriteStartObject();
            json.WriteString("what", difference.What);
            json.WriteString("before", difference.Before);
            json.WriteString("after", difference.After);
            json.WriteEndObject();
        }
        json.WriteEndArray();
        json.WriteNumber("confidence", 1 - comparison.Alpha);
        json.WriteStartArray("cells");
        foreach (var (before, after) in comparison.Cells)
            Write(json, comparison, before, after);
        json.WriteEndArray();
        WriteKeys(json, "onlyBefore", comparison.OnlyBefore);
        WriteKeys(json, "onlyAfter", comparison.OnlyAfter);
        if (gate is not null)
            Write(json, gate);
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, FileComparison comparison, MeasuredCell before, MeasuredCell after)
    {
        json.WriteStartObject();
        WriteKey(json, before.Key);
        json.WriteStartArray("metrics");
        foreach (var metric in Metric.All)
        {
            if (comparison.Judge(before, after, metric) is { } verdict)
                Write(json, metric, verdict, before, after);
        }
        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, Metric metric, Verdict verdict, MeasuredCell before, MeasuredCell after)
    {
        var estimate = verdict.Estimate;
        json.WriteStartObject();
        json.WriteString("metric", metric.Id);
        JsonReport.Write(json, "before", before.Middle(metric));
        JsonReport.Write(json, "after", after.Middle(metric));
        JsonReport.Write(json, "ratio", estimate.Ratio);
        JsonReport.Write(json, "low", estimate.Interval?.Low);
        JsonReport.Write(json, "high", estimate.Interval?.High);
        JsonReport.Write(json, "drift", Math.Exp(estimate.Drift) - 1);
        json.WriteString("verdict", verdict.Kind switch
        {
            VerdictKind.NoDifference => "no difference",
            VerdictKind.CannotTell => "cannot tell",
            VerdictKind.Higher => "higher",
            _ => "lower",
        });
        json.WriteString("text", VerdictText.Of(verdict, metric));
        json.WriteEndObject();
    }

    private static void WriteKeys(Utf8JsonWriter json, string name, IReadOnlyList<CellKey> keys)
    {
        json.WriteStartArray(name);
        foreach (var key in keys)
        {
            json.WriteStartObject();
            WriteKey(json, key);
            json.WriteEndObject();
        }
        json.WriteEndArray();
    }

    private static void WriteKey(Utf8JsonWriter json, CellKey key)
    {
        json.WriteString("arm", key.Arm);
        json.WriteString("variant", key.Variant);
        JsonReport.WriteWorkload(json, key);
    }

    private static void Write(Utf8JsonWriter json, Gate gate)
    {
        json.WriteStartObject("gate");
        json.WriteNumber("passed", gate.Passed);
        foreach (var (name, sentences) in new[]
            { ("crossed", gate.Crossed), ("notExcluded", gate.NotExcluded), ("missing", gate.Missing) })
        {
            json.WriteStartArray(name);
            foreach (var sentence in sentences)
                json.WriteStringValue(sentence);
            json.WriteEndArray();
        }
        json.WriteEndObject();
    }
}
