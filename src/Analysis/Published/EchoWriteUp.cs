using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Published;

/// <summary>2014: raw echo in Node.js.</summary>
internal static class EchoWriteUp
{
    public static PublishedComparison Comparison { get; } = new()
    {
        Scenario = "echo",
        Title = "Unix Domain Sockets vs Loopback TCP Sockets",
        Author = "nicmcd (Mr. Digital)",
        Year = 2014,
        Where = "nicisdigital.wordpress.com/2014/03/03/unix-domain-sockets-vs-loopback-tcp-sockets, github.com/nicmcd/uds_vs_tcp",
        Claim = "Unix sockets are 2 to 3 times as fast as TCP",
        Setup = "Raw echo, client and server in Node.js: one connection, one packet at a time, 100,000 packets of each size from 1 B to 16 "
            + "KiB (powers of two), 10 runs one after the other.",
        Machine = "Intel E5-2620 v2, Ubuntu 13.10",
        Command = "GrpcBench echo",
        Remarks =
        [
            "The results were published as a graph: its values could not be read, so every size is held against the 2 to 3 times that the "
                + "write-up is quoted for. The repository's README says about 3 times for packets of 1,000 B; 1,024 B is measured here.",
            "Here both sides are .NET and the rounds of all sizes and transports are interleaved.",
        ],
        Shown = Metric.Mean,
        Ratios =
        [
            .. Enumerable.Range(0, 15).Select(power => Unix(1 << power, Quantity.Size(1 << power), 2, 3, PublishedOrigin.AsReported)),
            Unix(1024, "1,000 B", 3, 3, PublishedOrigin.Original),
        ],
        Explanations = [new EchoExplanation()],
    };

    private static PublishedRatio Unix(long size, string named, double low, double high, PublishedOrigin origin) =>
        new($"Unix socket against TCP, {named}", Cell("unix", size), Cell("tcp", size), low, high, origin);

    private static CellChoice Cell(string transport, long size) => new() { Protocol = "echo", Transport = transport, Size = size };
}
