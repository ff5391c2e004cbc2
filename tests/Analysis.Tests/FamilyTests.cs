using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

/// <summary>Whole runs whose arms are equal, or one of them is ahead by a known share: what is said of them anywhere.</summary>
public sealed class FamilyTests
{
    private const int Arms = 3, Sizes = 6, Rounds = 12;

    private static readonly string[] Winners =
        ["fastest", "leads", "faster than", "faster for", "slower for", "Crossover", "less CPU", " saves ", " costs "];

    /// <summary>Arms that differ by nothing but noise; the first arm of each size is faster by what is asked for.</summary>
    private static MeasuredRun Made(Random random, double ahead, int rounds = Rounds, double noise = 0.02, bool auto = false)
    {
        var run = Simulated.Run([.. Enumerable.Range(0, Arms * Sizes).Select(cell => Enumerable.Range(0, rounds)
            .Select(_ => 1000 * Math.Exp((cell % Arms == 0 ? ahead : 0) + noise * Simulated.Gaussian(random))).ToArray())], Arms);
        return new MeasuredRun(run with { Options = run.Options with { RoundsAuto = auto } });
    }

    private static bool NamesAWinner(MeasuredRun run) =>
        Answers.Of(run).Append(InShort.Of(run)).Any(answer => Winners.Any(word => answer.Contains(word, StringComparison.Ordinal)))
        || IsAnyAhead(run);

    private static double Share(int runs, Func<Random, bool> holds)
    {
        var random = new Random(20260615);
        return Enumerable.Range(0, runs).Count(_ => holds(random)) / (double)runs;
    }

    [Fact]
    public void Of_1000_runs_of_equal_arms_at_most_5_percent_name_a_winner_anywhere() =>
        Assert.InRange(Share(1000, random => NamesAWinner(Made(random, 0))), 0.005, 0.05);

    [Fact]
    public void Each_comparison_at_5_percent_by_itself_would_name_one_in_more_than_a_third() =>
        Assert.InRange(Share(300, random =>
        {
            var run = Made(random, 0);
            return ClaimFamily.Pairs([.. run.Cells.Select(cell => cell.Key)], "tcp").Any(pair => SignedRank.PValue(
                run.Cells[pair.One].Values(Metric.Rate).Zip(run.Cells[pair.Other].Values(Metric.Rate), (a, b) => Math.Log(a / b))) <= 0.05);
        }), 0.33, 1);

    [Fact]
    public void With_automatic_rounds_all_looks_together_name_a_winner_in_at_most_5_percent() =>
        Assert.InRange(Share(500, random =>
        {
            var whole = Made(random, 0, StoppingRule.Looks[^1], auto: true);
            return StoppingRule.Looks.Any(look => IsAnyAhead(new MeasuredRun(whole.Record with
            {
                Rounds = [.. whole.Record.Rounds.Where(round => round.Number <= look)]
            })));
        }), 0.005, 0.05);

    private static bool IsAnyAhead(MeasuredRun run)
    {
        var family = ClaimFamily.Of(run);
        return ClaimFamily.Pairs([.. run.Cells.Select(cell => cell.Key)], "tcp")
            .Any(pair => family.Allows(run.Cells[pair.One], run.Cells[pair.Other]) == true);
    }

    [Fact]
    public void A_difference_beyond_the_noise_is_still_named_at_every_size() =>
        Assert.InRange(Share(100, random => Answers.Of(Made(random, 0.06)).Count(answer => answer.Contains(" is fastest: faster than ",
            StringComparison.Ordinal)) == Sizes), 0.95, 1);

    [Fact]
    public void Comparisons_under_load_count_before_they_are_measured_so_that_no_winner_is_withdrawn()
    {
        var run = Made(new Random(1), 0).Record;
        var loaded = run.Cells.Select(cell => cell with { Key = cell.Key with { Load = "50%" } });
        Assert.Equal(2 * ClaimFamily.Of(new MeasuredRun(run)).Claims,
            ClaimFamily.Of(new MeasuredRun(run with { Cells = [.. run.Cells, .. loaded] })).Claims);
    }

    [Fact]
    public void Holm_multiplies_by_what_is_left_and_never_falls()
    {
        double[] adjusted = Holm.Adjust([0.01, 0.04, 0.03, 0.005]);
        Assert.Equal([0.03, 0.06, 0.06, 0.02], adjusted.Select(p => Math.Round(p, 9)));
        Assert.Empty(Holm.Adjust([]));
        Assert.Equal([1.0, 1.0], Holm.Adjust([0.7, 0.9]));
    }

    [Theory]
    [InlineData(1, 6)]
    [InlineData(9, 9)]
    [InlineData(18, 10)]
    [InlineData(20, 10)]
    [InlineData(72, 12)]
    public void A_family_needs_so_many_rounds_and_fewer_can_name_no_winner(int claims, int rounds)
    {
        Assert.Equal(rounds, Holm.FewestRounds(claims, 0.05));
        Assert.True(Math.Pow(2, 1 - rounds) * claims <= 0.05);
        Assert.True(Math.Pow(2, 2 - rounds) * claims > 0.05);
    }

    [Fact]
    public void A_family_has_the_pairs_one_chooses_between_and_each_arm_with_its_reference()
    {
        CellKey Key(string transport, string client = "wire", long size = 10, string variant = "") =>
            new() { Transport = transport, Client = client, Size = size, Connections = 1, Variant = variant };
        int Count(params CellKey[] keys) => ClaimFamily.Pairs(keys, "tcp").Count;

        Assert.Equal(0, Count(Key("tcp")));
        Assert.Equal(0, Count(Key("tcp"), Key("tcp", variant: AaTest.Variant)));
        Assert.Equal(3, Count(Key("tcp"), Key("unix"), Key("pipe")));
        Assert.Equal(2, Count(Key("tcp"), Key("unix"), Key("tcp", size: 100), Key("unix", size: 100)));
        // Of each client its own pair, and the two clients over the reference.
        Assert.Equal(3, Count(Key("tcp"), Key("unix"), Key("tcp", "grpc-dotnet"), Key("unix", "grpc-dotnet")));
        Assert.Equal(1, Count(Key("tcp"), Key("tcp", "grpc-dotnet")));
    }

    [Fact]
    public void Too_few_rounds_for_the_family_say_how_many_are_missing_and_name_nobody()
    {
        var run = Made(new Random(3), 0.5, rounds: 7);
        Assert.False(NamesAWinner(run));
        Assert.Equal(
            "10 B: not decided between tcp, unix and pipe: tcp against unix faster in 7 of 7 rounds, between +63 % and +75 %, not beyond "
                + "what 18 comparisons allow by chance; 10 rounds from the start, or 5 more by --resume, would allow a verdict.",
            Answers.Of(run)[0]);
    }
}
