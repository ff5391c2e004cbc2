using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

/// <summary>Made-up runs that look like real ones; the same seed always makes the same run.</summary>
internal sealed class SampleRuns(int seed = 1)
{
    private readonly Random random = new(seed);

    public string[] Transports { get; init; } = ["tcp", "unix", "pipe"];
    public long[] Sizes { get; init; } = [10, 100, 1_000, 10_000, 100_000, 1_000_000];
    public int[] Connections { get; init; } = [400];
    public int Rounds { get; init; } = 12;
    public int SamplesPerRound { get; init; } = 2_000;
    public string Os { get; init; } = "Linux";
    public string Label { get; init; } = "sample";

    /// <summary>Relative standard deviation of a round's rate.</summary>
    public double Noise { get; init; } = 0.02;

    /// <summary>Factor on the rate of a transport at a size.</summary>
    public Func<string, long, double> Speed { get; init; } = (transport, size) => transport switch
    {
        "unix" => size < 50_000 ? 1.45 : 0.82,
        "pipe" => size < 50_000 ? 1.30 : 0.78,
        _ => 1,
    };

    public RunRecord Make()
    {
        var cells = (from size in Sizes
                     from connections in Connections
                     from transport in Transports
                     select CellOf(transport, size, connections)).ToList();
        var rounds = new List<Measurement>();
        for (var number = 1; number <= Rounds; number++)
            rounds.AddRange(cells.Select((cell, index) => RoundOf(cell, index, number)));
        return new RunRecord
        {
            ToolVersion = "0.1.0+0123456",
            Started = new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.Zero),
            Finished = new DateTimeOffset(2026, 1, 2, 3, 14, 5, TimeSpan.Zero),
            Ending = "complete",
            Label = Label,
            CommandLine = ["--rounds", "7"],
            Seed = 42,
            Options = new RunOptionsRecord
            {
                Rounds = Rounds,
                DurationNs = 2_000_000_000,
                WarmupNs = 1_000_000_000,
                TimeoutNs = 10_000_000_000,
                Threads = 5,
                Knobs = new Dictionary<string, string> { ["http2-window"] = "16777216", ["nagle"] = "off" },
            },
            Host = HostOf(Os),
            Servers = [new ServerInfo { Addresses = [.. cells.Select(c => c.Address).Distinct()], Stack = "kestrel",
                StackVersion = "10.0.1", Version = "0.1.0+0123456", Runtime = ".NET 10.0.1", Os = Os, GcMode = "server, concurrent",
                    Processors = 8 }],
            Cells = cells,
            Rounds = rounds,
        };
    }

    private static HostInfo HostOf(string os) => new()
    {
        Os = os == "Linux" ? "Debian GNU/Linux 13" : "Microsoft Windows 11",
        Kernel = os == "Linux" ? "6.12.48" : "10.0.26100",
        Architecture = "x64",
        CpuModel = "Example CPU @ 3.20GHz",
        LogicalCpus = 8,
        PhysicalCores = 4,
        Sockets = 1,
        Governor = os == "Linux" ? "performance" : "",
        ClockSource = os == "Linux" ? "tsc" : "qpc",
        MemoryBytes = 16L << 30,
        Runtime = ".NET 10.0.1",
        GcMode = "workstation",
        Tiering = "tiered, PGO",
        OpenFileLimit = 20_000,
        SoMaxConn = 4096,
    };

    private static Cell CellOf(string transport, long size, int connections) => new()
    {
        Key = new CellKey { Transport = transport, Size = size, Connections = connections },
        Address = transport switch
        {
            "unix" => "unix:/tmp/greeter.sock",
            "pipe" => "pipe:/PipeGreeter",
            "tls" => "https://localhost:5001",
            _ => "http://localhost:5000"
        },
        Note = transport == "pipe" ? "pipe (Unix socket behind .NET's pipe API)" : "",
    };

    private Measurement RoundOf(Cell cell, int index, int number)
    {
        var (key, window) = (cell.Key, 2_000_300_000L + random.Next(200_000));
        var rate = 100_000 / (1 + key.Size / 60_000.0) * Speed(key.Transport, key.Size) * Math.Exp(Noise * Gaussian());
        var completed = (long)(rate * window / 1e9);
        var latency = LatencyOf(key.Connections / rate * 1e9, completed, out var sum);
        var cpu = (1 + key.Size / 40_000.0) / Speed(key.Transport, key.Size);
        return new Measurement
        {
            Cell = index,
            Number = number,
            At = new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.Zero).AddSeconds(number * 20 + index),
            WindowNs = window,
            Started = completed,
            Ok = completed,
            Completed = completed,
            PayloadBytes = completed * key.Size,
            Latency = latency,
            LatencySumNs = sum,
            Client = Usage(cpu * 14_000, completed, 38 << 20),
            Server = Usage(cpu * 31_000, completed, 180 << 20),
            Machine = new MachineUsage
            {
                BusyNs = (long)(completed * cpu * 50_000),
                SoftIrqNs = (long)(completed * cpu * 3_000),
                CapacityNs = 8 * window
            },
            Connections = new ConnectionStats
            {
                Requested = key.Connections,
                Opened = key.Connections,
                Active = key.Connections,
                FewestCalls = completed / key.Connections,
                MostCalls = completed / key.Connections
                    + 3,
                Fairness = 0.999,
                ServerOpen = key.Connections,
                ServerCalls = completed
            },
            ThreadCalls = [completed / 5, completed / 5, completed / 5, completed / 5, completed - completed / 5 * 4],
            Buckets = [.. Enumerable.Range(0, 20).Select(_ => (long)(completed / 20.0 * (1 + 0.01 * Gaussian())))],
            FixedLoopNs = 5_000_000 + random.Next(20_000),
        };
    }

    private ProcessUsage Usage(double perCall, long calls, long memory)
    {
        var cpu = perCall * calls * Math.Exp(0.01 * Gaussian());
        return new ProcessUsage
        {
            CpuUserNs = (long)(cpu * 0.4),
            CpuKernelNs = (long)(cpu * 0.6),
            WorkingSetBytes = memory,
            GcCollections = [0, 0, 0],
            ContextSwitches = calls / 3,
            AllocatedBytes = calls / 10,
            Calls = calls
        };
    }

    /// <summary>Makes a log-normal histogram whose few samples stand for all calls, with the mean by Little's law.</summary>
    private string LatencyOf(double mean, long calls, out long sum)
    {
        var samples = Enumerable.Range(0, SamplesPerRound).Select(_ => Math.Exp(0.35 * Gaussian())).ToArray();
        var scale = mean / samples.Average();
        var histogram = new LatencyHistogram();
        for (var i = 0; i < samples.Length; i++)
            histogram.Record((long)(samples[i] * scale), calls / samples.Length + (i < calls % samples.Length ? 1 : 0));
        sum = (long)(mean * calls);
        return histogram.Encode();
    }

    private double Gaussian() => Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
}
