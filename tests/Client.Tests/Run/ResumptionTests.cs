using System.CommandLine;
using IpcBench.Analysis.Results;
using IpcBench.Client.Commands;
using IpcBench.Client.Loads.Find;
using IpcBench.Client.Loads.Given;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Host;
using static IpcBench.Client.Tests.Run.MadeUp;

namespace IpcBench.Client.Tests.Run;

/// <summary>Checks <c>--resume FILE -r +4</c>: which runs can be resumed, and what the file then contains.</summary>
public sealed class ResumptionTests : IDisposable
{
    private readonly DirectoryInfo folder = Directory.CreateTempSubdirectory("resume-");

    public void Dispose() => folder.Delete(recursive: true);

    [Fact]
    public void Each_resumption_of_a_run_is_recorded_as_a_look_at_the_results()
    {
        var kept = Run(rounds: 12);
        Assert.False(kept.Options.IsLookedAt());

        var again = new Resumption("x", kept, 4).Continue(kept with { CommandLine = ["--resume"] });
        Assert.Equal([12, 16], again.Options.Looks);
        Assert.Equal((16, true, "running"), (again.Options.Rounds, again.Options.IsLookedAt(), again.Ending));
        Assert.Equal(kept.CommandLine, again.CommandLine);
        Assert.Equal(kept.Rounds, again.Rounds);

        var third = new Resumption("x", again with { Rounds = [.. kept.Rounds, Round(16)] }, 2).Continue(again);
        Assert.Equal([12, 16, 18], third.Options.Looks);
    }

    [Fact]
    public void A_resumed_run_with_automatic_rounds_records_each_look_at_its_results() => Assert.Equal(
        [20, 24],
        new Resumption("x", Run(rounds: 20, auto: true), 4).Continue(Run(rounds: 20)).Options.Looks);

    [Fact]
    public void A_run_is_not_resumed_on_another_machine_or_with_another_build_or_plan()
    {
        var kept = Run();
        Refused("CPU was 'A' and is now 'B'", kept with { Host = kept.Host with { CpuModel = "B" } });
        Refused("tool was '1' and is now '2'", kept with { ToolVersion = "2" });
        Refused("kernel was '6' and is now '7'", kept with { Host = kept.Host with { Kernel = "7" } });
        Refused("duration was '1 s' and is now '2 s'", kept with { Options = kept.Options with { DurationNs = 2_000_000_000 } });
        Refused("this version plans other cells than the file has",
            kept with { Cells = [kept.Cells[0] with { Key = kept.Cells[0].Key with { Streams = 2 } }] });
        Refused("the file of --data or --body has other content than before",
            kept with { Cells = [kept.Cells[0] with { Key = kept.Cells[0].Key with { Corpus = "other" } }] });

        void Refused(string why, RunRecord now) => Assert.Equal(
            $"--resume: no round can be added to x: {why}, so old and new rounds would not belong to one run",
            Assert.Throws<EnvironmentException>(() => new Resumption("x", kept, 4).Continue(now)).Message);
    }

    [Fact]
    public async Task A_run_that_cannot_be_resumed_is_rejected_with_the_reason()
    {
        var file = Save(Run(rounds: 12));
        Assert.Equal($"--resume: there is no file {file}x", await SeenAsync("--resume", file + "x"));
        Assert.Equal(
            "--resume adds rounds, so -r '4' needs a plus sign: write -r +4", await SeenAsync("--resume", file, "-r", "4"));
        Assert.Equal("-r '0' must be between 1 and 1000", await SeenAsync("--resume", file, "-r", "+0"));
        Assert.Equal("--resume takes all options from the file, except -r, -v, --format and -o of a report: leave out -s",
            await SeenAsync("--resume", file, "-s", "10"));
        Assert.Equal($"--resume: {file} does not keep the secrets of its command line, so no rounds can be "
            + "added (runs with -H, --data and --expect as @FILE can be resumed)",
            await SeenAsync("--resume", Save(Run() with { CommandLine = ["http", "-H", "Cookie: (hidden)", "http://x"] })));
        Assert.Equal($"--resume: {file} has options that this version does not know: --unknown",
            await SeenAsync("--resume", Save(Run() with { CommandLine = ["--unknown"], Host = HostRecord.Read() })));
        Assert.Contains("the file was measured on another machine (", await SeenAsync<EnvironmentException>("--resume", Save(Run())),
            StringComparison.Ordinal);
        Assert.Equal($"--resume: {file} was written a moment ago and is not complete: wait until the run that writes this file has ended",
            await SeenAsync("--resume", Save(Run() with { Ending = "running", Finished = null })));
        File.SetLastWriteTimeUtc(file, DateTimeOffset.UtcNow.AddHours(1).UtcDateTime); // the clock was set back meanwhile
        Assert.Equal(4, Resumption.Open(file, 4).More);
        File.WriteAllText(file, "{");
        Assert.Equal($"--resume: {file} is truncated: the JSON ends in the middle", await SeenAsync("--resume", file));
    }

