using IpcBench.Analysis.Metrics;

namespace IpcBench.Analysis.Published;

/// <summary>2021: requests and replies on Windows over a named pipe, a Unix socket and TCP.</summary>
internal static class NngWriteUp
{
    private const double Tcp = 63_809.05, Unix = 84_359.45, Pipe = 114_980.23;

    public static PublishedComparison Comparison { get; } = new()
    {
        Scenario = "echo",
        Title = "Performance of ipc/tcp in req/rep with single client/server",
        Author = "xoofx",
        Year = 2021,
        Where = "github.com/nanomsg/nng/issues/1528",
        Claim = "a named pipe answers within 8.7 µs, a Unix socket within 11.9 µs, TCP within 15.7 µs",
        Setup = "Windows 11: a message of 128 B goes to the server and back, then the next, without a library. With the library nng the "
            + "order was the reverse: 51.2 µs over its named pipe, 44.1 µs over TCP.",
        Machine = "Windows 11 x64",
        Command = "GrpcBench echo -s 128",
        IsOfWindows = true,
        Remarks = ["Windows has its own named pipes and its own Unix sockets, so runs on other systems are not compared."],
        Shown = Metric.Mean,
        Figures =
        [
            new("TCP", Cell("tcp"), Metric.Mean, 15_671.757),
            new("Unix socket", Cell("unix"), Metric.Mean, 11_854.036),
            new("named pipe", Cell("pipe"), Metric.Mean, 8_697.147),
        ],
        Ratios =
        [
            new("Unix socket against TCP", Cell("unix"), Cell("tcp"), Unix / Tcp, Unix / Tcp),
            new("named pipe against TCP", Cell("pipe"), Cell("tcp"), Pipe / Tcp, Pipe / Tcp),
        ],
    };

    private static CellChoice Cell(string transport) =>
        new() { Protocol = "echo", Transport = transport, Size = 128, Connections = 1, Streams = 1 };
}
