using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

/// <summary>Runs made of nothing but rates, for campaigns of thousands.</summary>
internal static class Simulated
{
    private static readonly string[] Transports = ["tcp", "unix", "pipe", "tls"];

    /// <summary>One list of requests/s for each cell: transports of the first size, then of the next.</summary>
    public static RunRecord Run(IReadOnlyList<double[]> cells, int arms = 1, string variant = "")
    {
        var keys = cells.Select((_, i) => new Cell
        {
            Key = new CellKey
            {
                Transport = variant.Length > 0 ? "tcp" : Transports[i % arms],
                Size = (long)Math.Pow(10, 1 + i / arms),
                Connections = 400,
                Variant = i % arms == 0 ? "" : variant
            },
            Address = "x",
        }).ToList();
        var rounds = from number in Enumerable.Range(1, cells.Max(rates => rates.Length))
                     from cell in Enumerable.Range(0, cells.Count)
                     where number <= cells[cell].Length
                     select Round(cell, number, cells[cell][number - 1]);
        return new SampleRuns { Sizes = [10], Transports = ["tcp"], Rounds = 0 }.Make() with { Cells = keys, Rounds = [.. rounds] };
    }

    public static double Gaussian(Random random) =>
        Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());

    private static Measurement Round(int cell, int number, double rate) => new()
    {
        Cell = cell,
        Number = number,
        At = DateTimeOffset.UnixEpoch,
        WindowNs = 10_000_000_000,
        Started = (long)(rate * 10),
        Ok = (long)(rate * 10),
        Completed = (long)(rate * 10),
        PayloadBytes = 0,
        Latency = "",
        LatencySumNs = 0,
        Client = new ProcessUsage { CpuUserNs = 1, CpuKernelNs = 1 },
        Connections = new ConnectionStats { Requested = 400, Opened = 400, Active = 400 },
    };
}