    [Fact]
    public async Task A_resumed_run_continues_its_round_numbers_and_rates()
    {
        var first = await RunAsync(new MadeUpRounds(), rounds: 2, loads: [new ShareLoad(0.5)]);
        var kept = first with { Rounds = [.. first.Rounds.Select(round => round with { AskedRate = round.AskedRate > 0 ? 777 : 0 })] };
        var made = await RunAsync(new MadeUpRounds(), rounds: 2, loads: [new ShareLoad(0.5)], resume: new Resumption("x", kept, 3));

        Assert.Equal("complete", made.Ending);
        Assert.Equal(kept.Rounds.Count + (3 * 8), made.Rounds.Count);
        foreach (var cell in made.Rounds.GroupBy(round => round.Cell))
            Assert.Equal([1, 2, 3, 4, 5], cell.Select(round => round.Number));
        Assert.All(made.Rounds.Where(round => made.Cells[round.Cell].Key.Load == "50%"), round => Assert.Equal(777, round.AskedRate));
        Assert.Equal(4 * 5, made.Rounds.Count(round => round.AskedRate > 0));
    }

    [Fact]
    public async Task Arms_that_are_compared_get_the_same_rate_if_the_run_was_interrupted_between_them()
    {
        var first = await RunAsync(new MadeUpRounds(), rounds: 2, loads: [new ShareLoad(0.5)]);
        var loaded = first.Rounds.First(round => round.AskedRate > 0);
        var kept = first with { Rounds = [.. first.Rounds.Where(round => round.AskedRate == 0), loaded with { AskedRate = 777 }] };
        var made = await RunAsync(new MadeUpRounds(), rounds: 2, loads: [new ShareLoad(0.5)], resume: new Resumption("x", kept, 3));

        var size = made.Cells[loaded.Cell].Key.Size;
        var same = made.Rounds.Where(round => round.AskedRate > 0 && made.Cells[round.Cell].Key.Size == size).ToList();
        Assert.Equal(2, same.Select(round => round.Cell).Distinct().Count());
        Assert.All(same, round => Assert.Equal(777, round.AskedRate));
    }

    [Fact]
    public async Task An_interrupted_search_continues_when_the_run_is_resumed()
    {
        GivenLoad[] search = [new SearchLoad(LatencyObjective.Parse("failures<1%", out _)!)];
        var first = await RunAsync(new MadeUpRounds(), rounds: 2, loads: search);
        var kept = first with { Ending = "interrupted", Rounds = [.. first.Rounds.Where(round => round.Number < 4)] };
        var resumed = new Resumption("x", kept, 3);
        Assert.Equal((2, 3), (resumed.Last, resumed.LastOfVaried));
        var made = await RunAsync(new MadeUpRounds(), rounds: 2, loads: search, resume: resumed);

        Assert.Equal("complete", made.Ending);
        foreach (var cell in made.Rounds.GroupBy(round => round.Cell))
            Assert.Equal(Enumerable.Range(1, made.Cells[cell.Key].Key.VariesRate ? 5 + 8 : 5), cell.Select(round => round.Number));
        Assert.All(made.Rounds.Where(round => round.Number > 3 && made.Cells[round.Cell].Key.VariesRate), round =>
            Assert.Equal(1.25 * 1000 * (round.Cell - 3), round.AskedRate, 6));
    }

