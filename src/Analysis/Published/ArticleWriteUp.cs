using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;
using static IpcBench.Analysis.Published.PublishedOrigin;

namespace IpcBench.Analysis.Published;

/// <summary>2023: gRPC over TCP, Unix socket and named pipe in .NET.</summary>
internal static class ArticleWriteUp
{
    /// <summary>The connections and streams that the article measured. Its text says 400 connections.</summary>
    public const int Connections = 5, Streams = 80;

    public static PublishedComparison Comparison { get; } = new()
    {
        Scenario = "article",
        Title = "Benchmark TCP/IP, Unix domain socket and Named pipe",
        Author = "yanxurui",
        Year = 2023,
        Where = "www.yanxurui.cc/posts/server/2023-11-28-benchmark-tcp-uds-namedpipe, github.com/yanxurui/keepcoding (c#/GrpcBenchmark)",
        Claim = "a Unix socket answers 15 % more small and about 50 % more large gRPC calls than TCP",
        Setup = "gRPC in .NET on Windows, replies of 10 B to 1 MB, \"5 threads and 400 connections\", 20 s each, the median of 3 runs, one "
            + "transport after the other.",
        Machine = "Windows; nothing more could be read",
        Command = "GrpcBench article",
        Remarks =
        [
            "As the article's repository shows, the client opens one gRPC channel for each of 5 threads and runs 80 calls at a time "
                + "on each: 5 connections of 80 streams, not 400 connections. TCP was measured as https://, with TLS; the Unix socket "
                + "and the pipe without encryption.",
            "Read in the original: TCP at 10 B and 100 B, first of three rounds. Second-hand: rounded figures that somebody else's report "
                + "quotes; the report also says which sizes the 15 % and 50 % belong to. The report's 15 % is 192,000 against 168,000 "
                + "requests/s \"at 10 B\", but the original's first round has 168,352 at 100 B. The rest of the original's table could not "
                + "be read.",
            "Here the client is leaner than Grpc.Net.Client (--client grpc-dotnet is more similar), and the operating "
                + "system may differ.",
        ],
        Shown = Metric.Rate,
        Figures =
        [
            Figure("TCP with TLS, 10 B, first round", "tls", 10, Metric.Rate, 154_696, Original),
            Figure("TCP with TLS, 10 B, first round", "tls", 10, Metric.Mean, 2.59e6, Original),
            Figure("TCP with TLS, 100 B, first round", "tls", 100, Metric.Rate, 168_352, Original),
            Figure("TCP with TLS, 100 B, first round", "tls", 100, Metric.Mean, 2.38e6, Original),
            Figure("Unix socket, 10 B", "unix", 10, Metric.Rate, 192_000, SecondHand),
            Figure("TCP with TLS, 100 kB", "tls", 100_000, Metric.Rate, 16_500, SecondHand),
            Figure("Unix socket, 100 kB", "unix", 100_000, Metric.Rate, 24_500, SecondHand),
            Figure("TCP with TLS, 1 MB", "tls", 1_000_000, Metric.Rate, 1_600, SecondHand),
            Figure("Unix socket, 1 MB", "unix", 1_000_000, Metric.Rate, 2_500, SecondHand),
            Figure("Unix socket, 1 MB", "unix", 1_000_000, Metric.Mean, 162e6, SecondHand),
            Figure("named pipe, 1 MB", "pipe", 1_000_000, Metric.Mean, 497e6, SecondHand),
        ],
        Ratios =
        [
            Ratio("Unix socket against TCP with TLS, 10 B", "unix", 10, 1.15, AsReported),
            Ratio("Unix socket against TCP with TLS, 100 kB", "unix", 100_000, 24.5 / 16.5, SecondHand),
            Ratio("Unix socket against TCP with TLS, 1 MB", "unix", 1_000_000, 2.5 / 1.6, SecondHand),
            new("named pipe against Unix socket, 1 MB", Cell("pipe", 1_000_000), Cell("unix", 1_000_000), 162.0 / 497, 162.0 / 497,
                SecondHand),
        ],
        Explanations = [new ArticleExplanation()],
    };

