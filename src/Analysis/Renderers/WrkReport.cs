using System.Globalization;
using System.Text;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Renderers;

/// <summary>
/// The layout of wrk's output, for scripts that read this layout: the median round of each cell, with the latencies of all
/// rounds. As in all reports of this tool, rates do not include failed calls.
/// </summary>
public sealed class WrkReport : IReport
{
    private const double BucketsPerSecond = 1e9 / Measurement.BucketNs;

    public string Format => "wrk";

    public string Make(ReportModel model)
    {
        var text = new StringBuilder();
        foreach (var file in model.Files)
        {
            foreach (var cell in file.Run.Cells.Where(cell => cell.Median is not null))
            {
                text.Append(text.Length == 0 ? "" : "\n");
                Append(text, file.Run, cell);
            }
        }
        return PrintableText.Of(text.ToString());
    }

    private static void Append(StringBuilder text, MeasuredRun measured, MeasuredCell cell)
    {
        var run = measured.Record;
        var (reading, round) = (cell.Median!, cell.Median!.Record);
        var threads = Math.Min(run.Options.Threads, cell.Key.Connections);
        var counts = cell.OfLatencies!.Ended;
        text.Line($"Running {WrkUnits.WholeTime(run.Options.DurationNs > 0 ? run.Options.DurationNs : round.WindowNs)} test @ "
            + $"{cell.Cell.Address}");
        text.Line(Invariant($"  {threads} threads and {cell.Key.Connections} connections"));
        text.Line("  Thread Stats   Avg      Stdev     Max   +/- Stdev");
        text.Line(Row("Latency", Latencies(counts), counts.Max, WrkUnits.Time));
        var rates = Rates(round, threads);
        text.Line(Row("Req/Sec", rates, rates.Select(rate => rate.Value).DefaultIfEmpty(0).Max(), WrkUnits.Count));
        text.Line("  Latency Distribution");
        foreach (var percentile in new[] { 50, 75, 90, 99 }.Where(percentile => counts.HasDataFor(percentile)))
            text.Line(Invariant($"     {percentile}%{WrkUnits.InColumn(WrkUnits.Time(counts.ValueAt(percentile)), 10)}"));
        // All cells count the same bytes, with or without headers, so that the cells can be compared.
        AppendTotals(text, reading, cell.Value(Metric.Rate) ?? reading.Rate,
            measured.Cells.All(one => one.Median is not { Record.ReceivedBytes: null }) ? BytesOf(round) : round.PayloadBytes);
    }

    private static void AppendTotals(StringBuilder text, RoundMetrics reading, double rate, double bytes)
    {
        var round = reading.Record;
        text.Line(Invariant($"  {round.Completed} requests in {WrkUnits.Time(round.WindowNs)}, {WrkUnits.Bytes(bytes)}B read"));
        var status = Sum(round, kind => kind.StartsWith("http ", StringComparison.Ordinal));
        var connect = Sum(round, kind => kind is "connect" or "no local port");
        var read = reading.FailedCalls - status - connect;
        if (connect + read + round.CutOff > 0)
            text.Line(Invariant($"  Socket errors: connect {connect}, read {read}, write 0, timeout {round.CutOff}"));
        if (status > 0)
            text.Line(Invariant($"  Non-2xx or 3xx responses: {status}"));
        text.Line("Requests/sec: " + Hundredths(rate).PadLeft(9));
        text.Line("Transfer/sec: " + WrkUnits.Bytes(bytes / reading.Seconds).PadLeft(10) + "B");
    }

    private static string Row(string name, IReadOnlyList<(double Value, long Count)> values, double most, Func<double, string> show)
    {
        var count = values.Sum(value => value.Count);
        var mean = count == 0 ? 0 : values.Sum(value => value.Value * value.Count) / count;
        var deviation = count < 2 ? 0 : Math.Sqrt(values.Sum(value => value.Count * Math.Pow(value.Value - mean, 2)) / (count - 1));
        var within = count == 0 ? 0 : 100.0 * values.Where(value => Math.Abs(value.Value - mean) <= deviation)
            .Sum(value => value.Count) / count;
        return "    " + name.PadRight(10) + WrkUnits.InColumn(show(mean), 8) + WrkUnits.InColumn(show(deviation), 10)
            + WrkUnits.InColumn(show(most), 9) + Hundredths(within).PadLeft(8) + "%";
    }

    /// <summary>Computes the calls per second of one thread in each complete 100 ms, as an average over the threads.</summary>
    private static IReadOnlyList<(double Value, long Count)> Rates(Measurement round, int threads)
    {
        var whole = Math.Max(1, (int)(round.WindowNs * BucketsPerSecond / 1e9));
        return [.. round.Buckets.Take(whole).Select(calls => (calls * BucketsPerSecond / threads, 1L))];
    }

    private static IReadOnlyList<(double Value, long Count)> Latencies(LatencyCounts counts)
    {
        var values = new List<(double, long)>();
        foreach (var (slot, count) in counts)
            values.Add((LatencyCounts.MiddleOf(slot), count));
        return values;
    }

    private static string Hundredths(double value) => value.ToString("0.00", CultureInfo.InvariantCulture);

    /// <summary>Returns all bytes received in the window, or the payload bytes if the file has only these.</summary>
    private static double BytesOf(Measurement round) => round.ReceivedBytes is not { } all ? round.PayloadBytes
        : round is { Credited: null, Ok: > 0 } ? (double)all * round.Completed / round.Ok // the bytes in an older file include the drain
        : all;

    private static long Sum(Measurement round, Func<string, bool> kind) => round.Failed.Where(failure => kind(failure.Key))
        .Sum(failure => failure.Value);
}

/// <summary>Formats numbers as wrk does (its units.c). From 85 % of the next unit, a number is shown in this next unit.</summary>
internal static class WrkUnits
{
    private static readonly string[] Metric = ["", "k", "M", "G", "T"], Binary = ["", "K", "M", "G", "T"], Micros = ["us", "ms"],
        Seconds = ["s", "m"];

    /// <summary>Formats a rate or count: <c>12.34k</c>.</summary>
    public static string Count(double value) => Scaled(value, Metric, 1000, "0.00");

    /// <summary>Formats bytes, without the B: <c>1.20M</c>.</summary>
    public static string Bytes(double value) => Scaled(value, Binary, 1024, "0.00");

    /// <summary>Formats a duration in ns: <c>850.00us</c>, <c>1.20ms</c>, <c>10.05s</c>.</summary>
    public static string Time(double ns) => ns >= 1e9 ? Scaled(ns / 1e9, Seconds, 60, "0.00") : Scaled(ns / 1e3, Micros, 1000, "0.00");

    /// <summary>Formats a requested length in ns: <c>10s</c>, <c>2m</c>, <c>300.00ms</c>.</summary>
    public static string WholeTime(double ns) => ns < 1e9 ? Time(ns) : Scaled(ns / 1e9, Seconds, 60, "0");

    /// <summary>
    /// Right-aligns a text in a column. Blanks follow a unit of fewer than two letters, so that the digits of all rows
    /// are aligned.
    /// </summary>
    public static string InColumn(string text, int width)
    {
        var blanks = 2 - text.Reverse().Take(2).Count(char.IsAsciiLetter);
        return text.PadLeft(width - blanks)[..(width - blanks)] + new string(' ', blanks);
    }

    private static string Scaled(double value, string[] units, double step, string format)
    {
        var unit = 0;
        for (; unit < units.Length - 1 && value >= step * 0.85; unit++)
            value /= step;
        return value.ToString(format, CultureInfo.InvariantCulture) + units[unit];
    }
}
