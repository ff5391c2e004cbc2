using System.Globalization;
using System.Text;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Renderers;

/// <summary>
/// Prometheus' text format, for node_exporter's textfile collector or a push gateway. Each metric is a gauge with a
/// sample for each cell. Times are in seconds and sizes in bytes. Further gauges are the number of rounds, the rate that
/// <c>--find</c> found, the ratios to the reference, and the bounds of this rate and of these ratios.
/// </summary>
public sealed class PrometheusReport : IReport
{
    public string Format => "prometheus";

    public string Make(ReportModel model)
    {
        var text = new StringBuilder();
        var all = Series.From(model);
        foreach (var metric in Metric.All)
        {
            var (suffix, factor) = BaseUnit(metric.Unit);
            Append(text, $"ipcbench_{metric.Id.Replace('.', '_')}{suffix}", $"{metric.Title}: the value of each cell, as in the reports.",
                all.Select(series => (Labels(series), series.Cell.Value(metric) * factor)));
        }
        Append(text, "ipcbench_rounds", "Rounds that count.",
            all.Where(series => series.Cell.Median is not null).Select(series => (Labels(series), (double?)series.Cell.Rounds.Count)));
        AppendFound(text, all);
        AppendRatios(text, all);
        return text.ToString();
    }

    private static void AppendRatios(StringBuilder text, IReadOnlyList<Series> all)
    {
        var ratios = (from series in all
                      from comparison in series.Ratios()
                      let against = Labels(series) + Label("metric", comparison.Metric.Id)
                          + Label("reference", comparison.Reference.Key.Arm)
                      select (Labels: against, comparison.Verdict.Estimate)).ToList();
        Append(text, "ipcbench_comparison_ratio",
            "Metric of the cell divided by the same metric of the reference, from pairs within a round.",
            ratios.Select(ratio => (ratio.Labels, (double?)ratio.Estimate.Ratio)));
        Append(text, "ipcbench_comparison_ratio_low", "Lower bound of the ratio.",
            ratios.Select(ratio => (ratio.Labels, ratio.Estimate.Interval?.Low)));
        Append(text, "ipcbench_comparison_ratio_high", "Upper bound of the ratio.",
            ratios.Select(ratio => (ratio.Labels, ratio.Estimate.Interval?.High)));
    }

    private static void AppendFound(StringBuilder text, IReadOnlyList<Series> all)
    {
        var found = (from series in all
                     from search in RateSearchResult.FindAll(series.File.Run)
                     where search.Cell == series.Cell && search.Outcome == SearchOutcome.Found
                     select (Labels: Labels(series), Search: search)).ToList();
        Append(text, "ipcbench_found_rate", "Highest rate at which the objective holds, in calls per second.",
            found.Select(one => (one.Labels, (double?)one.Search.Rate)));
        Append(text, "ipcbench_found_rate_low", "Lower bound of the highest rate at which the objective holds.",
            found.Select(one => (one.Labels, one.Search.Interval?.Low)));
        Append(text, "ipcbench_found_rate_high", "Upper bound of the highest rate at which the objective holds.",
            found.Select(one => (one.Labels, one.Search.Interval?.High)));
    }

    /// <summary>Appends a gauge with its samples. Appends nothing if no sample has a value.</summary>
    private static void Append(StringBuilder text, string name, string help, IEnumerable<(string Labels, double? Value)> samples)
    {
        var known = samples.Where(sample => sample.Value is { } value && double.IsFinite(value)).ToList();
        if (known.Count == 0)
            return;
        text.Line($"# HELP {name} {help}").Line($"# TYPE {name} gauge");
        foreach (var (labels, value) in known)
            text.Line($"{name}{{{labels.TrimEnd(',')}}} {value!.Value.ToString("G6", CultureInfo.InvariantCulture)}");
    }

    // The label "cell" identifies the cell. The other labels are for selecting and grouping.
    private static string Labels(Series series)
    {
        var key = series.Cell.Key;
        return Label("cell", series.Name) + Label("file", series.File.Name) + Label("arm", key.Arm) + Label("transport", key.Transport)
            + Label("protocol", key.Protocol) + Label("client", key.Client) + Label("mode", key.Mode) + Label("variant", key.Variant)
            + Label("method", key.Method) + Label("size", Invariant($"{key.Size}"))
            + Label("connections", Invariant($"{key.Connections}")) + Label("streams", Invariant($"{key.Streams}"))
            + Label("load", key.Load);
    }

    // In Prometheus an empty label equals a missing label.
    private static string Label(string name, string value) => value.Length == 0 ? "" : $"{name}=\"" + PrintableText.Of(value)
        .Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\"", "\\\"", StringComparison.Ordinal)
        .Replace("\n", "\\n", StringComparison.Ordinal) + "\",";

    /// <summary>Returns the suffix of Prometheus' base unit (seconds or bytes), and the factor that converts to this unit.</summary>
    private static (string Suffix, double Factor) BaseUnit(Unit unit) => unit switch
    {
        Unit.Nanoseconds or Unit.NanosecondsPerCall => ("_seconds", 1e-9),
        Unit.BytesPerSecond => ("_bytes_per_second", 1),
        Unit.Bytes => ("_bytes", 1),
        Unit.Share => ("_ratio", 1),
        Unit.PerSecond or Unit.Count or Unit.PerCall => ("", 1),
    };
}
