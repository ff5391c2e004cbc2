using System.Text.Json.Nodes;
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

    public string Make(ReportModel model)
    {
        var json = new JsonArray();
        foreach (var series in Series.From(model))
        {
            foreach (var comparison in series.Ratios())
                json.Add((JsonNode)Ratio(series, comparison));
            foreach (var metric in Series.Followed.Where(metric => metric.Unit == Unit.NanosecondsPerCall))
            {
                if (series.Read(metric) is { } cost)
                    json.Add((JsonNode)Entry($"{series.Name}: {metric.Title}", "ns", cost.Value, cost.Bounds,
                        Quantity.Many(series.Cell.Rounds.Count, "round")));
            }
        }
        return JsonReport.Text(json);
    }

    private static JsonObject Ratio(Series series, ArmComparison comparison)
    {
        var (metric, estimate, reference) = (comparison.Metric, comparison.Verdict.Estimate, comparison.Reference.Key.Arm);
        var isTurned = metric.Better == Better.Higher;
        var arm = comparison.Cell.Key.Arm;
        var name = $"{metric.Title}, " + (isTurned ? $"{reference} ÷ {arm}" : $"{arm} ÷ {reference}");
        return Entry($"{series.Name}: {PrintableText.Of(name)}", "ratio", isTurned ? 1 / estimate.Ratio : estimate.Ratio,
            estimate.Interval is { } interval && isTurned ? new Interval(1 / interval.High, 1 / interval.Low) : estimate.Interval,
            $"{metric.Title}, {arm} against {reference}: {VerdictText.Describe(comparison.Verdict, metric)}");
    }

    private static JsonObject Entry(string name, string unit, double value, Interval? bounds, string extra)
    {
        var json = new JsonObject { ["name"] = name, ["unit"] = unit, ["value"] = JsonReport.Number(value) };
        if (bounds is { } known)
            json["range"] = Invariant($"[{known.Low:G6}, {known.High:G6}]");
        json["extra"] = extra;
        return json;
    }
}
