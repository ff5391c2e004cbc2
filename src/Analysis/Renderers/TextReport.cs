using System.Text;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Renderers;

/// <summary>For a terminal: bars, tables, doubts, and the answer last.</summary>
public sealed class TextReport : IReport
{
    public string Format => "text";

    public string Make(ReportModel model)
    {
        var text = new StringBuilder();
        foreach (var file in model.Files)
        {
            if (model.Files.Count > 1)
                text.Append(file == model.Files[0] ? "" : "\n").Line($"### {file.Name}").Line();
            Append(text, new Document(file));
        }
        return TextBuilding.Printable(text.ToString());
    }

    private static Section[] Sections(Document document) => document.IsMeasured
        ?
        [
            document.Throughput, document.Latency, document.Connections, document.Doubts, document.Method, document.Answer,
            document.Layers, document.RoundTrips, document.Published,
        ]
        : [document.Doubts];

    private static void Append(StringBuilder text, Document document)
    {
        foreach (var line in document.Header.Blocks.SelectMany(block => block.Sentences))
            text.Line(line);
        if (!document.IsMeasured)
            text.Line().Line("No round was measured.");
        foreach (var section in Sections(document).Where(section => !section.IsEmpty))
        {
            text.Line();
            if (section.Title.Length > 0)
                text.Line(section.Title);
            foreach (var (i, block) in section.Blocks.Index())
                Append(i == 0 ? text : text.Line(), block);
        }
    }

    private static void Append(StringBuilder text, Block block)
    {
        if (block.Caption.Length > 0)
            text.Line(block.Caption);
        if (block.Bars.Length > 0)
            text.Append(block.Bars).Line();
        text.Append(block.Table?.ToText());
        if (block.Note.Length > 0)
            text.Line(block.Note);
        foreach (var sentence in block.Sentences)
            text.Line("  " + sentence);
        foreach (var doubt in block.Doubts)
            text.Line($"  [{doubt.Id}] {AdviceText.Both(doubt)}");
    }
}
