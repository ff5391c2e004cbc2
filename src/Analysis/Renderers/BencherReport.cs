using System.Text.Json.Nodes;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Renderers;

/// <summary>
/// Bencher Metric Format (https://bencher.dev/docs/reference/bencher-metric-format): a benchmark for each cell. It has a measure
/// for each tracked metric, each ratio to the reference and the rate that --find found, with bounds if there are enough rounds.
/// </summary>
public sealed class BencherReport : IReport
{
    public string Format => "bencher";

    public string Make(ReportModel model)
    {
        var json = new JsonObject();
        foreach (var series in Series.From(model))
        {
            var found = RateSearchResult.FindAll(series.File.Run)
                .FirstOrDefault(search => search.Cell == series.Cell && search.Outcome == SearchOutcome.Found);
            // Bencher keeps every benchmark for ever, even a benchmark without measures.
            if (series.Cell.Median is null && found is null)
                continue;
            var measures = new JsonObject();
            foreach (var metric in Series.Followed)
            {
                if (series.Read(metric) is { } followed)
                    measures[CsvReport.ColumnOf(metric)] = Measure(followed.Value, followed.Bounds);
            }
            foreach (var comparison in series.Ratios())
            {
                var estimate = comparison.Verdict.Estimate;
                measures[$"{comparison.Metric.Id}_ratio"] = Measure(estimate.Ratio, estimate.Interval);
            }
            if (found is not null)
                measures["found_rate"] = Measure(found.Rate, found.Interval);
            json[series.Name] = measures;
        }
        return JsonReport.Text(json);
    }

    private static JsonObject Measure(double value, Interval? bounds)
    {
        var json = new JsonObject { ["value"] = JsonReport.Number(value) };
        if (bounds is { } known)
        {
            json["lower_value"] = JsonReport.Number(known.Low);
            json["upper_value"] = JsonReport.Number(known.High);
        }
        return json;
    }
}
