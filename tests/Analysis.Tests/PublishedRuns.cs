using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

/// <summary>
/// Made-up runs that repeat a published write-up. Each cell has the given rate, with a little noise that all cells of a round share.
/// </summary>
internal static class PublishedRuns
{
    public static RunRecord Make(string scenario, int rounds, params (CellKey Key, double Rate)[] cells)
    {
        var rates = cells.Select((cell, i) => Enumerable.Range(1, rounds)
            .Select(number => cell.Rate * (1 + 0.03 * (number % 3) + 0.001 * ((number * 7 + i * 3) % 5))).ToArray()).ToList();
        var run = Simulated.Run(rates);
        return run with
        {
            Scenario = scenario,
            Cells = [.. cells.Select(cell => new Cell { Key = cell.Key, Address = "x" })],
            Rounds = [.. run.Rounds.Select(round => Whole(round, cells[round.Cell].Key))],
        };
    }

    /// <summary>Sets the mean latency by Little's law. With one call in flight, half of the latency is CPU time.</summary>
    private static Measurement Whole(Measurement round, CellKey key)
    {
        var latency = (long)((double)round.WindowNs * key.Connections * key.Streams);
        var cpu = new ProcessUsage { CpuUserNs = round.WindowNs / 8, CpuKernelNs = round.WindowNs / 8, Calls = round.Ok };
        return round with { LatencySumNs = latency, Client = cpu, Server = cpu };
    }

    public static CellKey Echo(string transport, long size) =>
        new() { Protocol = "echo", Transport = transport, Size = size, Connections = 1 };

    public static CellKey Web(string arm) => new() { Protocol = "http1", Transport = "tcp", Variant = arm, Size = 12, Connections = 10 };

    public static CellKey Few(string transport, long size) => new() { Transport = transport, Size = size, Connections = 5, Streams = 80 };

    public static CellKey Many(string transport, long size) => new() { Transport = transport, Size = size, Connections = 400 };

    /// <summary>Unix against TLS is 1.98: 1.5 for TLS, 1.2 for the topology, 1.1 for the transport.</summary>
    public static RunRecord Article(int rounds = 7) => Make("article", rounds,
        (Few("tcp", 10), 150_000), (Few("tls", 10), 100_000), (Few("unix", 10), 150_000 * 1.32),
        (Many("tcp", 10), 50_000), (Many("tls", 10), 25_000), (Many("unix", 10), 55_000));

    /// <summary>Socket against port is 1.10, of which a factor of 1.05 comes from opening connections.</summary>
    public static RunRecord Flask(int rounds = 7) => Make("flask", rounds,
        (Web("port"), 2_000), (Web("socket"), 2_000 * 1.1), (Web("port keepalive"), 2_600), (Web("socket keepalive"), 2_600 * 1.1 / 1.05));

    public static RunRecord EchoRun() => Make("echo", 10,
        (Echo("tcp", 1), 30_000), (Echo("unix", 1), 42_000), (Echo("pipe", 1), 35_000), (Echo("tcp", 1024), 29_000),
            (Echo("unix", 1024), 87_000), (Echo("pipe", 1024), 35_000));

    /// <summary>TCP and two ways of waiting in shared memory. With one call in flight, half of the latency is CPU time.</summary>
    public static RunRecord WaitRun() => Make("echo", 10,
        (Echo("tcp", 64), 50_000), (Echo("shm", 64) with { Variant = "wait=futex" }, 100_000),
        (Echo("shm", 64) with { Variant = "wait=spin" }, 1_000_000));
}
