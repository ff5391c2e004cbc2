using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Published;

/// <summary>
/// How much of a difference behind a proxy is the setting up of connections: each arm beside the same with upstream keep-alive. Where the
/// server that keeps connections is another one than the published (a worker that cannot keep them), the arm that has that server without
/// keeping is what it is held against.
/// </summary>
internal sealed class KeepAliveExplanation : IExplanation
{
    private const string KeptAlive = " keepalive", SameServer = " threads";

    public Explained? Of(MeasuredRun run, PublishedComparison published)
    {
        var table = new TextTable("arm", "a connection per request", "kept alive", "gain of keep-alive") { Words = 1 };
        foreach (var choice in published.Ratios.SelectMany(ratio => new[] { ratio.Reference, ratio.Cell }).Distinct())
        {
            if (Pair.Of(run, choice) is { } pair)
                table.Add(pair.Plain.Key.Variant, Metric.Rate.Show(pair.Plain.Median!), Metric.Rate.Show(pair.Kept.Median!),
                    Text(run, pair.Kept, pair.Plain));
        }
        var sentences = published.Ratios.Select(ratio => Sentence(run, ratio)).OfType<string>().ToList();
        return table.IsEmpty ? null : new Explained("With keep-alive between the proxy and the application (requests/s)", table, sentences);
    }

    private static string? Sentence(MeasuredRun run, PublishedRatio ratio)
    {
        if (Pair.Of(run, ratio.Cell) is not { } cell || Pair.Of(run, ratio.Reference) is not { } reference)
            return null;
        var part = RatioOfRatios.Of(run, (cell.Kept, reference.Kept), (cell.Plain, reference.Plain));
        return $"{cell.Plain.Key.Variant} against {reference.Plain.Key.Variant}: {Text(run, cell.Plain, reference.Plain)} with a "
            + $"connection per request, "
            + $"{Text(run, cell.Kept, reference.Kept)} with keep-alive. {Share(part)}";
    }

    private static string Share(RatioEstimate? part) => part switch
    {
        null or { Interval: null } => "Too few rounds to say what setting up connections contributes.",
        { Interval: { } interval } when interval.Contains(1) =>
            $"What setting up connections contributes to it cannot be told from nothing: a factor {VerdictText.Ratio(part)}.",
        _ => $"Setting up connections contributes a factor {VerdictText.Ratio(part)} to it; what is left with keep-alive is moving bytes.",
    };

    private static string Text(MeasuredRun run, MeasuredCell cell, MeasuredCell reference) =>
        ArmComparison.Of(run, cell, reference, Metric.Rate) is { } comparison ? VerdictText.Ratio(comparison.Verdict.Estimate)
            : Quantity.None;

    private sealed record Pair(MeasuredCell Plain, MeasuredCell Kept)
    {
        public static Pair? Of(MeasuredRun run, CellChoice choice) =>
            (With(choice, SameServer).In(run) ?? choice.In(run)) is { } plain && With(choice, KeptAlive)
                .In(run, plain.Key.Client) is { } kept ? new Pair(plain, kept) : null;

        private static CellChoice With(CellChoice choice, string ending) => choice with { Variant = choice.Variant + ending };
    }
}
