using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

public class BreakEvenTests
{
    private static readonly string[] Works = ["0", "10us", "100us", "1ms"];
    private static readonly double[] Ns = [0, 10e3, 100e3, 1e6];

    // unix takes 20 µs a call and tcp 22 µs, and two CPUs share the work. The difference of 2 µs is 3 % of a call with
    // (2 / 0.03 − 20) / 0.5 = 93.3 µs of work.
    private const double Truth = 93.333e3;

    [Fact]
    public void The_break_even_of_a_simulated_run_is_within_20_percent_of_the_true_value()
    {
        var line = Assert.Single(Lines(Run(tcp: 22_000, noise: 0.002, seed: 1)));

        Assert.Matches(
            @"^10 B: above \d+(\.\d)? µs \[\d+(\.\d)?, \d+(\.\d)?\] of work per call, unix and tcp differ by less than 3\.0 %\.$", line);
        var numbers = System.Text.RegularExpressions.Regex.Matches(line.Split("above")[1], @"\d+(\.\d+)?")
            .Select(match => double.Parse(match.Value, System.Globalization.CultureInfo.InvariantCulture) * 1000).ToList();
        Assert.InRange(numbers[0], Truth * 0.8, Truth * 1.2);
        Assert.True(numbers[1] < numbers[0] && numbers[0] < numbers[2]);
    }

    [Fact]
    public void The_break_even_interval_contains_the_true_value_in_at_least_92_percent_of_runs()
    {
        var runs = Simulated.Draws(1000);
        var held = Enumerable.Range(0, runs).Count(seed =>
        {
            var run = new MeasuredRun(Run(tcp: 22_000, noise: 0.01, seed));
            return ClaimFamily.Find(run, run.Cells[1], run.Cells[0], DerivedClaims.WorkBeyond(isArmFaster: true))!.Value.Interval
                is { } interval && interval.Contains(Truth);
        });
        Assert.InRange(held, runs * 0.92, runs);
    }

    [Fact]
    public void A_second_look_gives_the_same_break_even_interval_as_automatic_rounds()
    {
        var run = Run(tcp: 22_000, noise: 0.01, seed: 1);
        List<string> With(Func<RunOptionsRecord, RunOptionsRecord> looks) => Lines(run with { Options = looks(run.Options) });
        Assert.NotEqual(Lines(run), With(options => options with { Looks = [8, 12] }));
        Assert.Equal(With(options => options with { RoundsAuto = true }), With(options => options with { Looks = [8, 12] }));
    }

    [Fact]
    public void Equal_transports_are_reported_as_equal_for_any_work_per_call() => Assert.All(Enumerable.Range(1, 10), seed => Assert.Equal(
        "10 B: unix and tcp differ by less than 3.0 %, however much the server computes for a call.",
        Assert.Single(Lines(Run(tcp: 20_000, noise: 0.002, seed)))));

    [Theory]
    [InlineData(20_010, 0.0001, @"^10 B: unix and tcp differ by less than 3\.0 %, however much the server computes for a call\.$")]
    [InlineData(22_000, 0.5,
        @"^10 B: these rounds do not show above how much work per call unix and tcp differ by less than 3\.0 %\.$")]
    [InlineData(20_800, 0.015, @"^10 B: unix and tcp differ by less than 3\.0 % above \d+(\.\d+)? µs of work per call, "
            + @"and perhaps also below\.$")]
    [InlineData(90_000, 0.001,
        @"^10 B: above 4\.\d+ ms \[4\.\d+, 4\.\d+\] of work .*3\.0 % \(calculated: 1\.00 ms was the most work measured\)\.$")]
    public void The_sentence_about_a_break_even_says_if_the_value_is_undecided_or_a_limit_or_calculated(
        double tcp, double noise, string expected) =>
        Assert.Matches(expected, Assert.Single(Lines(Run(tcp, noise, seed: 3))));

    [Fact]
    public void A_run_without_work_has_no_break_even() =>
        Assert.Empty(Lines(new SampleRuns { Sizes = [10], Transports = ["tcp", "unix"], Rounds = 8 }.Make()));

    [Fact]
    public void The_break_even_of_a_method_is_computed_from_the_servers_CPU()
    {
        var plain = Run(tcp: 22_000, noise: 0.002, seed: 1);
        var run = plain with
        {
            Cells = [.. plain.Cells.Select(cell => cell with { Key = cell.Key with { Method = "shop.Cart/Add", Variant = "" } }).Take(2)],
            Rounds = [.. plain.Rounds.Where(round => round.Cell < 2).Select(round => round with
            {
                Server = new ProcessUsage { CpuUserNs = (round.Cell == 0 ? 11_000 : 10_000) * round.Completed, CpuKernelNs = round.Number },
            })],
        };

        // 1 µs is 3 % of 33.3 µs, of which unix takes 10 µs without the additional work.
        Assert.Equal(["Add: with 23.3 µs [23.3, 23.3] of additional work per call, unix and tcp differ by less than 3.0 % "
            + "(calculated from the server's CPU per call)."], Lines(run));
    }

    private static List<string> Lines(RunRecord run) => [.. BreakEven.Lines(new MeasuredRun(run))];

    /// <summary>Makes 12 rounds with each amount of work. The cells of a round share its speed, but not the noise.</summary>
    private static RunRecord Run(double tcp, double noise, int seed)
    {
        var random = new Random(seed);
        var moods = Enumerable.Range(0, 12).Select(_ => 1 + 0.05 * Simulated.Gaussian(random)).ToArray();
        double[] Rates(double own, double work) =>
            [.. moods.Select(mood => mood * 1e9 / ((own + work / 2) * Math.Exp(noise * Simulated.Gaussian(random))))];
        var run = Simulated.Run([.. Ns.SelectMany(work => new[] { Rates(tcp, work), Rates(20_000, work) })], arms: 2);
        return run with
        {
            Cells = [.. run.Cells.Select((cell, i) => cell with { Key = cell.Key with { Size = 10, Variant = "work=" + Works[i / 2] } })],
        };
    }
}
