using IpcBench.Analysis.Results;
using IpcBench.Client.Loads.Find;
using IpcBench.Client.Loads.Given;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using static IpcBench.Client.Tests.Run.MadeUp;

namespace IpcBench.Client.Tests.Run;

public class BenchRunnerTests
{
    [Fact]
    public async Task A_cancellation_that_nobody_requested_is_a_failure()
    {
        using var asked = new CancellationTokenSource();
        var made = new MadeUpRounds { WarmUpFails = new TaskCanceledException("given up") };
        Assert.Equal("failed: given up", (await MadeUp.RunAsync(made, rounds: 1)).Ending);
        await asked.CancelAsync();
        Assert.Equal("interrupted", (await MadeUp.RunAsync(made, rounds: 1, asked.Token)).Ending);
    }

    [Fact]
    public async Task Every_round_measures_every_cell_once()
    {
        var made = await RunAsync(new MadeUpRounds(), rounds: 4);
        Assert.Equal("complete", made.Ending);
        Assert.Equal(16, made.Rounds.Count);
        foreach (var round in made.Rounds.Chunk(4))
        {
            Assert.Single(round.Select(one => one.Number).Distinct());
            Assert.Equal([0, 1, 2, 3], round.Select(one => one.Cell).Order());
        }
    }

    [Fact]
    public async Task A_run_starts_no_round_that_would_exceed_the_time_limit()
    {
        var made = await RunAsync(new MadeUpRounds(), rounds: 4, loads: [new RateLoad(5000)], most: TimeSpan.Zero);
        Assert.Equal("complete", made.Ending);
        // The first round of each phase: four cells at full load, and four at the rate.
        Assert.Equal([1], made.Rounds.Select(round => round.Number).Distinct());
        Assert.Equal(8, made.Rounds.Count);
    }

    [Fact]
    public async Task Compared_cells_are_measured_in_alternating_slices_and_loads_at_a_rate_in_whole_windows()
    {
        var rounds = new MadeUpRounds { Spoil = (number, attempt, cell) => (number, attempt, cell) is (2, 0, 0) ? "foreign load" : "" };
        var made = await RunAsync(rounds, rounds: 5, loads: [new RateLoad(5000)], slice: TimeSpan.FromMilliseconds(50));
        Assert.Equal("complete", made.Ending);
        // Two cells of 10 B, two of 1 kB, and the spoiled cells once more.
        Assert.Equal((5 + 1, 5), (rounds.Turns.Count(turn => turn == "0 1"), rounds.Turns.Count(turn => turn == "2 3")));
        Assert.Equal(11, rounds.Turns.Count);
        Assert.Equal((5 * 8) + 2, made.Rounds.Count);
        Assert.Equal([(2, 0), (2, 1)], made.Rounds.Where(round => round.Attempt == 1).Select(round => (round.Number, round.Cell)).Order());
    }

    [Fact]
    public async Task A_server_that_disappears_in_a_slice_ends_the_run_and_its_measurements_are_kept()
    {
        var made = await RunAsync(new MadeUpRounds { LoseAt = 6 }, rounds: 4, slice: TimeSpan.FromMilliseconds(50));
        Assert.Equal("failed: the server is gone", made.Ending);
        Assert.Equal(6, made.Rounds.Count);
    }

    [Fact]
    public async Task A_spoiled_cell_is_repeated_together_with_all_cells_of_the_same_comparison()
    {
        var made = await RunAsync(
            new MadeUpRounds { Spoil = (number, attempt, cell) => (number, attempt, cell) is (1 or 2, 0, 0) ? "foreign load" : "" },
            rounds: 10);
        var again = made.Rounds.Where(round => round.Attempt == 1).ToList();
        Assert.Equal([(1, 0), (1, 1), (2, 0), (2, 1)], again.Select(round => (round.Number, round.Cell)).Order());
        Assert.All(again, round => Assert.Equal(10, made.Cells[round.Cell].Key.Size));
        Assert.Equal((10 * 4) + 4, made.Rounds.Count);
    }

    [Fact]
    public async Task At_most_a_fifth_of_the_measurements_is_repeated()
    {
        var made = await RunAsync(new MadeUpRounds { Spoil = (_, attempt, _) => attempt == 0 ? "foreign load" : "" }, rounds: 10);
        Assert.Equal((10 * 4) + 8, made.Rounds.Count);
        Assert.All(made.Rounds.Where(round => round.Attempt == 1), round => Assert.Empty(round.Spoiled));
    }

