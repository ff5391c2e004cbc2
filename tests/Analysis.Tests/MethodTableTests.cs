using System.Globalization;
using System.Text;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;

namespace IpcBench.Analysis.Tests;

/// <summary>
/// Compares the table of docs/statistics.md with this simulation; <c>UPDATE_SNAPSHOTS=1</c> writes the table. The simulated noise is
/// normal: the table says whether levels are kept, not how noisy a machine is.
/// </summary>
public sealed class MethodTableTests
{
    private const int Arms = 3, Sizes = 6, Rounds = 12, DefaultRounds = 10, QuickRounds = 10, LayerRounds = 10;
    private const string Begin = "<!-- simulated -->\n", End = "<!-- end -->";

    // The number of comparisons, of rates and CPU, in the first family of the default plan and of --quick.
    private const int Claims = 22, QuickClaims = 10;

    private const int Seed = 20260701;

    private static readonly double[] Spreads = [0.02, 0.05, 0.10];

    private static readonly Conclusion[] Conclusions =
    [
        new("one comparison, 12 rounds: one is ahead", "5 %", 4000, random => IsAny([Noise(random, Rounds)])),
        new("18 comparisons (3 arms, 6 sizes), 12 rounds, each interval alone: at least one arm is called faster", "none", 500,
            random => Pairs(random, Rounds).Any(one => IsAny([one]))),
        new("the same as one family: at least one arm is called faster", "5 %", 1000, random => IsAny(Pairs(random, Rounds))),
        new("the same with 6 rounds", "5 %", 4000, random => IsAny(Pairs(random, 6))),
        new("the same with `--rounds auto`, a look after each of 60 rounds", "5 %", 1000, random => Looks(random, 18, 60)),
        new("one comparison, a look after each of 100 rounds", "5 %", 4000, random => Looks(random, 1, 100)),
        new("one comparison, `--resume` by 4 rounds as long as nobody is ahead, seven times", "5 %, then 5 % in all", 2000, Resumed),
        new("A/A, 6 cells, 12 rounds: it fails", "1 %", 4000, random => Aa(random).Failed),
        new("A/A, 6 cells, 12 rounds: the interval of the common shift misses it", "5 %", 1000,
            random => Aa(random).Shift is { } shift && !shift.Interval.Contains(1)),
        new("`layers` of two equal transports, 10 rounds: a difference of time is reported, in a layer or in the whole call", "5 %", 500,
            OfLayers),
    ];

    // The columns of the second table.
    private static readonly (int Rounds, int Claims)[] Plans = [(DefaultRounds, Claims), (QuickRounds, QuickClaims), (Rounds, 1)];

    /// <summary>All draws give exactly the table. A fortieth of the draws gives shares near the shares of the table.</summary>
    [Fact]
    public void The_simulation_confirms_the_table_in_the_documents()
    {
        if (Simulated.IsWhole)
        {
            Verify(Table());
            return;
        }
        var rows = Written(Page()).Split('\n').Select(line => line.Split('|', StringSplitOptions.TrimEntries)).ToList();
        foreach (var one in Conclusions)
        {
            var written = Percent(rows.Single(row => row.Length > 4 && row[1] == one.What && row[4] == $"{one.Runs}")[3]);
            var share = Simulated.Share(one.Runs, Seed, one.Holds);
            var most = Simulated.Margin(Math.Max(written, 0.01), one.Runs);
            Assert.True(Math.Abs(share - written) <= most, $"{one.What}: {share:0.0%}");
        }
        foreach (var spread in Spreads)
        {
            var row = rows.Single(row => row.Length > 4 && row[1] == $"{spread * 100:0} %");
            foreach (var (column, plan) in Plans.Index())
            {
                var difference = Math.Log(1 + Percent(row[column + 2]));
                var share = Simulated.Share(1000, Seed, random => IsFound(random, difference, spread, plan.Rounds, plan.Claims));
                Assert.InRange(share, 0.8 - Simulated.Margin(0.8, 1000), 0.8 + Simulated.Margin(0.8, 1000));
            }
        }

        static double Percent(string cell) => double.Parse(cell[..^2], CultureInfo.InvariantCulture) / 100;
    }

