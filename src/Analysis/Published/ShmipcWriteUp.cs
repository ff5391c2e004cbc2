using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Published;

/// <summary>2023: ping-pong in Go over a Unix socket and a library for shared memory.</summary>
internal static class ShmipcWriteUp
{
    private static readonly (long Size, double MemoryNs, double UnixNs)[] Published =
        [(64, 1970, 2657), (4 << 10, 2063, 3093), (64 << 10, 1995, 10_259), (1 << 20, 1873, 283_729)];

    public static PublishedComparison Comparison { get; } = new()
    {
        Scenario = "echo",
        Title = "shmipc-go, Performance Testing",
        Author = "CloudWeGo",
        Year = 2023,
        Where = "github.com/cloudwego/shmipc-go (README.md, bench_test.go)",
        Claim = "shared memory is 1.3 times as fast as a Unix socket with 64 B, and 151 times as fast with 1 MiB",
        Setup = "A Go benchmark with client and server in one process, 40 packets in flight, 64 B to 4 MiB.",
        Machine = "Intel Xeon E5-2630 v4, 40 logical CPUs",
        Command = "GrpcBench echo --transports tcp,unix,socketpair,stdio,shm --wait futex,eventfd,spin=20us,spin -s 64,4KiB,64KiB,1MiB "
            + "-m 1,64 -d 300ms -r 8",
        Remarks =
        [
            "As bench_test.go of 2023 shows, the arm with shared memory writes no bytes and reads none: it moves a position by the "
                + "size. So 1 MiB takes as long as 64 B, and the table states 1,119,401 MB/s. The Unix socket copies every byte twice in "
                + "each direction.",
            "Here all arms write every byte, and the client checks every byte. All arms have one connection with 64 packets in flight; the "
                + "original has 40 connections of the Unix socket.",
        ],
        Shown = Metric.Rate,
        Figures = [.. Published.SelectMany(one => new[]
        {
            new PublishedFigure($"Unix socket, {Quantity.Size(one.Size)}", Cell("unix", one.Size), Metric.Rate, 1e9 / one.UnixNs),
            new PublishedFigure($"shared memory, {Quantity.Size(one.Size)}", Memory(one.Size), Metric.Rate, 1e9 / one.MemoryNs),
        })],
        Ratios = [.. Published.Select(one => new PublishedRatio($"shared memory against Unix socket, {Quantity.Size(one.Size)}",
            Memory(one.Size), Cell("unix", one.Size), one.UnixNs / one.MemoryNs, one.UnixNs / one.MemoryNs))],
        Explanations = [new WaitExplanation()],
    };

    // The library wakes the other side by a byte on a Unix socket, so eventfd is the most similar way of waiting.
    private static CellChoice Memory(long size) => Cell("shm", size) with { Variant = "wait=eventfd" };

    private static CellChoice Cell(string transport, long size) =>
        new() { Protocol = "echo", Transport = transport, Size = size, Connections = 1, Streams = 64 };
}
