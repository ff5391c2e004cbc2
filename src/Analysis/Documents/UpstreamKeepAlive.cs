using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Documents;

/// <summary>
/// For a proxy measured with and without connections that it keeps to the server behind it: what opening a connection for every call costs,
/// beside what the transport makes. The arms are told by their variants: <c>port</c> and <c>port keepalive</c>; where the server behind had
/// to be run in another way to keep connections, <c>port threads</c> is that way without keeping them.
/// </summary>
internal static class UpstreamKeepAlive
{
    private const string Kept = " keepalive", Control = " threads";

    public static IEnumerable<string> Lines(MeasuredRun run) => Arms.ByPoint(run).SelectMany(point => Lines(run, [.. point]));

    private static IEnumerable<string> Lines(MeasuredRun run, IReadOnlyList<MeasuredCell> cells)
    {
        var pairs = cells.Where(cell => cell.Key.Variant.EndsWith(Kept, StringComparison.Ordinal))
            .Select(kept => (Kept: kept, Opened: OpenedOf(cells, kept)))
            .Where(pair => pair.Opened != null).ToList();
        if (pairs.Count == 0)
            yield break;
        var name = Arms.NameOf(run, cells[0].Point);
        yield return $"{name}: connections kept between proxy and server, instead of one for every call: "
            + $"{TextBuilding.And([.. pairs.Select(pair => Against(run, pair.Kept, pair.Opened!))])}.";
        if (pairs is [var first, var second, ..])
            yield return $"{name}: the transport, with a connection for every call: {Against(run, second.Opened!, first.Opened!)}; with "
                + $"connections kept: {Against(run, second.Kept, first.Kept)}.";
    }

    private static MeasuredCell? OpenedOf(IReadOnlyList<MeasuredCell> cells, MeasuredCell kept)
    {
        var plain = kept.Key.Variant[..^Kept.Length];
        return cells.FirstOrDefault(cell => cell.Key.Variant == plain + Control) ?? cells.FirstOrDefault(cell => cell.Key.Variant == plain);
    }

    private static string Against(MeasuredRun run, MeasuredCell cell, MeasuredCell reference) =>
        ArmComparison.Of(run, cell, reference, ArmComparison.Headline(cell)) is { } comparison
            ? $"{cell.Key.Variant} {VerdictText.Ratio(comparison.Verdict.Estimate)} of {reference.Key.Variant}"
            : $"{cell.Key.Variant} has no common round with {reference.Key.Variant}";
}