    private static string Table()
    {
        var text = new StringBuilder();
        text.Append("| What is concluded of equal arms | Level | Reached | Simulated |\n|---|---|---|---|\n");
        foreach (var (what, level, runs, holds) in Conclusions)
            text.Append(CultureInfo.InvariantCulture, $"| {what} | {level} | {Share(runs, holds) * 100:0.0} % | {runs} |\n");
        text.Append("\n| Spread of an arm between rounds | Found in 80 % of default runs (10 rounds, 22 in the family) "
            + "| of `--quick` (10 rounds, 10 in the family) | if it were the only comparison (12 rounds) |\n|---|---|---|---|\n");
        foreach (var spread in Spreads)
            text.Append(CultureInfo.InvariantCulture, $"| {spread * 100:0} % | ")
                .AppendJoin(" | ", Plans.Select(plan => Found(spread, plan.Rounds, plan.Claims))).Append(" |\n");
        return text.ToString();
    }

    private static double Share(int runs, Func<Random, bool> holds)
    {
        var random = new Random(Seed);
        return Enumerable.Range(0, runs).Count(_ => holds(random)) / (double)runs;
    }

    private static double[] Noise(Random random, int rounds) => [.. Enumerable.Range(0, rounds).Select(_ => Simulated.Gaussian(random))];

    private static bool IsAny(IEnumerable<IEnumerable<double>> family, bool isLookedAt = false) =>
        Simulated.Joint(family, isLookedAt).Any(interval => interval is { } found && !found.Contains(0));

    /// <summary>Makes the differences of all pairs of equal arms, round by round.</summary>
    private static List<double[]> Pairs(Random random, int rounds)
    {
        var cells = Enumerable.Range(0, Arms * Sizes).Select(_ => Noise(random, rounds)).ToList();
        return [.. from size in Enumerable.Range(0, Sizes)
                   from one in Enumerable.Range(0, Arms)
                   from other in Enumerable.Range(one + 1, Arms - one - 1)
                   select cells[size * Arms + one].Zip(cells[size * Arms + other], (a, b) => a - b).ToArray()];
    }

    private static bool Looks(Random random, int claims, int rounds)
    {
        var all = claims == 1 ? [Noise(random, rounds)] : Pairs(random, rounds);
        return Enumerable.Range(2, rounds - 1).Any(look => IsAny(all.Select(one => one.Take(look)), isLookedAt: true));
    }

    // The first sentence lists the layers of a call over TCP. The second sentence compares the Unix socket with TCP.
    private static bool OfLayers(Random random) =>
        !Answers.For(new MeasuredRun(LayerRuns.Make(LayerRounds, [12, 16, 21, 31, 36], noise: 0.05, random: random)))[1]
            .Contains("the difference to tcp is undecided in every layer and for the whole call", StringComparison.Ordinal);

    private static bool Resumed(Random random)
    {
        var rounds = Noise(random, Rounds + 7 * 4);
        return Enumerable.Range(0, 8).Any(time => IsAny([rounds.Take(Rounds + 4 * time)], isLookedAt: time > 0));
    }

    private static AaTest Aa(Random random) => AaTest.OfDifferences([.. Enumerable.Range(0, 6).Select(_ => Noise(random, Rounds))]);

    /// <summary>
    /// Finds, to 0.1 %, the difference that 80 % of runs find for the first pair. All pairs differ by as much.
    /// </summary>
    private static string Found(double spread, int rounds, int claims)
    {
        var (low, high) = (0.0, 1.0);
        while (high - low > 0.0005)
        {
            var middle = (low + high) / 2;
            var found = Share(300, random => IsFound(random, middle, spread, rounds, claims));
            (low, high) = found < 0.8 ? (middle, high) : (low, middle);
        }
        return ((Math.Exp(high) - 1) * 100).ToString("0.0", CultureInfo.InvariantCulture) + " %";
    }

    private static bool IsFound(Random random, double difference, double spread, int rounds, int claims) =>
        Simulated.Joint([.. Enumerable.Range(0, claims).Select(_ => Noise(random, rounds)
            .Select(noise => difference + spread * Math.Sqrt(2) * noise).ToArray())])[0]?.Contains(0) == false;

    private static void Verify(string table)
    {
        var page = Page();
        if (Environment.GetEnvironmentVariable("UPDATE_SNAPSHOTS") == "1")
            File.WriteAllText(PagePath, page = page.Replace(Written(page), table, StringComparison.Ordinal));
        Assert.Equal(table, Written(page));
    }

    private static string PagePath => Path.Combine(Repository.Root, "docs", "statistics.md");

    private static string Page() => File.ReadAllText(PagePath).ReplaceLineEndings("\n");

    private static string Written(string page) =>
        page[(page.IndexOf(Begin, StringComparison.Ordinal) + Begin.Length)..page.IndexOf(End, StringComparison.Ordinal)];

    /// <summary>A row of the first table: its text, its level, the number of draws, and whether a draw counts.</summary>
    private sealed record Conclusion(string What, string Level, int Runs, Func<Random, bool> Holds);
}
