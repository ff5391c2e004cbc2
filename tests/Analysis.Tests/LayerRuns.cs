using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

/// <summary>
/// Made-up runs of raw echo, bare HTTP/2 and gRPC whose costs are known, with a little noise that differs from round to round.
/// </summary>
internal static class LayerRuns
{
    private const long Calls = 100_000;

    /// <summary>µs of a call: latency of gRPC, and CPU of echo, bare HTTP/2 and gRPC.</summary>
    public static RunRecord Make(int rounds, double latency, double echo, double http2, double grpc, double noise = 0.01,
        int connections = 1)
    {
        (string Protocol, double Cpu, double Latency)[] layers =
            [("echo", echo, latency / 2), ("http2", http2, latency * 0.9), ("grpc", grpc, latency)];
        string[] transports = ["tcp", "unix"];
        var cells = (from layer in layers from transport in transports select (layer, transport)).ToList();
        var made = new SampleRuns { Sizes = [10], Transports = ["tcp"], Rounds = 0 }.Make();
        return made with
        {
            Scenario = "layers",
            Options = made.Options with { Rounds = rounds },
            Cells = [.. cells.Select(cell =>
                new Cell { Key = new CellKey { Transport = cell.transport, Protocol = cell.layer.Protocol, Size = 10,
                    Connections = connections }, Address = "x" })],
            Rounds = [.. from number in Enumerable.Range(1, rounds)
                         from cell in Enumerable.Range(0, cells.Count)
                         let wobble = 1 + noise * ((number * 7 + cell * 3) % 5 - 2) / 2
                         select Round(cell, number, cells[cell].layer.Cpu * wobble, cells[cell].layer.Latency * wobble)],
        };
    }

    private static Measurement Round(int cell, int number, double cpuUs, double latencyUs)
    {
        var side = (long)(cpuUs * 1000 * Calls * 0.4);
        var usage = new ProcessUsage { CpuUserNs = side / 2, CpuKernelNs = side - side / 2, Calls = Calls };
        return new Measurement
        {
            Cell = cell,
            Number = number,
            At = DateTimeOffset.UnixEpoch,
            WindowNs = (long)(latencyUs * 1000 * Calls),
            Started = Calls,
            Ok = Calls,
            Completed = Calls,
            PayloadBytes = 10 * Calls,
            Latency = "",
            LatencySumNs = (long)(latencyUs * 1000 * Calls),
            Client = usage,
            Server = usage,
            // A fifth of the CPU is nobody's but soft interrupts', and other programs are busy beside it.
            Machine = new MachineUsage
            {
                BusyNs = (long)((cpuUs + 30 * (number % 2)) * 1000 * Calls),
                SoftIrqNs = (long)(cpuUs * 1000 * Calls * 0.2),
                CapacityNs = (long)(latencyUs * 8000 * Calls)
            },
            Connections = new ConnectionStats { Requested = 1, Opened = 1, Active = 1 },
        };
    }
}
