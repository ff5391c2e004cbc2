using System.Text.Json;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Renderers;

/// <summary>
/// The format <c>customSmallerIsBetter</c> of the GitHub Action benchmark-action/github-action-benchmark. The report has
/// the CPU cost of a call for each cell, and the ratios to the reference. The ratio of a metric whose higher values are
/// better is inverted. Absolute rates are left out because they differ between runners.
/// </summary>
public sealed class ActionBenchmarkReport : IReport
{
    public string Format => "github-action-benchmark";

    public string Make(ReportModel model) => JsonReport.Text(json =>
    {
        json.WriteStartArray();
        foreach (var series in Series.Of(model))
        {
            foreach (var comparison in series.Ratios())
                Write(json, series, comparison);
            foreach (var metric in Series.Followed.Where(metric => metric.Unit == Unit.NanosecondsPerCall))
            {
                if (series.Of(metric) is { } cost)
                    Write(json, $"{series.Name}: {metric.Title}", "ns", cost.Value, cost.Bounds,
                        Quantity.Many(series.Cell.Rounds.Count, "round"));
            }
        }
        json.WriteEndArray();
    });

    private static void Write(Utf8JsonWriter json, Series series, ArmComparison comparison)
    {
        var (metric, estimate, reference) = (comparison.Metric, comparison.Verdict.Estimate, comparison.Reference.Key.Arm);
        var isTurned = metric.Better == Better.Higher;
        var arm = comparison.Cell.Key.Arm;
        var name = $"{metric.Title}, " + (isTurned ? $"{reference} ÷ {arm}" : $"{arm} ÷ {reference}");
        Write(json, $"{series.Name}: {PrintableText.Of(name)}", "ratio", isTurned ? 1 / estimate.Ratio : estimate.Ratio,
            estimate.Interval is { } interval && isTurned ? new Interval(1 / interval.High, 1 / interval.Low) : estimate.Interval,
            $"{metric.Title}, {arm} against {reference}: {VerdictText.Of(comparison.Verdict, metric)}");
    }

    private static void Write(Utf8JsonWriter json, string name, string unit, double value, Interval? bounds, string extra)
    {
        json.WriteStartObject();
        json.WriteString("name", name);
        json.WriteString("unit", unit);
        JsonReport.Write(json, "value", value);
        if (bounds is { } known)
            json.WriteString("range", Invariant($"[{known.Low:G6}, {known.High:G6}]"));
        json.WriteString("extra", extra);
        json.WriteEndObject();
    }
}