    private static PublishedFigure Figure(string what, string transport, long size, Metric metric, double value, PublishedOrigin origin) =>
        new(what, Cell(transport, size), metric, value, origin);

    private static PublishedRatio Ratio(string what, string transport, long size, double ratio, PublishedOrigin origin) =>
        new(what, Cell(transport, size), Cell("tls", size), ratio, ratio, origin);

    private static CellChoice Cell(string transport, long size) =>
        new() { Protocol = "grpc", Transport = transport, Size = size, Connections = Connections, Streams = Streams };
}

/// <summary>Splits the ratio of the article into the effects of TLS, of connections and streams, and of the transport.</summary>
internal sealed class ArticleExplanation : IExplanation
{
    private const int True = ArticleWriteUp.Connections * ArticleWriteUp.Streams;

    public Explained? Explain(MeasuredRun run, PublishedComparison published)
    {
        var table = new TextTable("size", "against TCP", "published", "5 × 80, TCP with TLS", "5 × 80, all plaintext",
            "400 × 1, TCP with TLS", "400 × 1, all plaintext")
        { Words = 2 };
        var sentences = new List<string>();
        var sizes = run.Cells.Where(cell => cell.Median is not null).Select(cell => (cell.Key.Size, cell.Key.Client)).Distinct()
            .Order().ToList();
        foreach (var (size, client) in sizes)
        {
            foreach (var transport in new[] { "unix", "pipe" }.Where(name => Few(run, size, client, name) is not null
                || Many(run, size, client, name) is not null))
            {
                var name = sizes.Exists(other => other.Client != client) ? $"{transport} {client}" : transport;
                var claim = published.Ratios.FirstOrDefault(ratio => ratio.Cell.Size == size && ratio.Cell.Transport == transport
                    && ratio.Reference.Transport == "tls");
                table.Add([Quantity.Size(size), name, claim?.Text ?? Quantity.None, .. Columns(run, size, client, transport).Select(Text)]);
                sentences.Add($"{Quantity.Size(size)}, {name}: "
                    + $"{(claim is null ? "" : $"published {claim.Text}; ")}{Words(run, size, client, transport)}");
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
        var topology = columns[1] is null || columns[3] is null ? null : RatioOfRatios.Compute(run,
            (Many(run, size, client, transport), Many(run, size, client, "tcp")),
                (Few(run, size, client, transport), Few(run, size, client, "tcp")));
        return $"measured as in the article {Text(columns[0])}. TLS contributes a factor {Text(tls)}{Undecided(tls)}, and 5 connections of "
            + $"80 streams instead of 400 connections a factor "
            + $"{Text(topology)}{Undecided(topology)}; the transport itself, with {True} connections and no encryption, "
            + $"gives {Text(columns[3])}{Undecided(columns[3])}.{(
            columns[0] is { Interval: null } ? " There are too few rounds for intervals, so no factor is sure." : "")}";
    }

    private static string Undecided(RatioEstimate? estimate) => estimate?.Interval is { } interval && interval.Contains(1)
        ? " (the interval contains 1)" : "";

    /// <summary>Compares requests/s. Null when a cell is missing or the verdict is withheld.</summary>
    private static RatioEstimate? Against(MeasuredRun run, MeasuredCell? cell, MeasuredCell? reference) => cell is not null
        && reference is not null && ArmComparison.Compare(run, cell, reference, Metric.Rate)?.Verdict is { Withheld.Length: 0 } verdict
            ? verdict.Estimate : null;

    private static MeasuredCell? Few(MeasuredRun run, long size, string client, string transport) =>
        Choice(size, transport, ArticleWriteUp.Connections, ArticleWriteUp.Streams).In(run, client);

    private static MeasuredCell? Many(MeasuredRun run, long size, string client, string transport) =>
        Choice(size, transport, True, 1).In(run, client);

    private static CellChoice Choice(long size, string transport, int connections, int streams) =>
        new() { Protocol = "grpc", Transport = transport, Size = size, Connections = connections, Streams = streams };

    private static string Text(RatioEstimate? estimate) => estimate is null ? Quantity.None : VerdictText.Ratio(estimate);
}
