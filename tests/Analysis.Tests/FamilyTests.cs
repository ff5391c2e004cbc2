using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

/// <summary>Simulates whole runs whose arms are equal or differ by a known share, and checks what all texts say.</summary>
public sealed class FamilyTests
{
    private const int Arms = 3, Sizes = 6, Rounds = 12, AllRuns = 2000, AllLongRuns = 300;

    private static readonly string[] Winners =
        ["fastest", "leads", "faster than", "faster for", "slower for", "Crossover", "less CPU", " saves ", " costs "];

    /// <summary>Makes arms that differ by noise, and the first arm of each size also by <paramref name="ahead"/>.</summary>
    private static MeasuredRun Made(Random random, double ahead, int rounds = Rounds, double noise = 0.02, bool auto = false)
    {
        var run = Simulated.Run([.. Enumerable.Range(0, Arms * Sizes).Select(cell => Enumerable.Range(0, rounds)
            .Select(_ => 1000 * Math.Exp((cell % Arms == 0 ? ahead : 0) + noise * Simulated.Gaussian(random))).ToArray())], Arms);
        return new MeasuredRun(run with { Options = run.Options with { RoundsAuto = auto } });
    }

    private static bool NamesAWinner(MeasuredRun run) =>
        Answers.For(run).Append(UnixAgainstTcp.Worth(run))
            .Any(answer => Winners.Any(word => answer.Contains(word, StringComparison.Ordinal)))
        || IsAnyAhead(run);

    private static double Share(int runs, Func<Random, bool> holds) => Simulated.Share(runs, 20260615, holds);

    [Fact]
    public void At_most_5_percent_of_runs_of_equal_arms_name_a_winner_in_any_text()
    {
        var (counts, either, runs) = (new int[2], 0, Simulated.Draws(AllRuns));
        var random = new Random(20260615);
        for (var i = 0; i < runs; i++)
        {
            var run = Made(random, 0);
            bool[] ahead = [.. Families(run).Select(family => IsAnyAhead(run, family))];
            Assert.True(ahead[0] || ahead[1] || !NamesAWinner(run), "a text names a winner that no interval names");
            for (var family = 0; family < 2; family++)
                counts[family] += ahead[family] ? 1 : 0;
            either += ahead[0] || ahead[1] ? 1 : 0;
        }
        Assert.All(counts, count => Assert.InRange(count / (double)runs, 0.005, Most(AllRuns)));
        // Each family may err in 5 %, and their errors add up.
        Assert.InRange(Simulated.Told(either / (double)runs, "a winner in either family"), counts.Max() / (double)runs, 2 * Most(AllRuns));
    }

    [Fact]
    public void Separate_tests_at_the_level_of_5_percent_would_name_a_false_winner_in_a_third_of_runs() =>
        Assert.InRange(Share(300, random => Pairs(Made(random, 0)).Any(pair => Simulated.Joint(
            [pair.One.Values(Metric.Rate).Zip(pair.Other.Values(Metric.Rate), (a, b) => Math.Log(a / b))])[0]?.Contains(0) == false)),
            0.33, 1);

    [Fact]
    public void At_most_5_percent_of_runs_of_equal_arms_name_a_winner_at_any_look_of_automatic_rounds()
    {
        var (counts, runs) = (new int[2], Simulated.Draws(AllLongRuns));
        var random = new Random(20260615);
        for (var i = 0; i < runs; i++)
        {
            var whole = Made(random, 0, 40, auto: true);
            var ahead = new bool[2];
            for (var look = 6; look <= 40; look++)
            {
                var run = new MeasuredRun(whole.Record with
                {
                    Rounds = [.. whole.Record.Rounds.Where(round => round.Number <= look)]
                });
                foreach (var (family, claims) in Families(run).Index())
                    ahead[family] |= IsAnyAhead(run, claims);
            }
            foreach (var (family, isAhead) in ahead.Index())
                counts[family] += isAhead ? 1 : 0;
        }
        Assert.All(counts, count => Assert.InRange(count / (double)runs, 0, Most(AllLongRuns)));
    }

    private static double Most(int all) => 0.05 + Simulated.Margin(0.05, all);

    private static ClaimFamily[] Families(MeasuredRun run) => [ClaimFamily.Primary(run), ClaimFamily.Others(run)];

    private static bool IsAnyAhead(MeasuredRun run, ClaimFamily family) => Pairs(run).Any(pair =>
        new[] { Metric.Rate, ArmComparison.Cost(pair.One, pair.Other) }.Any(metric =>
            ClaimFamily.Find(run, pair.One, pair.Other, metric.Id) is { Interval: { } interval } claim
            && claim.Family == family && !interval.Contains(0)));

    private static IEnumerable<(MeasuredCell One, MeasuredCell Other)> Pairs(MeasuredRun run) =>
        ClaimFamily.Pairs([.. run.Cells.Select(cell => cell.Key)], "tcp").Select(pair => (run.Cells[pair.One], run.Cells[pair.Other]));

    private static bool IsAnyAhead(MeasuredRun run) => Pairs(run).Any(pair =>
        ClaimFamily.Find(run, pair.One, pair.Other, Metric.Rate.Id)?.Interval is { } interval && !interval.Contains(0));

