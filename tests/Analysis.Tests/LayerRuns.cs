using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

/// <summary>
/// Made-up runs of echoes, bare HTTP/2 and gRPC whose times and costs are known, with a little noise that differs from round to round.
/// </summary>
internal static class LayerRuns
{
    private const long Calls = 100_000;

    /// <summary>The layers that a run has, from the wire up.</summary>
    public static readonly (string Protocol, string Variant)[] All =
        [("echo", "sockets=loop"), ("echo", "sockets=bare"), ("echo", ""), ("http2", ""), ("grpc", "")];

    /// <summary>The layers of older runs, which had one echo.</summary>
    public static readonly (string Protocol, string Variant)[] Former = [("echo", ""), ("http2", ""), ("grpc", "")];

    /// <param name="rounds">The number of rounds.</param>
    /// <param name="tcp">Time in µs of a call through each layer and all below, all of it CPU time.</param>
    /// <param name="unix">The same over a Unix socket. Null: as over TCP.</param>
    /// <param name="noise">The relative noise of each cell.</param>
    /// <param name="connections">The number of connections of each cell.</param>
    /// <param name="random">The source of the noise. Null: the noise is always the same.</param>
    public static RunRecord Make(
        int rounds, double[] tcp, double[]? unix = null, double noise = 0.001, int connections = 1, Random? random = null)
    {
        var layers = tcp.Length == All.Length ? All : Former;
        var cells = (from layer in layers.Index()
                     from transport in new[] { (Name: "tcp", Us: tcp), (Name: "unix", Us: unix ?? tcp) }
                     select (layer.Item, transport.Name, Us: transport.Us[layer.Index])).ToList();
        var made = new SampleRuns { Sizes = [10], Transports = ["tcp"], Rounds = 0 }.Make();
        return made with
        {
            Scenario = "layers",
            Options = made.Options with { Rounds = rounds },
            Cells = [.. cells.Select(cell =>
                new Cell { Key = new CellKey { Transport = cell.Name, Protocol = cell.Item.Protocol, Variant = cell.Item.Variant, Size = 10,
                    Connections = connections }, Address = "x" })],
            Rounds = [.. from number in Enumerable.Range(1, rounds)
                         from cell in Enumerable.Range(0, cells.Count)
                         let deviation = random is null ? ((number * 7 + cell * 3) % 5 - 2) / 2.0 : Simulated.Gaussian(random)
                         let wobble = 1 + noise * deviation
                         select Round(cell, number, cells[cell].Us * wobble)],
        };
    }

    private static Measurement Round(int cell, int number, double us)
    {
        var side = (long)(us * 1000 * Calls * 0.4);
        var usage = new ProcessUsage { CpuUserNs = side / 2, CpuKernelNs = side - side / 2, Calls = Calls };
        return new Measurement
        {
            Cell = cell,
            Number = number,
            At = DateTimeOffset.UnixEpoch,
            WindowNs = (long)(us * 1000 * Calls),
            Started = Calls,
            Ok = Calls,
            Completed = Calls,
            PayloadBytes = 10 * Calls,
            Latency = "",
            LatencySumNs = (long)(us * 1000 * Calls),
            Client = usage,
            Server = usage,
            // Soft interrupts take a fifth of the CPU time, and other programs take CPU time too.
            Machine = new MachineUsage
            {
                BusyNs = (long)((us + 30 * (number % 2)) * 1000 * Calls),
                SoftIrqNs = (long)(us * 1000 * Calls * 0.2),
                CapacityNs = (long)(us * 8000 * Calls)
            },
            Connections = new ConnectionStats { Requested = 1, Opened = 1, Active = 1 },
        };
    }
}
