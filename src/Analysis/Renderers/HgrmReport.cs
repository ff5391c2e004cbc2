using System.Globalization;
using System.Text;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Renderers;

/// <summary>
/// The percentile format of HdrHistogram, which existing plotters read: the latencies of all rounds together in ms,
/// with one block per cell. For some percentiles, a comment line has the interval over the rounds.
/// </summary>
public sealed class HgrmReport : IReport
{
    private const int TicksPerHalfDistance = 5;

    public string Format => "hgrm";

    public string Make(ReportModel model)
    {
        var text = new StringBuilder();
        var cells = model.Files
            .SelectMany(file => file.Run.Cells.Where(cell => cell.Median is not null).Select(cell => (file, cell))).ToList();
        foreach (var (file, cell) in cells)
        {
            // Plotters for a single histogram do not expect a heading.
            if (cells.Count > 1)
                text.Append(text.Length == 0 ? "" : "\n")
                    .Line($"#[{(model.Files.Count > 1 ? file.Name + ": " : "")}{cell.Key.Arm}, {Arms.NameOf(file.Run, cell.Workload)}]");
            text.Append(Distribution(cell.OfLatencies!.Latency));
            if (cell.OfLatencies.Latency is { HasBounds: true } latency)
                text.Line(TextBuilding.Invariant($"#[{latency.Count - cell.OfLatencies.Ended.Count} of these values are lower bounds: ")
                    + "calls that were cut off or never sent]");
            AppendRounds(text, cell, Joint.Alpha);
        }
        return PrintableText.Of(text.ToString());
    }

    /// <summary>Appends a comment for each usual percentile that has an interval or a range over the rounds.</summary>
    private static void AppendRounds(StringBuilder text, MeasuredCell cell, double alpha)
    {
        foreach (var metric in Metric.Percentiles)
        {
            if (cell.OverRounds(metric, alpha) is { Bounds: var bounds, IsRange: var isRange })
                text.Append(CultureInfo.InvariantCulture, $"#[{metric.Id,-7} = {bounds.Low / 1e6,12:F3}, {bounds.High / 1e6,12:F3}: ")
                    .Append(isRange ? "range" : VerdictText.Confidence(1 - alpha) + " interval")
                    .Line(TextBuilding.Invariant($" of {cell.Values(metric).Count()} rounds]"));
        }
    }

    /// <summary>
    /// Writes the same text as AbstractHistogram.outputPercentileDistribution with 5 ticks for each halving of the
    /// distance to 100 %.
    /// </summary>
    public static string Distribution(LatencyCounts counts)
    {
        var text = new StringBuilder("       Value     Percentile TotalCount 1/(1-Percentile)\n\n");
        foreach (var (percentile, value, count) in Steps(counts))
        {
            text.Append(CultureInfo.InvariantCulture, $"{value / 1e6,12:F3} {percentile / 100,14:F12} {count,10}");
            if (percentile < 100)
                text.Append(CultureInfo.InvariantCulture, $" {1 / (1 - percentile / 100),14:F2}");
            text.Append('\n');
        }
        var (mean, deviation) = Moments(counts);
        text.Append(CultureInfo.InvariantCulture, $"#[Mean    = {mean / 1e6,12:F3}, StdDeviation   = {deviation / 1e6,12:F3}]\n");
        text.Append(CultureInfo.InvariantCulture, $"#[Max     = {counts.Max / 1e6,12:F3}, Total count    = {counts.Count,12}]\n");
        text.Append(CultureInfo.InvariantCulture, $"#[Buckets = {32,12}, SubBuckets     = {2048,12}]\n");
        return text.ToString();
    }

    /// <summary>
    /// Lists percentiles that approach 100, with several steps for each halving of the distance to 100. Each entry has the
    /// latency at the percentile in ns, and the number of calls with at most this latency.
    /// </summary>
    internal static IEnumerable<(double Percentile, long Value, long Count)> Steps(LatencyCounts counts)
    {
        if (counts.Count == 0)
            yield break;
        var percentile = 0.0;
        while (true)
        {
            var value = counts.ValueAt(percentile);
            var upTo = counts.CountUpTo(value);
            yield return (percentile, value, upTo);
            if (upTo == counts.Count)
                break;
            var ticks = TicksPerHalfDistance * Math.Pow(2, Math.Floor(Math.Log2(100 / (100 - percentile))) + 1);
            percentile += 100 / ticks;
        }
        yield return (100, counts.Max, counts.Count);
    }

    private static (double Mean, double Deviation) Moments(LatencyCounts counts)
    {
        if (counts.Count == 0)
            return (0, 0);
        var mean = counts.Sum / counts.Count;
        var squares = 0.0;
        foreach (var (slot, count) in counts)
            squares += count * Math.Pow(LatencyCounts.MiddleOf(slot) - mean, 2);
        return (mean, Math.Sqrt(squares / counts.Count));
    }
}