    [Fact]
    public void Comparisons_of_a_Unix_socket_with_TCP_are_one_family_and_all_others_a_second_family()
    {
        var run = Made(new Random(1), 0);
        // Each size compares unix with tcp, and pipe with both, by requests/s and by CPU. Wake-ups are in neither family.
        Assert.Equal((2 * Sizes, 4 * Sizes), (ClaimFamily.Primary(run).Claims, ClaimFamily.Others(run).Claims));
        Assert.Equal(ClaimFamily.Primary(run), ClaimFamily.Find(run, run.Cells[0], run.Cells[1], Metric.Rate.Id)!.Value.Family);
        Assert.Equal(ClaimFamily.Others(run), ClaimFamily.Find(run, run.Cells[0], run.Cells[2], Metric.Rate.Id)!.Value.Family);
        var (there, back) = (ClaimFamily.Find(run, run.Cells[0], run.Cells[1], Metric.Rate.Id)!.Value.Interval!.Value,
            ClaimFamily.Find(run, run.Cells[1], run.Cells[0], Metric.Rate.Id)!.Value.Interval!.Value);
        Assert.Equal((there.Low, there.High), (-back.High, -back.Low));
    }

    [Fact]
    public void Every_verdict_agrees_with_its_interval() => Assert.All(Enumerable.Range(0, 40), seed =>
    {
        var run = Made(new Random(seed), 0.02);
        Assert.All(run.Cells.Select(cell => ArmComparison.OfHeadline(run, cell)).OfType<ArmComparison>(), one =>
            Assert.Equal(one.Verdict.Estimate.Interval!.Value.Contains(1),
                one.Verdict.Kind is VerdictKind.CannotTell or VerdictKind.NoDifference));
    });

    [Fact]
    public void A_difference_of_6_percent_names_a_fastest_arm_at_every_size_in_95_percent_of_runs() =>
        Assert.InRange(Share(100, random => Answers.For(Made(random, 0.06)).Count(answer => answer.Contains(" is fastest: ",
            StringComparison.Ordinal)) == Sizes), 0.95, 1);

    [Fact]
    public void The_family_counts_comparisons_at_a_given_load_that_are_not_measured_yet()
    {
        var run = Made(new Random(1), 0).Record;
        var loaded = run.Cells.Select(cell => cell with { Key = cell.Key with { Load = "50%" } });
        Assert.Equal(2 * ClaimFamily.Primary(new MeasuredRun(run)).Claims,
            ClaimFamily.Primary(new MeasuredRun(run with { Cells = [.. run.Cells, .. loaded] })).Claims);
    }

    [Fact]
    public void The_number_of_comparisons_does_not_grow_when_rounds_at_a_given_load_follow()
    {
        var made = Made(new Random(1), 0).Record;
        var rounds = made.Rounds.Select(round => round with
        {
            Client = round.Client with { ContextSwitches = 2 * round.Ok, VoluntarySwitches = round.Ok },
        }).ToList();
        var cells = made.Cells.Concat(made.Cells.Select(cell => cell with { Key = cell.Key with { Load = "1000/s" } })).ToList();
        var planned = made with { Cells = cells, Rounds = rounds };
        var loaded = rounds.Select(round => round with { Cell = round.Cell + made.Cells.Count });
        var measured = planned with { Rounds = [.. rounds, .. loaded] };
        Assert.InRange(ClaimFamily.Others(new MeasuredRun(measured)).Claims, ClaimFamily.Others(new MeasuredRun(made)).Claims + 1,
            ClaimFamily.Others(new MeasuredRun(planned)).Claims);
    }

    [Fact]
    public void The_family_compares_every_pair_of_transports_and_each_arm_with_its_reference()
    {
        CellKey Key(string transport, string client = "wire", long size = 10, string variant = "") =>
            new() { Transport = transport, Client = client, Size = size, Connections = 1, Variant = variant };
        int Count(params CellKey[] keys) => ClaimFamily.Pairs(keys, "tcp").Count;

        Assert.Equal(0, Count(Key("tcp")));
        Assert.Equal(0, Count(Key("tcp"), Key("tcp", variant: AaTest.Variant)));
        Assert.Equal(3, Count(Key("tcp"), Key("unix"), Key("pipe")));
        Assert.Equal(2, Count(Key("tcp"), Key("unix"), Key("tcp", size: 100), Key("unix", size: 100)));
        // One pair of transports for each client, and one pair of clients over the reference transport.
        Assert.Equal(3, Count(Key("tcp"), Key("unix"), Key("tcp", "grpc-dotnet"), Key("unix", "grpc-dotnet")));
        Assert.Equal(1, Count(Key("tcp"), Key("tcp", "grpc-dotnet")));
    }

    [Fact]
    public void With_too_few_rounds_the_answer_names_no_winner_but_the_number_of_rounds_still_needed()
    {
        var run = Made(new Random(3), 0.5, rounds: 4);
        Assert.False(NamesAWinner(run));
        Assert.Equal(
            "10 B: not decided between tcp, unix and pipe: 6 rounds needed, or 3 more by --resume.",
            Answers.For(run)[0]);
    }
}
