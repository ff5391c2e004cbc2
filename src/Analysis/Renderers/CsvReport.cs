using System.Globalization;
using System.Text;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Renderers;

/// <summary>
/// CSV with a row for each counted round of each cell. Times are in ns and sizes in bytes; the names of the columns have the
/// units. The format is RFC 4180 with \n line ends and decimal points.
/// </summary>
public sealed class CsvReport : IReport
{
    private static readonly string[] KeyColumns =
    [
        "file", "label", "run_started", "os", "arm", "transport", "protocol", "client", "variant", "size", "connections", "streams",
            "load", "address",
        "round", "at", "window_ns", "started", "ok", "completed", "payload_bytes",
    ];

    // These columns come after the columns of the metrics. A new version may have more metrics, so readers must find columns by
    // name and not by position (docs/reports.md).
    private static readonly string[] MethodColumns = ["method", "corpus", "smallest_reply_bytes", "largest_reply_bytes", "mode",
        "asked_rate", "found_rate", "found_low", "found_high"];

    public string Format => "csv";

    public string Make(ReportModel model)
    {
        var text = new StringBuilder();
        text.AppendJoin(',', [.. KeyColumns, .. Metric.All.Select(CsvColumnOf), .. MethodColumns]).Append('\n');
        foreach (var file in model.Files)
        {
            var searches = RateSearchResult.FindAll(file.Run).ToDictionary(found => found.Cell);
            foreach (var cell in file.Run.Cells)
            {
                foreach (var round in cell.Rounds.Concat(cell.Windows))
                {
                    string[] row = [.. Key(file, cell, round), .. Metric.All.Select(metric => Text(metric.Value(round))),
                        .. Method(cell, round), Text(Asked(round)), .. Found(searches.GetValueOrDefault(cell))];
                    text.AppendJoin(',', row).Append('\n');
                }
            }
        }
        return text.ToString();
    }

    // A metric gets another name if the key of a row already has a column of its name ("connections").
    private static string CsvColumnOf(Metric metric) => ColumnOf(metric) is var name && KeyColumns.Contains(name) ? name + "_opened" : name;

    /// <summary>Returns the name of the metric with its unit, from letters, digits and underscores only: <c>p99_9_ns</c>.</summary>
    public static string ColumnOf(Metric metric) => metric.Id.Replace('.', '_') + metric.Unit switch
    {
        Unit.Nanoseconds or Unit.NanosecondsPerCall => "_ns",
        Unit.BytesPerSecond => "_bytes_per_s",
        Unit.Bytes => "_bytes",
        Unit.PerSecond or Unit.Count or Unit.PerCall or Unit.Share => "",
    };

    private static IEnumerable<string> Key(NamedRun file, MeasuredCell cell, RoundMetrics reading)
    {
        var (key, run, round) = (cell.Key, file.Run.Record, reading.Record);
        return new[]
        {
            file.Name, run.Label, Stamp(run.Started), run.Host.Os, key.Arm, key.Transport, key.Protocol, key.Client, key.Variant,
                Text(key.Size), Text(key.Connections),
            Text(key.Streams), key.Load, cell.Cell.Address, Text(round.Number), Stamp(round.At), Text(round.WindowNs), Text(round.Started),
                Text(round.Ok),
            Text(round.Completed), Text(round.PayloadBytes),
        }.Select(Quote);
    }

    private static double? Asked(RoundMetrics round) => round.Record.AskedRate > 0 ? round.Record.AskedRate : null;

    private static IEnumerable<string> Found(RateSearchResult? found) => found is { Outcome: SearchOutcome.Found }
        ? [Text(found.Rate), Text(found.Interval?.Low), Text(found.Interval?.High)] : ["", "", ""];

    private static IEnumerable<string> Method(MeasuredCell cell, RoundMetrics round) =>
        new[] { cell.Key.Method, cell.Key.Corpus, Text(round.Record.SmallestReply), Text(round.Record.LargestReply), cell.Key.Mode }
            .Select(Quote);

