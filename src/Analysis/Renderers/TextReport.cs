using System.Text;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Layers;
using IpcBench.Analysis.Metrics;
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
            Append(text, file.Run);
            AppendPublished(text, file);
        }
        return TextBuilding.Printable(text.ToString());
    }

    private static void Append(StringBuilder text, MeasuredRun run)
    {
        foreach (var line in RunHeader.Lines(run))
            text.Line(line);
        if (run.Cells.All(cell => cell.Median == null))
        {
            text.Line().Line("No round was measured.");
            AppendDoubts(text, run);
            return;
        }
        text.Line().Line("Requests per second (median round)").Append(BarChart.Of(run));
        text.Line().Append(RunTables.Throughput(run).ToText());
        text.Line().Line("Latency (median round)").Append(RunTables.Latency(run).ToText());
        if (RunTables.Connections(run) is { IsEmpty: false } connections)
            text.Line().Line(RunHeader.Connections).Append(connections.ToText());
        AppendDoubts(text, run);
        var answers = Answers.Of(run);
        if (answers.Count == 0)
            return;
        if (run.Cells.Any(cell => run.ReferenceOf(cell) != null))
            text.Line().Line(RunHeader.Method(run));
        text.Line().Line("Answer");
        foreach (var answer in answers)
            text.Line("  " + answer);
        AppendOwnTables(text, run);
    }

    /// <summary>What the run was made for, where that is more than a comparison of transports.</summary>
    private static void AppendOwnTables(StringBuilder text, MeasuredRun run)
    {
        if (LayerBudget.Of(run) is { Count: > 0 } layers)
        {
            text.Line().Line(LayerText.Title).Append(LayerText.Bars(run, layers)).Line().Append(LayerText.Table(run, layers).ToText());
            text.Line(LayerText.Caption);
        }
        if (EchoTable.Fits(run))
            text.Line().Line(EchoTable.Title).Append(EchoTable.Of(run).ToText());
    }

    private static void AppendPublished(StringBuilder text, NamedRun file)
    {
        if (PublishedSection.Of(file).ToList() is { Count: > 0 } blocks)
            PublishedBlock.Append(text.Line().Line("Published"), blocks, markdown: false);
    }

    private static void AppendDoubts(StringBuilder text, MeasuredRun run)
    {
        var doubts = Doubt.Of(run);
        if (doubts.Count > 0)
            text.Line().Line("Doubts");
        foreach (var doubt in doubts)
            text.Line($"  [{doubt.Id}] {AdviceText.Both(doubt)}");
    }
}
