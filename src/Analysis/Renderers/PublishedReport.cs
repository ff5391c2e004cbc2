using System.Text;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Published;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Wording.TextBuilding;

namespace IpcBench.Analysis.Renderers;

/// <summary>The page that holds what people quote beside what was measured, in Markdown.</summary>
public sealed class PublishedReport : IReport
{
    public string Format => "published";

    public string Make(ReportModel model)
    {
        var text = new StringBuilder("# Published comparisons, measured again\n\n");
        text.Line("Made by `GrpcBench report results/published/*.json --format published -o docs/published-comparisons.md`: every number "
            + "of ours is computed from those files. Several files of one write-up (x86 and ARM, Linux and Windows) stand side by side.")
            .Line();
        text.Line("Absolute figures of different machines are not compared, ratios are. *Agrees*: the whole measured interval lies "
            + "within --delta of the published ratio. *Compatible*: it holds the published ratio and others the same way. *Differs*: the "
            + "whole interval lies beside it. *Cannot tell*: too few rounds, or the interval holds the published ratio and no difference "
            + "as well. *Known* says where a published number was read.").Line();
        text.Append(Summary(model).ToMarkdown());
        foreach (var published in WriteUps.All)
            Append(text, published, Of(model, published));
        AppendOthers(text, Of(model, null));
        return TextBuilding.Printable(text.ToString());
    }

    // By name, whatever the order in which a shell lists files.
    private static List<NamedRun> Of(ReportModel model, PublishedComparison? published) =>
        [.. model.Files.Where(file => WriteUps.Find(file.Run.Record.Scenario) == published)
            .OrderBy(file => file.Name, StringComparer.Ordinal)];

    private static TextTable Summary(ReportModel model)
    {
        var table = new TextTable("write-up", "quoted for", "run", "verdict") { Words = 4 };
        foreach (var published in WriteUps.All)
        {
            var files = Of(model, published);
            var name = Invariant($"{published.Author} {published.Year}");
            if (files.Count == 0)
                table.Add(name, published.Claim, "not measured here yet", "");
            foreach (var file in files)
                table.Add(name, published.Claim, file.Name, PublishedSection.Summary(published, file.Run));
        }
        return table;
    }

    private static void Append(StringBuilder text, PublishedComparison published, IReadOnlyList<NamedRun> files)
    {
        text.Line().Line($"## {published.Year}: {TextTable.Escape(published.Title)}").Line();
        MarkdownReport.Append(text, [.. PublishedSection.Of(published, files)]);
        text.Line().Line($"Repeat it: `{published.Command}`");
        foreach (var file in files)
            AppendOrigin(text, file, published.Command);
    }

    /// <summary>A script's own command stands above, and the one that it makes is long and full of free ports.</summary>
    private static void AppendOrigin(StringBuilder text, NamedRun file, string command = "GrpcBench")
    {
        var document = new Document(file);
        MarkdownReport.Append(text, document.Header with { Title = $"{file.Name} was measured with" });
        if (command.StartsWith("GrpcBench", StringComparison.Ordinal))
            text.Line(MarkdownReport.CommandOf(document));
        foreach (var doubt in Doubt.Of(file.Run))
            text.Line($"- doubt {TextTable.Code(doubt.Id)}: {TextTable.Escape(AdviceText.Doubt(doubt))}");
    }

    /// <summary>Runs that repeat no write-up: what they say helps to explain those that do.</summary>
    private static void AppendOthers(StringBuilder text, IReadOnlyList<NamedRun> files)
    {
        foreach (var file in files)
        {
            text.Line().Line(TextTable.Escape($"## Beside them: {file.Name}")).Line();
            var document = new Document(file);
            MarkdownReport.Append(text, document.Answer.Blocks);
            MarkdownReport.Append(text, document.Layers);
            AppendOrigin(text, file);
        }
    }
}
