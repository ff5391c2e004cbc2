using IpcBench.Analysis.Metrics;
using static IpcBench.Analysis.Published.PublishedOrigin;

namespace IpcBench.Analysis.Published;

/// <summary>2023: gRPC over TCP, Unix socket and named pipe in .NET.</summary>
internal static class ArticleWriteUp
{
    /// <summary>What the article ran and called 400 connections.</summary>
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
            "As its repository shows, the client opens one gRPC channel for each of 5 threads and runs 80 calls at a time on each: 5 "
                + "connections of 80 streams, not 400 connections. TCP was measured as https://, with TLS; the Unix socket and the pipe in "
                + "the clear.",
            "Read in the original: TCP at 10 B and 100 B, first of three rounds. Second-hand: what a report of somebody else's quotes of "
                + "it, rounded; it also tells which sizes the 15 % and 50 % belong to. Its 15 % is 192,000 against 168,000 requests/s \"at "
                + "10 B\", while the original's first round has 168,352 at 100 B. The rest of its table could not be read.",
            "Here the client is leaner than Grpc.Net.Client (--client grpc-dotnet, where it is built in, is nearer), and the system may be "
                + "another.",
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