    [Theory]
    [InlineData(2)] // fewer rounds at full load than in the search
    [InlineData(30)] // more rounds at full load than in the search
    public async Task A_search_with_automatic_rounds_gets_the_requested_number_of_rounds(int automatic)
    {
        GivenLoad[] search = [new SearchLoad(LatencyObjective.Parse("failures<1%", out _)!)];
        var first = await RunAsync(new MadeUpRounds(), rounds: 30, loads: search);
        var kept = first with
        {
            Options = first.Options with { Rounds = 0, RoundsAuto = true },
            Rounds = [.. first.Rounds.Where(round => round.Number <= (first.Cells[round.Cell].Key.VariesRate ? 12 + 8 : automatic))],
        };
        var made = await RunAsync(new MadeUpRounds(), rounds: 30, loads: search, resume: new Resumption("x", kept, 3));

        foreach (var cell in made.Rounds.GroupBy(round => round.Cell))
            Assert.Equal(
                Enumerable.Range(1, 3 + (made.Cells[cell.Key].Key.VariesRate ? 12 + 8 : automatic)), cell.Select(round => round.Number));
    }

    [Fact]
    public async Task A_load_is_a_share_of_the_capacity_of_the_valid_rounds()
    {
        // A repeated attempt in which not every arm was measured does not count.
        var first = await RunAsync(new MadeUpRounds(), rounds: 1, loads: [new ShareLoad(0.5)]);
        var full = first.Rounds.Where(round => round.AskedRate == 0).ToList();
        var half = full.Single(round => round.Cell == 0) with { Attempt = 1, Completed = 100 };
        var made = await RunAsync(
            new MadeUpRounds(), rounds: 1, loads: [new ShareLoad(0.5)],
            resume: new Resumption("x", first with { Rounds = [.. full, half] }, 1));

        var loaded = made.Rounds.Where(round => made.Cells[round.Cell].Key.Load == "50%").ToList();
        Assert.Equal([4, 5, 6, 7], loaded.Select(round => round.Cell).Distinct().Order());
        Assert.All(loaded, round => Assert.Equal(made.Cells[round.Cell].Key.Size == 10 ? 500 : 1500, round.AskedRate));
    }

    private static Task<string> SeenAsync(params string[] arguments) => SeenAsync<UsageException>(arguments);

    private static async Task<string> SeenAsync<TRefusal>(params string[] arguments)
        where TRefusal : Exception
    {
        var typed = CommandTree.Create(arguments).Parse(arguments, new ParserConfiguration { ResponseFileTokenReplacer = null });
        Assert.Empty(typed.Errors);
        var refusal = await Assert.ThrowsAsync<TRefusal>(() => typed.InvokeAsync(
            new InvocationConfiguration { EnableDefaultExceptionHandler = false }, TestContext.Current.CancellationToken));
        return refusal.Message;
    }

    private string Save(RunRecord run)
    {
        var file = Path.Combine(folder.FullName, "run.json");
        ResultsFile.Save(file, run);
        return file;
    }

    private static RunRecord Run(int rounds = 1, bool auto = false) => new()
    {
        ToolVersion = "1",
        Started = DateTimeOffset.UnixEpoch,
        Finished = DateTimeOffset.UnixEpoch,
        Ending = "complete",
        CommandLine = ["--quick"],
        Seed = 1,
        Options = new RunOptionsRecord
        {
            Rounds = auto ? 0 : rounds,
            RoundsAuto = auto,
            DurationNs = 1_000_000_000,
            WarmupNs = 0,
            TimeoutNs = 1,
            Threads = 1,
        },
        Host = new HostInfo { CpuModel = "A", Kernel = "6" },
        Cells = [new Cell { Key = new CellKey { Transport = "tcp", Size = 10, Connections = 4 }, Address = "http://localhost:1" }],
        Rounds = [Round(rounds)],
    };
}
