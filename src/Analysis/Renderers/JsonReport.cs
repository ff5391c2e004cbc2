using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Renderers;

/// <summary>
/// A small and stable summary for scripts: medians, ratios, verdicts, doubts and the answer. Times are in ns and sizes
/// in bytes.
/// </summary>
public sealed class JsonReport : IReport
{
    public string Format => "json";

    public string Make(ReportModel model) => model.Files.Select(file => BuildComparison.Of(file.Run)).ToList() is var builds
        && builds.Count > 0 && !builds.Contains(null)
        ? CompareJson.Make([.. builds.Select(one => one!.Sides)], [.. builds.Select(one => one!.Gate)]) : Summary(model);

    private static string Summary(ReportModel model) => Document("ipcbench-summary/1", "runs", json =>
    {
        foreach (var file in model.Files)
            Write(json, file);
    });

    /// <summary>Returns the text of an object with the name of its schema and an array.</summary>
    internal static string Document(string schema, string array, Action<Utf8JsonWriter> write) => Text(json =>
    {
        json.WriteStartObject();
        json.WriteString("schema", schema);
        json.WriteStartArray(array);
        write(json);
        json.WriteEndArray();
        json.WriteEndObject();
    });

    /// <summary>Returns the JSON as indented text.</summary>
    internal static string Text(Action<Utf8JsonWriter> write)
    {
        using var bytes = new MemoryStream();
        using (var json = new Utf8JsonWriter(bytes,
            new JsonWriterOptions { Indented = true, NewLine = "\n", Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping }))
        {
            write(json);
        }
        return PrintableText.OfJson(Encoding.UTF8.GetString(bytes.GetBuffer(), 0, (int)bytes.Length)) + "\n";
    }

    private static void Write(Utf8JsonWriter json, NamedRun file)
    {
        var (run, record) = (file.Run, file.Run.Record);
        json.WriteStartObject();
        json.WriteString("name", file.Name);
        json.WriteString("label", record.Label);
        json.WriteString("started", record.Started);
        json.WriteString("ending", record.Ending);
        json.WriteString("tool", record.ToolVersion);
        json.WriteString("os", record.Host.Os);
        json.WriteString("cpu", record.Host.CpuModel);
        json.WriteString("runtime", record.Host.Runtime);
        json.WriteNumber("seed", record.Seed);
        json.WriteNumber("rounds", run.CommonRounds);
        json.WriteString("reference", record.Options.Reference);
        json.WriteNumber("confidence", 1 - Joint.Alpha);
        json.WriteStartArray("cells");
        foreach (var cell in run.Cells)
            Write(json, run, cell);
        json.WriteEndArray();
        Write(json, [.. RateSearchResult.Of(run)]);
        json.WriteStartArray("doubts");
        foreach (var doubt in Doubt.Of(run))
        {
            json.WriteStartObject();
            json.WriteString("id", doubt.Id);
            json.WriteString("doubt", AdviceText.Doubt(doubt));
            json.WriteString("fix", AdviceText.Fix(doubt));
            json.WriteEndObject();
        }
        json.WriteEndArray();
        json.WriteStartArray("answer");
        foreach (var answer in Answers.Of(run))
            json.WriteStringValue(answer);
        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, MeasuredRun run, MeasuredCell cell)
    {
        var key = cell.Key;
        json.WriteStartObject();
        json.WriteString("arm", key.Arm);
        json.WriteString("transport", key.Transport);
        json.WriteString("protocol", key.Protocol);
        json.WriteString("client", key.Client);
        json.WriteString("variant", key.Variant);
        if (key.Mode.Length > 0)
            json.WriteString("mode", key.Mode);
        WriteWorkload(json, key);
        json.WriteNumber("rounds", cell.Rounds.Count);
        json.WriteStartObject("median");
        foreach (var metric in cell.Median is null ? [] : Metric.All)
            Write(json, CsvReport.ColumnOf(metric), cell.Value(metric));
        json.WriteEndObject();
        var rates = cell.Values(Metric.Rate).ToList();
        Write(json, "rpsLowest", rates.Count == 0 ? null : rates.Min());
        Write(json, "rpsHighest", rates.Count == 0 ? null : rates.Max());
        WriteOverRounds(json, cell);
        WriteVerdict(json, ArmComparison.OfHeadline(run, cell));
        json.WriteEndObject();
    }

    /// <summary>Writes the call and its load.</summary>
    internal static void WriteWorkload(Utf8JsonWriter json, CellKey key)
    {
        if (key.Method.Length > 0)
        {
            json.WriteString("method", key.Method);
            json.WriteString("corpus", key.Corpus);
        }
        json.WriteNumber("size", key.Size);
        json.WriteNumber("connections", key.Connections);
        json.WriteNumber("streams", key.Streams);
        json.WriteString("load", key.Load);
    }

