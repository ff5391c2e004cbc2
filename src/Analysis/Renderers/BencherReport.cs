using System.Text.Json;
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

    public string Make(ReportModel model) => JsonReport.Text(json =>
    {
        json.WriteStartObject();
        foreach (var series in Series.Of(model))
        {
            var found = RateSearchResult.Of(series.File.Run)
                .FirstOrDefault(search => search.Cell == series.Cell && search.Outcome == SearchOutcome.Found);
            // Bencher keeps every benchmark for ever, even a benchmark without measures.
            if (series.Cell.Median is null && found is null)
                continue;
            json.WriteStartObject(series.Name);
            foreach (var metric in Series.Followed)
            {
                if (series.Of(metric) is { } followed)
                    Write(json, CsvReport.ColumnOf(metric), followed.Value, followed.Bounds);
            }
            foreach (var comparison in series.Ratios())
            {
                var estimate = comparison.Verdict.Estimate;
                Write(json, $"{comparison.Metric.Id}_ratio", estimate.Ratio, estimate.Interval);
            }
            if (found is not null)
                Write(json, "found_rate", found.Rate, found.Interval);
            json.WriteEndObject();
        }
        json.WriteEndObject();
    });

    private static void Write(Utf8JsonWriter json, string measure, double value, Interval? bounds)
    {
        json.WriteStartObject(measure);
        JsonReport.Write(json, "value", value);
        if (bounds is { } known)
        {
            JsonReport.Write(json, "lower_value", known.Low);
            JsonReport.Write(json, "upper_value", known.High);
        }
        json.WriteEndObject();
    }
}
