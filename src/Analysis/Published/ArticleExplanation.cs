using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Published;

/// <summary>Takes the article's ratio apart: what is TLS, what is the topology, what is left for the transport.</summary>
internal sealed class ArticleExplanation : IExplanation
{
    private const int True = ArticleWriteUp.Connections * ArticleWriteUp.Streams;

    public Explained? Of(MeasuredRun run, PublishedComparison published)
    {
        var table = new TextTable("size", "against TCP", "published", "5 × 80, TCP with TLS", "5 × 80, all plaintext",
            "400 × 1, TCP with TLS", "400 × 1, all plaintext") { Words = 2 };
        var sentences = new List<string>();
        var sizes = run.Cells.Where(cell => cell.Median != null).Select(cell => (cell.Key.Size, cell.Key.Client)).Distinct()
            .Order().ToList();
        foreach (var (size, client) in sizes)
        {
            foreach (var transport in new[] { "unix", "pipe" }.Where(name => Few(run, size, client, name) != null
                || Many(run, size, client, name) != null))
            {
                var name = sizes.Exists(other => other.Client != client) ? $"{transport} {client}" : transport;
                var claim = published.Ratios.FirstOrDefault(ratio => ratio.Cell.Size == size && ratio.Cell.Transport == transport
                    && ratio.Reference.Transport == "tls");
                table.Add([Quantity.Size(size), name, claim?.Text ?? Quantity.None, .. Columns(run, size, client, transport).Select(Text)]);
                sentences.Add($"{Quantity.Size(size)}, {name}: "
                    + $"{(claim == null ? "" : $"published {claim.Text}; ")}{Words(run, size, client, transport)}");
            }
        }
        return table.IsEmpty ? null : new Explained("Where the published difference comes from (requests/s against TCP, pairs of the same "
            + "round)", table, sentences);
    }

    private static RatioEstimate?[] Columns(MeasuredRun run, long size, string client, string transport) =>
    [
        Against(run, Few(run, size, client, transport), Few(run, size, client, "tls")),
        Against(run, Few(run, size, client, transport), Few(run, size, client, "tcp")),
        Against(run, Many(run, size, client, transport), Many(run, size, client, "tls")),
        Against(run, Many(run, size, client, transport), Many(run, size, client, "tcp")),
    ];

    private static string Words(MeasuredRun run, long size, string client, string transport)
    {
        var columns = Columns(run, size, client, transport);
        var tls = Against(run, Few(run, size, client, "tcp"), Few(run, size, client, "tls"));
        var topology = RatioOfRatios.Of(run,
            (Many(run, size, client, transport), Many(run, size, client, "tcp")),
                (Few(run, size, client, transport), Few(run, size, client, "tcp")));
        return $"measured its way {Text(columns[0])}. Of that TLS is a factor {Text(tls)}{Undecided(tls)}, and 5 connections of 80 streams "
            + $"instead of 400 connections a factor "
            + $"{Text(topology)}{Undecided(topology)}; left for the transport, with {True} connections and nothing encrypted, "
            + $"{Text(columns[3])}{Undecided(columns[3])}.{(
            columns[0] is { Interval: null } ? " Too few rounds for intervals: none of this is sure." : "")}";
    }

    private static string Undecided(RatioEstimate? estimate) => estimate?.Interval is { } interval && interval.Contains(1)
        ? " (cannot be told from 1)" : "";

    private static RatioEstimate? Against(MeasuredRun run, MeasuredCell? cell, MeasuredCell? reference) =>
        cell != null && reference != null ? ArmComparison.Of(run, cell, reference, Metric.Rate)?.Verdict.Estimate : null;

    private static MeasuredCell? Few(MeasuredRun run, long size, string client, string transport) =>
        Choice(size, transport, ArticleWriteUp.Connections, ArticleWriteUp.Streams).In(run, client);

    private static MeasuredCell? Many(MeasuredRun run, long size, string client, string transport) =>
        Choice(size, transport, True, 1).In(run, client);

    private static CellChoice Choice(long size, string transport, int connections, int streams) =>
        new() { Protocol = "grpc", Transport = transport, Size = size, Connections = connections, Streams = streams };

    private static string Text(RatioEstimate? estimate) => estimate == null ? Quantity.None : VerdictText.Ratio(estimate);
}
