using System.Globalization;
using System.Text;
using System.Xml;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Renderers;

/// <summary>
/// JUnit's XML, which build servers show as tests. It has a suite for each file, with a test for the ending of the run
/// and a test for each cell. A cell's test fails if calls failed, and is skipped if nothing was measured. A slow result
/// does not make a test fail: <c>--fail-on</c> sets limits for results.
/// </summary>
public sealed class JunitReport : IReport
{
    public string Format => "junit";

    public string Make(ReportModel model)
    {
        using var bytes = new MemoryStream();
        var settings = new XmlWriterSettings { Indent = true, NewLineChars = "\n", Encoding = new UTF8Encoding(false) };
        using (var xml = XmlWriter.Create(bytes, settings))
        {
            xml.WriteStartElement("testsuites");
            Attribute(xml, "name", "IpcBench");
            var cells = Series.From(model).ToLookup(series => series.File);
            foreach (var file in model.Files)
                WriteSuite(xml, file, [.. cells[file]]);
            xml.WriteEndElement();
        }
        return Encoding.UTF8.GetString(bytes.GetBuffer(), 0, (int)bytes.Length) + "\n";
    }

    private static void WriteSuite(XmlWriter xml, NamedRun file, List<Series> cells)
    {
        var (record, name) = (file.Run.Record, file.Name.Length == 0 ? "IpcBench" : file.Name);
        var isComplete = record.Ending == RunEnding.Complete;
        xml.WriteStartElement("testsuite");
        Attribute(xml, "name", name);
        Attribute(xml, "tests", Invariant($"{cells.Count + 1}"));
        Attribute(xml, "failures", Invariant($"{cells.Count(cell => Failure(cell) is not null)}"));
        Attribute(xml, "errors", isComplete ? "0" : "1");
        Attribute(xml, "skipped", Invariant($"{cells.Count(IsSkipped)}"));
        Attribute(xml, "time", Seconds(cells.Sum(WindowNs)));
        Attribute(xml, "timestamp", record.Started.UtcDateTime.ToString("yyyy-MM-ddTHH:mm:ss", CultureInfo.InvariantCulture));
        xml.WriteStartElement("properties");
        foreach (var (property, value) in new[] { ("tool", record.ToolVersion), ("os", record.Host.Os), ("cpu", record.Host.CpuModel),
            ("runtime", record.Host.Runtime) })
        {
            xml.WriteStartElement("property");
            Attribute(xml, "name", property);
            Attribute(xml, "value", value);
            xml.WriteEndElement();
        }
        xml.WriteEndElement();
        StartCase(xml, name, "the run is complete", 0);
        if (!isComplete)
            WriteMessage(xml, "error", $"The run's ending is \"{record.Ending}\".");
        xml.WriteEndElement();
        foreach (var cell in cells)
            WriteCase(xml, name, cell);
        WriteText(xml, "system-out", Answers.For(file.Run));
        WriteText(xml, "system-err", Doubt.Find(file.Run).Select(doubt => $"[{doubt.Id}] {AdviceText.Doubt(doubt)}"));
        xml.WriteEndElement();
    }

    private static void WriteCase(XmlWriter xml, string suite, Series series)
    {
        StartCase(xml, suite, series.Name, WindowNs(series));
        if (IsSkipped(series))
            WriteMessage(xml, "skipped", "No round was measured.");
        else if (Failure(series) is { } failure)
            WriteMessage(xml, "failure", failure);
        WriteText(xml, "system-out",
        [
            .. Series.Followed.Where(metric => series.Cell.Value(metric) is not null)
                .Select(metric => $"{metric.Title}: {series.Cell.Show(metric)}"),
            .. series.Comparisons().Select(comparison => $"{comparison.Metric.Title} against {comparison.Reference.Key.Arm}: "
                + VerdictText.Describe(comparison.Verdict, comparison.Metric)),
        ]);
        xml.WriteEndElement();
    }

    private static bool IsSkipped(Series series) => series.Cell is { Rounds.Count: 0, Windows.Count: 0 };

    private static string? Failure(Series series) => CallDoubts.Failures(series.File.Run, series.Cell)?.Text;

    private static long WindowNs(Series series) => series.Cell.Rounds.Concat(series.Cell.Windows).Sum(round => round.Record.WindowNs);

    private static void StartCase(XmlWriter xml, string suite, string name, long ns)
    {
        xml.WriteStartElement("testcase");
        Attribute(xml, "classname", suite);
        Attribute(xml, "name", name);
        Attribute(xml, "time", Seconds(ns));
    }

    private static void WriteMessage(XmlWriter xml, string element, string message)
    {
        xml.WriteStartElement(element);
        Attribute(xml, "message", message);
        xml.WriteEndElement();
    }

    private static void WriteText(XmlWriter xml, string element, IEnumerable<string> lines)
    {
        if (string.Join('\n', lines) is { Length: > 0 } text)
            xml.WriteElementString(element, OfXml(text));
    }

    private static void Attribute(XmlWriter xml, string name, string value) => xml.WriteAttributeString(name, OfXml(value));

    /// <summary>Replaces U+FFFE, U+FFFF and lone surrogates, which the XML writer rejects.</summary>
    private static string OfXml(string text) => string.Concat(PrintableText.Of(text).EnumerateRunes()
        .Select(rune => rune.Value is 0xFFFE or 0xFFFF ? Rune.ReplacementChar : rune));

    private static string Seconds(long ns) => (ns / 1e9).ToString("0.###", CultureInfo.InvariantCulture);
}
