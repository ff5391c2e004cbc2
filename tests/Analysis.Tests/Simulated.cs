using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

/// <summary>Makes runs that consist of rates only, for simulations of thousands of runs.</summary>
internal static class Simulated
{
    private static readonly string[] Transports = ["tcp", "unix", "pipe", "tls"];

    /// <summary>Makes a run from one list of requests/s per cell: transports of the first size, then of the next size.</summary>
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

    /// <summary>
    /// Whether simulations are drawn as often as docs/statistics.md says (IPCBENCH_DRAWS=all, or UPDATE_SNAPSHOTS=1, which writes it).
    /// </summary>
    public static bool IsWhole { get; } = Environment.GetEnvironmentVariable("IPCBENCH_DRAWS") == "all"
        || Environment.GetEnvironmentVariable("UPDATE_SNAPSHOTS") == "1";

    /// <summary>
    /// Returns the number of draws of a simulation: a fortieth of <paramref name="all"/>, or all. Seeds are fixed, so that the outcome
    /// is the same in every run.
    /// </summary>
    public static int Draws(int all) => IsWhole ? all : all / 40;

    /// <summary>
    /// Returns how far a share may lie from its level: two standard errors of all draws, or three of a fortieth of the draws, because
    /// one of some fifty such shares lies beyond two.
    /// </summary>
    public static double Margin(double level, int all) => (IsWhole ? 2 : 3) * Math.Sqrt(level * (1 - level) / Draws(all));

    /// <summary>Returns the share of draws for which <paramref name="holds"/> is true.</summary>
    public static double Share(int all, int seed, Func<Random, bool> holds)
    {
        var (random, draws) = (new Random(seed), Draws(all));
        return Enumerable.Range(0, draws).Count(_ => holds(random)) / (double)draws;
    }

    /// <summary>
    /// Prints the share (<c>dotnet test … --output Detailed</c>) and returns it: docs/statistics.md cites some of the shares.
    /// </summary>
    public static double Told(double share, string what)
    {
        TestContext.Current.TestOutputHelper?.WriteLine(FormattableString.Invariant($"{what}: {share:0.0%}"));
        return share;
    }

    public static double Gaussian(Random random) =>
        Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());

    /// <summary>Estimates one comparison from the ratios of its rounds.</summary>
    public static Statistics.RatioEstimate Estimate(IEnumerable<double> ratios) =>
        Statistics.RatioEstimate.FromPairs(ratios.Select((ratio, i) => (i + 1, 1.0, ratio)))!;

    /// <summary>Computes the joint intervals of a family of series, each of which has one value per round.</summary>
    public static IReadOnlyList<Statistics.Interval?> Joint(IEnumerable<IEnumerable<double>> family, bool isLookedAt = false)
    {
        var all = family.Select(one => one.Select((value, i) => (i + 1, value)).ToList()).ToList();
        return Statistics.Joint.Intervals(all, isLookedAt, all.Count);
    }

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
