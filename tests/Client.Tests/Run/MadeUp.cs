using IpcBench.Analysis.Results;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Run;

/// <summary>Makes up measurements, and runs that consist of them.</summary>
internal static class MadeUp
{
    /// <summary>Makes up a round of one second with so many calls on four connections.</summary>
    public static Measurement Round(int number, int cell = 0, long calls = 0) => new()
    {
        Cell = cell,
        Number = number,
        At = DateTimeOffset.UnixEpoch,
        WindowNs = 1_000_000_000,
        Started = calls,
        Ok = calls,
        Completed = calls,
        PayloadBytes = 0,
        Latency = "",
        LatencySumNs = 0,
        Client = new ProcessUsage { CpuUserNs = 1, CpuKernelNs = 1 },
        Connections = new ConnectionStats { Requested = 4, Opened = 4, Active = 4 },
    };

    /// <summary>Runs two transports and two sizes to the end.</summary>
    public static async Task<RunRecord> RunAsync(
        MadeUpRounds made, int rounds, CancellationToken cancellation = default, GivenLoad[]? loads = null,
        string? file = null, long largest = WholeFile.LargestRead, bool fresh = false, Resumption? resume = null,
        IRunObserver? observer = null, TimeSpan slice = default, TimeSpan? most = null)
    {
        var options = new RunOptions
        {
            Addresses = [],
            Transports = ["tcp", "unix"],
            Sizes = [10, 1000],
            Topologies = [new Topology(4, 1)],
            Threads = 1,
            Duration = TimeSpan.FromSeconds(1),
            Warmup = TimeSpan.Zero,
            Timeout = TimeSpan.FromSeconds(1),
            Rounds = rounds,
            Seed = 1,
            Loads = loads ?? [],
            Variants = [new Variant("", new Knobs())],
            Connector = new ConnectorOptions(),
            Output = new OutputOptions(),
            FreshServers = fresh,
            Slice = slice,
            MaxTime = most ?? TimeSpan.MaxValue,
        };
        options = resume?.Apply(options, options.Output) ?? options;
        var variant = options.Variants[0];
        var plan = new BenchPlan(
            options, [new Target(new Address.Tcp("localhost", 1), variant), new Target(new Address.Unix("/x"), variant)]);
        var record = new RunRecord
        {
            ToolVersion = "test",
            Started = DateTimeOffset.UnixEpoch,
            CommandLine = [],
            Seed = 1,
            Options = new RunOptionsRecord { Rounds = rounds, DurationNs = 1, WarmupNs = 0, TimeoutNs = 1, Threads = 1 },
            Host = new HostInfo(),
            Cells = [.. plan.Cells.Select(cell => cell.Record)],
        };
        record = resume?.Continue(record with { Host = resume.Kept.Host }) ?? record;
        var journal = new RunJournal(record, file, _ => { }, largest);
        await new BenchRunner(plan, made, journal, observer ?? new NoObserver()).RunAsync(cancellation)
            .WaitAsync(TimeSpan.FromSeconds(30), CancellationToken.None);
        return journal.Record;
    }
}

internal sealed class MadeUpRounds : IRoundRunner
{
    private int count;

    public Func<int, int, int, string> Spoil { get; init; } = (_, _, _) => "";

    public Action<int> Measured { get; init; } = _ => { };

    public Exception? WarmUpFails { get; init; }

    public int LoseAt { get; init; } = -1;

    // Returns, by round and cell, the median call if the windows must be longer. Null: they keep their length.
    public Func<int, int, TimeSpan?> Call { get; init; } = (_, _) => null;

    public List<string> Starts { get; } = [];

    public Task WarmServersUpAsync(IEnumerable<PlannedCell> cells, double? rate, bool anew, CancellationToken cancellation)
    {
        Starts.Add(anew ? "anew" : "kept");
        return WarmUpFails is null ? Task.CompletedTask : Task.FromException(WarmUpFails);
    }

    // The order in which cells were measured. Cells that take turns are one entry.
    public List<string> Turns { get; } = [];

    public async Task<IReadOnlyList<MeasuredRound>> MeasureInTurnsAsync(
        IReadOnlyList<PlannedCell> planned, int number, int attempt, CancellationToken cancellation)
    {
        Turns.Add(string.Join(' ', planned.Select(cell => cell.Index).Order()));
        var rounds = new List<MeasuredRound>();
        foreach (var cell in planned)
        {
            rounds.Add(await MeasureAsync(cell, number, attempt, null, cancellation));
            if (rounds[^1].ServerLost is not null)
                break;
        }
        return rounds;
    }

    public Task<MeasuredRound> MeasureAsync(PlannedCell cell, int number, int attempt, double? rate, CancellationToken cancellation)
    {
        count++;
        Measured(count);
        var round = MadeUp.Round(number, cell.Index, calls: 1000L * (cell.Index + 1)) with
        {
            Attempt = attempt,
            AskedRate = rate ?? 0,
            Spoiled = Spoil(number, attempt, cell.Index),
        };
        return Task.FromResult(new MeasuredRound(round, count == LoseAt ? "the server is gone" : null)
        {
            Lengthened = Call(number, cell.Index) is { } call ? new(cell, call, TimeSpan.FromSeconds(0.5), 4 * call) : null,
        });
    }
}

internal sealed class NoObserver : IRunObserver
{
    public Action<string> Noted { get; init; } = _ => { };

    public Action<RunRecord> Ended { get; init; } = _ => { };

    public void Detail(string sentence)
    {
    }

    public void Unkept(RunRecord record)
    {
    }

    public void RoundStarted(int number, int attempt, int rounds)
    {
    }

    public void CellFinished(PlannedCell cell, Measurement round, RunRecord record)
    {
    }

    public void Note(string sentence) => Noted(sentence);

    public void Started(BenchPlan plan, RunProgress progress, Action end)
    {
    }

    public void Finished(RunRecord record, string? file) => Ended(record);
}
