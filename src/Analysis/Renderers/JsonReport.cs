using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
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

    public string Make(ReportModel model) => model.Files.Select(file => BuildComparison.From(file.Run)).ToList() is var builds
        && builds.Count > 0 && !builds.Contains(null)
        ? CompareJson.Make([.. builds.Select(one => one!.Sides)], [.. builds.Select(one => one!.Gate)]) : Summary(model);

    private static string Summary(ReportModel model) => Text(new JsonObject
    {
        ["schema"] = "ipcbench-summary/1",
        ["runs"] = Array(model.Files.Select(Run)),
    });

    /// <summary>Returns the JSON as indented text.</summary>
    internal static string Text(JsonNode node)
    {
        using var bytes = new MemoryStream();
        using (var json = new Utf8JsonWriter(bytes,
            new JsonWriterOptions { Indented = true, NewLine = "\n", Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping }))
        {
            node.WriteTo(json);
        }
        return PrintableText.OfJson(Encoding.UTF8.GetString(bytes.GetBuffer(), 0, (int)bytes.Length)) + "\n";
    }

    internal static JsonArray Array(IEnumerable<JsonNode?> nodes) => new([.. nodes]);

    internal static JsonArray Array(IEnumerable<string> texts) => Array(texts.Select(text => (JsonNode?)text));

    /// <summary>Returns the number with six digits, because rounding errors of the computation would change further digits.</summary>
    internal static JsonNode? Number(double? value) => value is { } number && double.IsFinite(number)
        ? double.Parse(number.ToString("G6", CultureInfo.InvariantCulture), CultureInfo.InvariantCulture) : null;

    /// <summary>Adds the call and its load to the object.</summary>
    internal static JsonObject WithWorkload(JsonObject json, CellKey key)
    {
        if (key.Method.Length > 0)
        {
            json["method"] = key.Method;
            json["corpus"] = key.Corpus;
        }
        json["size"] = key.Size;
        json["connections"] = key.Connections;
        json["streams"] = key.Streams;
        json["load"] = key.Load;
        return json;
    }

    private static JsonObject Run(NamedRun file)
    {
        var (run, record) = (file.Run, file.Run.Record);
        var json = new JsonObject
        {
            ["name"] = file.Name,
            ["label"] = record.Label,
            ["started"] = record.Started,
            ["ending"] = record.Ending,
            ["tool"] = record.ToolVersion,
            ["os"] = record.Host.Os,
            ["cpu"] = record.Host.CpuModel,
            ["runtime"] = record.Host.Runtime,
            ["seed"] = record.Seed,
            ["rounds"] = run.CommonRounds,
            ["reference"] = record.Options.Reference,
            ["confidence"] = 1 - Joint.Alpha,
            ["cells"] = Array(run.Cells.Select(cell => Cell(run, cell))),
        };
        if (RateSearchResult.FindAll(run).ToList() is { Count: > 0 } searches)
            json["searches"] = Array(searches.Select(Search));
        json["doubts"] = Array(Doubt.Find(run).Select(doubt => new JsonObject
        {
            ["id"] = doubt.Id,
            ["doubt"] = AdviceText.Doubt(doubt),
            ["fix"] = AdviceText.Fix(doubt),
        }));
        json["answer"] = Array(Answers.For(run));
        return json;
    }

    private static JsonObject Cell(MeasuredRun run, MeasuredCell cell)
    {
        var key = cell.Key;
        var json = new JsonObject
        {
            ["arm"] = key.Arm,
            ["transport"] = key.Transport,
            ["protocol"] = key.Protocol,
            ["client"] = key.Client,
            ["variant"] = key.Variant,
        };
        if (key.Mode.Length > 0)
            json["mode"] = key.Mode;
        WithWorkload(json, key)["rounds"] = cell.Rounds.Count;
        var rates = cell.Values(Metric.Rate).ToList();
        json["median"] = new JsonObject(from metric in cell.Median is null ? [] : Metric.All
                                        select KeyValuePair.Create(CsvReport.ColumnOf(metric), Number(cell.Value(metric))));
        json["rpsLowest"] = Number(rates.Count == 0 ? null : rates.Min());
        json["rpsHighest"] = Number(rates.Count == 0 ? null : rates.Max());
        // The interval or range of each percentile over the rounds. The member median has the percentiles of all rounds together.
        var percentiles = new JsonObject(from metric in Metric.Percentiles
                                         let found = cell.OverRounds(metric, Joint.Alpha)
                                         where found is not null
                                         select KeyValuePair.Create(CsvReport.ColumnOf(metric), (JsonNode?)OverRounds(found.Value)));
        if (percentiles.Count > 0)
            json["overRounds"] = percentiles;
        json["comparison"] = ArmComparison.OfHeadline(run, cell) is { } comparison ? Comparison(comparison) : null;
        return json;
    }

    private static JsonObject OverRounds((Interval Bounds, bool IsRange) found) =>
        new() { ["low"] = found.Bounds.Low, ["high"] = found.Bounds.High, ["isRange"] = found.IsRange };

    /// <summary>Returns the result of a search of <c>--find</c>.</summary>
    private static JsonObject Search(RateSearchResult found) => new()
    {
        ["objective"] = found.Objective.Text,
        ["cell"] = found.Cell.Index,
        ["arm"] = found.Cell.Key.Arm,
        ["outcome"] = found.Outcome switch
        {
            SearchOutcome.Found => "found",
            SearchOutcome.Everywhere => "everywhere",
            SearchOutcome.Nowhere => "nowhere",
            SearchOutcome.TooFewCalls => "too few calls",
            SearchOutcome.Unknown => "unknown",
        },
        ["rate"] = Number(found.Rate > 0 ? found.Rate : null),
        ["low"] = Number(found.Interval?.Low),
        ["high"] = Number(found.Interval?.High),
        ["fullLoad"] = Number(found.Saturation),
        ["windows"] = Array(found.Windows.Select(one => Window(found, one.Window, one.IsKept))),
    };

    private static JsonObject Window(RateSearchResult found, RoundMetrics window, bool isKept)
    {
        var json = new JsonObject { ["rate"] = Number(window.Record.AskedRate), ["kept"] = isKept };
        foreach (var term in found.Objective.Terms)
            json[term.Name] = Number(RateSearchSentences.ValueOf(term, window));
        return json;
    }

    private static JsonObject Comparison(ArmComparison comparison)
    {
        var (verdict, estimate) = (comparison.Verdict, comparison.Verdict.Estimate);
        var isWithheld = verdict.Withheld.Length > 0;
        // If there are too few rounds for an interval, the number of missing rounds is exact. Otherwise the number of
        // rounds that would decide is a range.
        var missing = verdict.RoundsMissing > 0 ? verdict.RoundsMissing : (int?)null;
        return new JsonObject
        {
            ["metric"] = comparison.Metric.Id,
            ["reference"] = comparison.Reference.Key.Arm,
            ["ratio"] = Number(isWithheld ? null : estimate.Ratio),
            ["low"] = Number(isWithheld ? null : estimate.Interval?.Low),
            ["high"] = Number(isWithheld ? null : estimate.Interval?.High),
            ["verdict"] = verdict.Kind switch
            {
                VerdictKind.NoDifference => "no difference",
                VerdictKind.CannotTell => "cannot tell",
                _ => comparison.IsBetter ? "better" : "worse",
            },
            ["tooLittleToMatter"] = verdict.IsTooLittle,
            ["moreRoundsLeast"] = Number(missing ?? verdict.MoreRounds?.Least),
            ["moreRounds"] = Number(missing ?? verdict.MoreRounds?.Most),
            ["text"] = VerdictText.Describe(verdict, comparison.Metric),
        };
    }
}
