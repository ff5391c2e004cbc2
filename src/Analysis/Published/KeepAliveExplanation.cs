using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Measures;
using IpcBench.Analysis.Reports;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Published;

/// <summary>How much of a difference behind a proxy is the setting up of connections: each arm beside the same with upstream keep-alive.</summary>
internal sealed class KeepAliveExplanation(string transport, string protocol) : IExplanation
{
    private const string Kept = " keepalive";

    public Explained? Of(MeasuredRun run, PublishedComparison published)
    {
        var table = new TextTable("arm", "a connection per request", "kept alive", "gain of keep-alive") { Words = 1 };
        var sentences = new List<string>();
        foreach (var ratio in published.Ratios)
        {
            if (Four(run, ratio) is { } cells)
                sentences.Add(Sentence(run, ratio, cells));
        }
        foreach (var choice in published.Ratios.SelectMany(ratio => new[] { ratio.Reference, ratio.Cell }).Distinct())
        {
            if (choice.In(run) is { } plain && WithKeepAlive(run, choice, plain) is { } kept)
                table.Add(choice.Variant, Metrics.Rate.Show(plain.Median!), Metrics.Rate.Show(kept.Median!), Text(ArmComparison.Of(run, kept, plain, Metrics.Rate)));
        }
        return table.IsEmpty ? null : new Explained("With keep-alive between the proxy and the application (requests/s)", table, sentences);
    }

    private static (MeasuredCell Cell, MeasuredCell Reference, MeasuredCell KeptCell, MeasuredCell KeptReference)? Four(MeasuredRun run, PublishedRatio ratio) =>
        ratio.Cell.In(run) is { } cell && ratio.Reference.In(run, cell.Key.Client) is { } reference
        && WithKeepAlive(run, ratio.Cell, cell) is { } keptCell && WithKeepAlive(run, ratio.Reference, reference) is { } keptReference
            ? (cell, reference, keptCell, keptReference) : null;

    private static MeasuredCell? WithKeepAlive(MeasuredRun run, CellChoice choice, MeasuredCell like) =>
        (choice with { Variant = choice.Variant + Kept }).In(run, like.Key.Client);

    private string Sentence(MeasuredRun run, PublishedRatio ratio, (MeasuredCell Cell, MeasuredCell Reference, MeasuredCell KeptCell, MeasuredCell KeptReference) cells)
    {
        var without = ArmComparison.Of(run, cells.Cell, cells.Reference, Metrics.Rate);
        var with = ArmComparison.Of(run, cells.KeptCell, cells.KeptReference, Metrics.Rate);
        var part = RatioOfRatios.Of(run, (cells.KeptCell, cells.KeptReference), (cells.Cell, cells.Reference));
        return $"{ratio.Cell.Variant} against {ratio.Reference.Variant} ({protocol} over {transport}): {Text(without)} with a connection per request, {Text(with)} with keep-alive. {Share(part)}";
    }

    private static string Share(RatioEstimate? part) => part switch
    {
        null or { Interval: null } => "Too few rounds to say what setting up connections contributes.",
        { Interval: { } interval } when interval.Contains(1) => $"What setting up connections contributes to it cannot be told from nothing: a factor {VerdictText.Ratio(part)}.",
        _ => $"Setting up connections contributes a factor {VerdictText.Ratio(part)} to it; the rest is moving bytes.",
    };

    private static string Text(ArmComparison? comparison) => comparison == null ? Quantity.None : VerdictText.Ratio(comparison.Verdict.Estimate);
}