    /// <summary>
    /// Returns a printable text, quoted if necessary. A text that a spreadsheet would read as a formula gets an apostrophe in front.
    /// </summary>
    internal static string Quote(string text)
    {
        text = PrintableText.Of(text);
        if (text.Length > 0 && "=+-@".Contains(text[0]) && !double.TryParse(text, CultureInfo.InvariantCulture, out _))
            text = "'" + text;
        return text.AsSpan().IndexOfAny(",\"\n") < 0 ? text : $"\"{text.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";
    }

    private static string Stamp(DateTimeOffset time) => time.UtcDateTime.ToString("yyyy-MM-ddTHH:mm:ss.fffZ", CultureInfo.InvariantCulture);

    private static string Text(long value) => value.ToString(CultureInfo.InvariantCulture);

    private static string Text(long? value) => value?.ToString(CultureInfo.InvariantCulture) ?? "";

    private static string Text(double? value) => value?.ToString("0.######", CultureInfo.InvariantCulture) ?? "";
}

/// <summary>A report with a row per round: transport, size, and the milliseconds for all packets of the round.</summary>
public sealed class WideCsvReport : IReport
{
    public string Format => "wide-csv";

    public string Make(ReportModel model)
    {
        var text = new StringBuilder("transport,size,total_ms,packets,run\n");
        foreach (var (run, cell) in model.Files.SelectMany(file => file.Run.Cells.Select(cell => (file.Run, cell))))
        {
            foreach (var round in cell.Rounds)
                text.Append(CultureInfo.InvariantCulture,
                    $"{CsvReport.Quote(NameOf(run, cell))},{cell.Key.Size},{Milliseconds(
                        round)},{round.Record.Completed},{round.Record.Number}\n");
        }
        return text.ToString();
    }

    /// <summary>Returns the arm and, if the workloads of the run differ in more than the size, the workload.</summary>
    internal static string NameOf(MeasuredRun run, MeasuredCell cell)
    {
        var arm = cell.Key is { Protocol: "echo", Variant: "" } ? cell.Key.Transport : cell.Key.Arm;
        var isOneLoad = run.Cells.All(other => other.Workload with { Size = 0 } == cell.Workload with { Size = 0 });
        return isOneLoad ? arm : $"{arm}, {Arms.NameOf(run, cell.Workload)}";
    }

    internal static string Milliseconds(RoundMetrics round) =>
        (round.Record.WindowNs / 1e6).ToString("0.###", CultureInfo.InvariantCulture);
}

/// <summary>
/// The table that the script of the 2014 write-up made: a row for each transport and size, with the milliseconds of every
/// round. The field of a missing round is empty.
/// </summary>
public sealed class RunsCsvReport : IReport
{
    public string Format => "runs-csv";

    public string Make(ReportModel model)
    {
        var named = model.Files.SelectMany(file => file.Run.Cells.Select(cell => (file.Run, Cell: cell)))
            .Where(one => one.Cell.Rounds.Count > 0).OrderBy(one => one.Cell.Key.Transport == "tcp").ToList();
        var cells = named.ConvertAll(one => one.Cell);
        // A column is a round. A cell may lack a round, because the round did not count or because the run ended before the round.
        var last = cells.SelectMany(cell => cell.Rounds).Select(round => round.Record.Number).DefaultIfEmpty(0).Max();
        var rounds = Enumerable.Range(1, last).ToList();
        var text = new StringBuilder("NAME").AppendJoin("", rounds.Select(round => Invariant($",RUN {round - 1}"))).Line();
        foreach (var (run, cell) in named)
        {
            var made = cell.Rounds.ToDictionary(round => round.Record.Number, WideCsvReport.Milliseconds);
            text.AppendJoin(',', [CsvReport.Quote(NameOf(run, cell)), .. rounds.Select(round => made.GetValueOrDefault(round, ""))]).Line();
        }
        return text.ToString();
    }

    private static string NameOf(MeasuredRun run, MeasuredCell cell)
    {
        var name = WideCsvReport.NameOf(run, cell);
        return Invariant($"{(name is "unix" ? "UDS" : name.ToUpperInvariant())} Size {cell.Key.Size}");
    }
}
