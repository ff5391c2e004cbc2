using IpcBench.Analysis.Metrics;

namespace IpcBench.Analysis.Published;

/// <summary>2021: messages between two C programs over sockets, pipes and shared memory.</summary>
internal static class IpcBenchWriteUp
{
    public static PublishedComparison Comparison { get; } = new()
    {
        Scenario = "echo",
        Title = "IPC-Bench",
        Author = "Peter Goldsborough",
        Year = 2021,
        Where = "github.com/goldsborough/ipc-bench",
        Claim = "shared memory is 36 times as fast as a Unix socket with 100 B, and 13 times as fast with 1,000 B",
        Setup = "Two C programs. One message of 100 B or 1,000 B goes to the other program and back (over the pipe only to the "
            + "other program), then the next.",
        Machine = "Intel Core i5-4590S, Ubuntu 20.04.1",
        Command = "GrpcBench echo --transports tcp,unix,stdio,shm --wait spin,futex -s 100,1000 -d 300ms -r 10",
        Remarks =
        [
            "As the repository's code shows, both ends of the shared memory spin: each reads one byte again and again until the other end "
                + "changes it. With the pipe, both ends wait for a Unix signal, and the answer is only a signal.",
            "Here every message goes both ways on all transports, and the client checks every byte.",
        ],
        Shown = Metric.Rate,
        Figures =
        [
            Figure("TCP, 100 B", "tcp", 100, 70_221),
            Figure("Unix socket, 100 B", "unix", 100, 130_372),
            Figure("pipe, 100 B", "stdio", 100, 162_441),
            new("shared memory, 100 B", Memory(100), Metric.Rate, 4_702_557),
            Figure("TCP, 1,000 B", "tcp", 1000, 67_901),
            Figure("Unix socket, 1,000 B", "unix", 1000, 127_582),
            Figure("pipe, 1,000 B", "stdio", 1000, 155_404),
            new("shared memory, 1,000 B", Memory(1000), Metric.Rate, 1_659_291),
        ],
        Ratios =
        [
            Ratio("Unix socket against TCP, 100 B", Cell("unix", 100), Cell("tcp", 100), 130_372.0 / 70_221),
            Ratio("pipe against Unix socket, 100 B", Cell("stdio", 100), Cell("unix", 100), 162_441.0 / 130_372),
            Ratio("shared memory against Unix socket, 100 B", Memory(100), Cell("unix", 100), 4_702_557.0 / 130_372),
            Ratio("Unix socket against TCP, 1,000 B", Cell("unix", 1000), Cell("tcp", 1000), 127_582.0 / 67_901),
            Ratio("pipe against Unix socket, 1,000 B", Cell("stdio", 1000), Cell("unix", 1000), 155_404.0 / 127_582),
            Ratio("shared memory against Unix socket, 1,000 B", Memory(1000), Cell("unix", 1000), 1_659_291.0 / 127_582),
        ],
        Explanations = [new WaitExplanation()],
    };

    private static PublishedFigure Figure(string what, string transport, long size, double rate) =>
        new(what, Cell(transport, size), Metric.Rate, rate);

    private static PublishedRatio Ratio(string what, CellChoice cell, CellChoice reference, double ratio) =>
        new(what, cell, reference, ratio, ratio);

    private static CellChoice Memory(long size) => Cell("shm", size) with { Variant = "wait=spin" };

    private static CellChoice Cell(string transport, long size) =>
        new() { Protocol = "echo", Transport = transport, Size = size, Connections = 1, Streams = 1 };
}
