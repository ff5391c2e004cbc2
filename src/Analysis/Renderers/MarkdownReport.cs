using System.Text;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Layers;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Renderers;

/// <summary>The tables for a README or a pull request.</summary>
public sealed class MarkdownReport : IReport
{
    public string Format => "markdown";

    public string Make(ReportModel model)
    {
        var text = new StringBuilder();
        foreach (var file in model.Files)
        {
            if (model.Files.Count > 1)
                text.Append(file == model.Files[0] ? "" : "\n").Line("## " + TextTable.Escape(file.Name)).Line();
            Append(text, file.Run);
            AppendPublished(text, file);
        }
        return TextBuilding.Printable(text.ToString());
    }

    private static void AppendPublished(StringBuilder text, NamedRun file)
    {
        if (PublishedSection.Of(file).ToList() is { Count: > 0 } blocks)
            PublishedBlock.Append(text.Line().Line("Published:").Line(), blocks, markdown: true);
    }

    private static void Append(StringBuilder text, MeasuredRun run)
    {
        foreach (var answer in Answers.Of(run))
            text.Line("- " + TextTable.Escape(answer));
        text.Line().Append(RunTables.Throughput(run).ToMarkdown());
        text.Line().Line("Latency of the median round:").Line().Append(RunTables.Latency(run).ToMarkdown());
        if (RunTables.Connections(run) is { IsEmpty: false } connections)
            text.Line().Line(RunHeader.Connections + ":").Line().Append(connections.ToMarkdown());
        if (LayerBudget.Of(run) is { Count: > 0 } layers)
            text.Line().Line(LayerText.Title + ":").Line().Append(LayerText.Table(run, layers).ToMarkdown()).Line().Line(LayerText.Caption);
        if (EchoTable.Fits(run))
            text.Line().Line(EchoTable.Title + ":").Line().Append(EchoTable.Of(run).ToMarkdown());
        if (RunTables.Verdicts(run) is { IsEmpty: false } verdicts)
            text.Line().Line(RunHeader.Method(run)).Line().Append(verdicts.ToMarkdown());
        if (Doubt.Of(run) is { Count: > 0 } doubts)
        {
            text.Line().Line("Doubts:").Line();
            foreach (var doubt in doubts)
                text.Line($"- {TextTable.Code(doubt.Id)} {TextTable.Escape(AdviceText.Both(doubt))}");
        }
        text.Line().Line("Measured with:").Line();
        foreach (var line in RunHeader.Lines(run))
            text.Line("- " + TextTable.Escape(line));
        text.Line($"- command: `GrpcBench {string.Join(' ', run.Record.CommandLine).Replace('`', '\'')}`".ReplaceLineEndings(" "));
    }
}
