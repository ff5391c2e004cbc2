using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Published;

/// <summary>
/// How much of a port's disadvantage across a boundary is its being forwarded: an arm that reaches the same port without the forwarder.
/// </summary>
internal sealed class ForwardingExplanation : IExplanation
{
    private const string WithoutForwarder = " direct";

    public Explained? Of(MeasuredRun run, PublishedComparison published)
    {
        var ratio = published.Ratios[0];
        var direct = (ratio.Reference with { Variant = ratio.Reference.Variant + WithoutForwarder }).In(run);
        if (direct == null || ratio.Reference.In(run, direct.Key.Client) is not { } forwarded
            || ratio.Cell.In(run, direct.Key.Client) is not { } other)
            return null;
        var table = new TextTable("arm", "requests/s", "ratio to " + forwarded.Key.Variant) { Words = 1 };
        table.Add(forwarded.Key.Variant, Metric.Rate.Show(forwarded.Median!), Quantity.None);
        table.Add(direct.Key.Variant, Metric.Rate.Show(direct.Median!), Text(run, direct, forwarded));
        table.Add(other.Key.Variant, Metric.Rate.Show(other.Median!), Text(run, other, forwarded));
        return new Explained("With the port reached without its forwarder", table,
        [
            $"{other.Key.Variant} against the forwarded port: {Text(run, other, forwarded)}. Of that forwarding is a factor "
                + $"{Text(run, direct, forwarded)}; "
            + $"{other.Key.Variant} against the same port without a forwarder: {Text(run, other, direct)}.",
        ]);
    }

    private static string Text(MeasuredRun run, MeasuredCell cell, MeasuredCell reference) =>
        ArmComparison.Of(run, cell, reference, Metric.Rate) is { } comparison ? VerdictText.Ratio(comparison.Verdict.Estimate)
            : Quantity.None;
}