    /// <summary>
    /// Writes the interval or range of each percentile over the rounds. The member <c>median</c> has the percentiles of all
    /// rounds together.
    /// </summary>
    private static void WriteOverRounds(Utf8JsonWriter json, MeasuredCell cell)
    {
        var percentiles = (from metric in Metric.Percentiles
                           let found = cell.OverRounds(metric, Joint.Alpha)
                           where found is not null
                           select (metric, found.Value)).ToList();
        if (percentiles.Count == 0)
            return;
        json.WriteStartObject("overRounds");
        foreach (var (metric, (bounds, isRange)) in percentiles)
        {
            json.WriteStartObject(CsvReport.ColumnOf(metric));
            json.WriteNumber("low", bounds.Low);
            json.WriteNumber("high", bounds.High);
            json.WriteBoolean("isRange", isRange);
            json.WriteEndObject();
        }
        json.WriteEndObject();
    }

    /// <summary>Writes the result of <c>--find</c>. Writes nothing for a run without <c>--find</c>.</summary>
    private static void Write(Utf8JsonWriter json, IReadOnlyList<RateSearchResult> searches)
    {
        if (searches.Count == 0)
            return;
        json.WriteStartArray("searches");
        foreach (var found in searches)
        {
            json.WriteStartObject();
            json.WriteString("objective", found.Objective.Text);
            json.WriteNumber("cell", found.Cell.Index);
            json.WriteString("arm", found.Cell.Key.Arm);
            json.WriteString("outcome", found.Outcome switch
            {
                SearchOutcome.Found => "found",
                SearchOutcome.Everywhere => "everywhere",
                SearchOutcome.Nowhere => "nowhere",
                SearchOutcome.TooFewCalls => "too few calls",
                SearchOutcome.Unknown => "unknown",
            });
            Write(json, "rate", found.Rate > 0 ? found.Rate : null);
            Write(json, "low", found.Interval?.Low);
            Write(json, "high", found.Interval?.High);
            Write(json, "fullLoad", found.Saturation);
            json.WriteStartArray("windows");
            foreach (var (window, isKept) in found.Windows)
            {
                json.WriteStartObject();
                json.WriteNumber("rate", Rounded(window.Record.AskedRate));
                json.WriteBoolean("kept", isKept);
                foreach (var term in found.Objective.Terms)
                    Write(json, term.Name, RateSearchSentences.ValueOf(term, window));
                json.WriteEndObject();
            }
            json.WriteEndArray();
            json.WriteEndObject();
        }
        json.WriteEndArray();
    }

    private static void WriteVerdict(Utf8JsonWriter json, ArmComparison? comparison)
    {
        if (comparison is null)
        {
            json.WriteNull("comparison");
            return;
        }
        var (verdict, estimate) = (comparison.Verdict, comparison.Verdict.Estimate);
        json.WriteStartObject("comparison");
        json.WriteString("metric", comparison.Metric.Id);
        json.WriteString("reference", comparison.Reference.Key.Arm);
        var isWithheld = verdict.Withheld.Length > 0;
        Write(json, "ratio", isWithheld ? null : estimate.Ratio);
        Write(json, "low", isWithheld ? null : estimate.Interval?.Low);
        Write(json, "high", isWithheld ? null : estimate.Interval?.High);
        json.WriteString("verdict", verdict.Kind switch
        {
            VerdictKind.NoDifference => "no difference",
            VerdictKind.CannotTell => "cannot tell",
            _ => comparison.IsBetter ? "better" : "worse",
        });
        json.WriteBoolean("tooLittleToMatter", verdict.IsTooLittle);
        // If there are too few rounds for an interval, the number of missing rounds is exact. Otherwise the number of
        // rounds that would decide is a range.
        var missing = verdict.RoundsMissing > 0 ? verdict.RoundsMissing : (int?)null;
        Write(json, "moreRoundsLeast", missing ?? verdict.MoreRounds?.Least);
        Write(json, "moreRounds", missing ?? verdict.MoreRounds?.Most);
        json.WriteString("text", VerdictText.Of(verdict, comparison.Metric));
        json.WriteEndObject();
    }

    internal static void Write(Utf8JsonWriter json, string name, double? value)
    {
        if (value is { } number && double.IsFinite(number))
            json.WriteNumber(name, Rounded(number));
        else
            json.WriteNull(name);
    }

    /// <summary>Rounds to six digits, because rounding errors of the computation would change further digits.</summary>
    private static double Rounded(double value) =>
        double.Parse(value.ToString("G6", System.Globalization.CultureInfo.InvariantCulture),
            System.Globalization.CultureInfo.InvariantCulture);
}