    [Fact]
    public async Task Longer_windows_of_compared_cells_are_reported_in_one_note()
    {
        var said = new List<string>();
        // In the second round only the slower of the two cells is slow.
        var rounds = new MadeUpRounds
        {
            Call = (number, cell) => cell >= 2 && (number == 1 || cell == 3) ? TimeSpan.FromMilliseconds(100 * cell) : null,
        };
        await RunAsync(rounds, rounds: 2, observer: new NoObserver { Noted = said.Add });
        Assert.Equal(
            ["1 kB, 4 connections: a call takes 0.20–0.30 s, so windows are 0.8–1.2 s instead of 0.5 s "
                + "(give -d to keep the length)"], said);
    }

    [Fact]
    public async Task A_server_that_disappears_ends_the_run_and_its_measurements_are_kept()
    {
        var made = await RunAsync(new MadeUpRounds { LoseAt = 6 }, rounds: 4);
        Assert.Equal("failed: the server is gone", made.Ending);
        Assert.Equal(6, made.Rounds.Count);
    }

    [Fact]
    public async Task A_run_ends_before_its_file_becomes_too_large_to_read()
    {
        var folder = Directory.CreateTempSubdirectory("ipcbench-").FullName;
        try
        {
            var file = Path.Combine(folder, "run.json");
            const long largest = 20_000;
            var made = await RunAsync(new MadeUpRounds(), rounds: 100_000, file: file, largest: largest);
            Assert.Equal($"failed: {file} has reached the largest size of a results file (256 MiB), so the run ends here", made.Ending);
            Assert.InRange(made.Rounds.Count, 2, 100);
            Assert.InRange(new FileInfo(file).Length, largest / 2, largest + 2_000);
            Assert.Equal(made.Rounds.Count, ResultsFile.Load(file).Rounds.Count);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task An_existing_file_stays_unchanged_before_the_first_measurement()
    {
        var file = Path.GetTempFileName();
        try
        {
            File.WriteAllText(file, "former");
            using var source = new CancellationTokenSource();
            await source.CancelAsync();
            var made = await RunAsync(new MadeUpRounds(), rounds: 4, source.Token, file: file);
            Assert.Equal(("interrupted", 0, "former"), (made.Ending, made.Rounds.Count, File.ReadAllText(file)));

            // A resumed run has rounds, but no new round yet.
            var kept = await RunAsync(new MadeUpRounds(), rounds: 2, file: file);
            var former = File.ReadAllText(file);
            await RunAsync(new MadeUpRounds(), rounds: 2, source.Token, file: file, resume: new Resumption(file, kept, 3));
            Assert.Equal(former, File.ReadAllText(file));

            made = await RunAsync(new MadeUpRounds(), rounds: 2, file: file, resume: new Resumption(file, kept, 3));
            Assert.Equal((made.Rounds.Count, made.Ending), (ResultsFile.Load(file).Rounds.Count, ResultsFile.Load(file).Ending));
        }
        finally
        {
            File.Delete(file);
        }
    }

    [Fact]
    public async Task Two_runs_with_the_same_file_both_keep_their_measurements()
    {
        var folder = Directory.CreateTempSubdirectory("same-").FullName;
        try
        {
            var (file, said) = (Path.Combine(folder, "run.json"), new List<string>());
            await File.WriteAllTextAsync(file, "former");
            var run = (await RunAsync(new MadeUpRounds(), rounds: 1)) with { Rounds = [], Ending = "running", Finished = null };
            var round = (await RunAsync(new MadeUpRounds(), rounds: 1)).Rounds[0];
            var (first, second) = (new RunJournal(run with { Label = "first" }, file, said.Add),
                new RunJournal(run with { Label = "second" }, file, said.Add));
            foreach (var (number, journal) in ((int, RunJournal)[])[(1, first), (1, second), (2, first), (2, second)])
                journal.Add(round with { Number = number });

            var other = Path.Combine(folder, "run-2.json");
            Assert.Equal((file, other), (first.File, second.File));
            Assert.Equal([$"another run also writes {file}: this run is saved in {other}"], said);
            Assert.Equal(("first", 2), (ResultsFile.Load(file).Label, ResultsFile.Load(file).Rounds.Count));
            Assert.Equal(("second", 2), (ResultsFile.Load(other).Label, ResultsFile.Load(other).Rounds.Count));
            Assert.Equal(2, Directory.GetFiles(folder).Length);

            // Only the time of the file has changed.
            File.SetLastWriteTimeUtc(file, DateTime.UnixEpoch);
            first.Add(round with { Number = 3 });
            Assert.Equal((file, 3), (first.File, ResultsFile.Load(file).Rounds.Count));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task A_device_that_accepts_nothing_is_reported_at_the_end_of_the_run()
    {
        Assert.SkipUnless(File.Exists("/dev/full"), "there is no /dev/full");
        var (run, said) = (await RunAsync(new MadeUpRounds(), rounds: 1), new List<string>());
        var journal = new RunJournal(run with { Finished = null }, "/dev/full", said.Add);
        journal.Add(run.Rounds[0]);
        journal.Replace(record => record with { Finished = DateTimeOffset.UnixEpoch });
        Assert.Empty(said);
        Assert.Contains("cannot write /dev/full", journal.Unsaved, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_interrupted_run_is_marked_and_keeps_its_measurements()
    {
        using var source = new CancellationTokenSource();
        var made = await RunAsync(new MadeUpRounds { Measured = count => { if (count == 5) source.Cancel(); } }, rounds: 4, source.Token);
        Assert.Equal("interrupted", made.Ending);
        Assert.Equal(5, made.Rounds.Count);
        Assert.NotNull(made.Finished);
    }

    [Fact]
    public async Task The_load_phase_gives_every_arm_the_same_rate()
    {
        var made = await RunAsync(new MadeUpRounds(), rounds: 3, loads: [new ShareLoad(0.5), new RateLoad(5000)]);
        var loaded = made.Rounds.Where(round => made.Cells[round.Cell].Key.Load == "50%").ToList();
        Assert.Equal(3 * 4, loaded.Count);

        // The made-up capacity is 1,000 × (cell + 1): the slower of the two arms at each size decides.
        Assert.All(loaded, round => Assert.Equal(made.Cells[round.Cell].Key.Size == 10 ? 500 : 1500, round.AskedRate));
        var named = made.Rounds.Where(round => made.Cells[round.Cell].Key.Load == "5000/s").ToList();
        Assert.Equal(3 * 4, named.Count);
        Assert.All(named, round => Assert.Equal(5000, round.AskedRate));
    }

    [Fact]
    public async Task Each_round_of_a_search_measures_each_arm_at_a_share_of_the_capacity_of_that_arm()
    {
        var load = new SearchLoad(LatencyObjective.Parse("failures<1%", out _)!);
        var made = await RunAsync(
            new MadeUpRounds { Spoil = (number, attempt, cell) => (number, attempt, cell) is (2, 0, 4) ? "foreign load" : "" },
            rounds: 1, loads: [load]);
        var search = made.Rounds.Where(round => made.Cells[round.Cell].Key.VariesRate).ToList();
        Assert.Equal("complete", made.Ending);
        Assert.Equal((4 * 9) + 2, search.Count);

        // The made-up capacity is 1,000 × (cell + 1), and no call fails: the rates are 0.5, 1 and 1.25 times that.
        foreach (var round in search.GroupBy(round => round.Number))
            Assert.Equal([4, 5, 6, 7], round.Select(one => one.Cell).Distinct().Order());
        double[] shares = [0.5, 1, 1.25];
        Assert.All(search, round =>
            Assert.Equal(shares[Math.Min(round.Number, 3) - 1] * 1000 * (round.Cell - 3), round.AskedRate, 6));
    }

    [Theory]
    [InlineData(true, "kept anew anew kept")]
    [InlineData(false, "kept kept")]
    public async Task Each_round_has_its_own_servers_if_requested(bool fresh, string expected)
    {
        var (three, one) = (new MadeUpRounds(), new MadeUpRounds());
        await RunAsync(three, rounds: 3, fresh: fresh);
        await RunAsync(one, rounds: 1, fresh: fresh);
        Assert.Equal(expected, string.Join(' ', three.Starts.Concat(one.Starts)));
    }
}
