using System.Text.RegularExpressions;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

public sealed class AaTests
{
    private static List<double[]> Cells(Random random, int cells, int rounds, Func<int, double> shift) =>
        [.. Enumerable.Range(0, cells)
            .Select(cell => Enumerable.Range(0, rounds).Select(_ => shift(cell) + 0.02 * Simulated.Gaussian(random)).ToArray())];

    private const int Runs = 2000;

    private static double ShareFailed(int cells, int rounds, Func<int, double> shift) =>
        Simulated.Share(Runs, 99, random => AaTest.OfDifferences(Cells(random, cells, rounds, shift)).Failed);

    [Theory]
    [InlineData(6, 7)]
    [InlineData(6, 12)]
    [InlineData(18, 20)]
    [InlineData(1, 12)]
    public void The_A_A_test_fails_in_at_most_about_1_percent_of_runs_of_equal_arms(int cells, int rounds) => Assert.InRange(
        ShareFailed(cells, rounds, _ => 0), 0, 0.01 + Simulated.Margin(0.01, Runs));

    [Fact]
    public void A_test_of_each_cell_alone_would_fail_equal_arms_in_20_to_35_percent_of_runs()
    {
        var random = new Random(99);
        var failed = Enumerable.Range(0, 600).Count(_ => Cells(random, 6, 12, _ => 0).Exists(cell => SignedRank.PValue(cell) < 0.05));
        Assert.InRange(failed / 600.0, 0.2, 0.35);
    }

    [Fact]
    public void The_A_A_test_fails_for_a_delay_of_5_percent_in_all_cells_or_in_one_cell()
    {
        // 200 µs on a round trip of 4 ms are 5 %.
        Assert.InRange(ShareFailed(6, 12, _ => -0.05), 0.99, 1);
        Assert.InRange(ShareFailed(6, 7, _ => -0.05), 0.95, 1);
        Assert.InRange(ShareFailed(6, 14, cell => cell == 3 ? -0.05 : 0), 0.9, 1);
    }

    [Fact]
    public void The_A_A_test_often_finds_a_common_shift_of_all_cells_and_seldom_shifts_in_opposite_directions()
    {
        Assert.InRange(ShareFailed(3, 12, _ => -0.012), 0.25, 1);
        Assert.InRange(ShareFailed(6, 12, _ => -0.012), 0.6, 1);
        // Shifts in opposite directions are no common shift.
        Assert.InRange(ShareFailed(6, 12, cell => cell % 2 == 0 ? 0.006 : -0.006), 0, 0.15);
    }

    [Theory]
    [InlineData(3, 12)]
    [InlineData(6, 7)]
    [InlineData(18, 20)]
    public void The_interval_of_the_common_shift_misses_the_true_shift_in_at_most_5_percent_of_runs(int cells, int rounds)
    {
        var missed = Simulated.Share(Runs, 5, random =>
            !AaTest.OfDifferences(Cells(random, cells, rounds, _ => 0.01)).Shift!.Value.Interval.Contains(Math.Exp(0.01)));
        Assert.InRange(missed, 0.01, 0.05 + Simulated.Margin(0.05, Runs));
    }

    [Fact]
    public void The_A_A_test_over_ten_runs_notices_a_difference_that_most_runs_alone_do_not_show()
    {
        var random = new Random(11);
        double[] Rounds(double shift) =>
            [.. Enumerable.Range(0, 12).Select(_ => 1000 * Math.Exp(shift + 0.015 * Simulated.Gaussian(random)))];
        List<(string, RunRecord)> Runs(double shift) => [.. Enumerable.Range(1, 10).Select(number => ($"run-{number}", Simulated.Run(
            [Rounds(0), Rounds(shift), Rounds(0), Rounds(shift)], arms: 2, variant: AaTest.Variant)))];

        var shifted = new AaReport().Make(new ReportModel(Runs(-0.006)));
        Assert.Contains("\nA/A failed: tcp against itself is −", shifted, StringComparison.Ordinal);
        Assert.Equal(10 + 2 + 1, shifted.Split('\n').Count(line => Regex.IsMatch(line, @"^\| (run-|all)")));
        Assert.Contains("| all, 10 B |  |  | 120 | 10 | −", shifted, StringComparison.Ordinal);
        Assert.Contains("| all |  |  | 120 | 20 | −", shifted, StringComparison.Ordinal);
        var alone = Runs(-0.006).Count(run => AaTest.Compute(new MeasuredRun(run.Item2))!.Failed);
        Assert.InRange(alone, 0, 5);

        Assert.Contains("\nA/A passed: tcp against itself is equal within ±3.0 % over 20 cells of 10 runs: ",
            new AaReport().Make(new ReportModel(Runs(0))), StringComparison.Ordinal);
        var few = Simulated.Run([[1, 2], [2, 3]], arms: 2, variant: AaTest.Variant);
        Assert.Contains("The test over 1 cell of 1 run cannot fail with so few rounds", new AaReport().Make(new ReportModel(few)),
            StringComparison.Ordinal);
        Assert.StartsWith("No run here", new AaReport().Make(new ReportModel(Simulated.Run([[1, 2], [2, 3]], arms: 2))),
            StringComparison.Ordinal);
    }

    [Fact]
    public void The_row_of_a_size_that_only_one_run_measured_counts_only_the_rounds_of_that_run()
    {
        double[] rates = [.. Enumerable.Range(0, 12).Select(i => 1000.0 + i)];
        double[] others = [.. Enumerable.Range(0, 12).Select(i => 1001.0 + i)];
        var one = Simulated.Run([rates, others, rates, others], arms: 2, variant: AaTest.Variant);
        var other = Simulated.Run([rates, others], arms: 2, variant: AaTest.Variant);
        var report = new AaReport().Make(new ReportModel([("one", one), ("other", other)]));
        Assert.Contains("| all, 10 B |  |  | 24 | 2 |", report, StringComparison.Ordinal);
        Assert.Matches(@"\| all, 100 B \|[^|]*\|[^|]*\| 12 \| 1 \|", report);
        Assert.StartsWith("# tcp against itself\n", report, StringComparison.Ordinal);

        other = other with
        {
            Options = other.Options with { Reference = "unix" },
            Cells = [.. other.Cells.Select(cell => cell with { Key = cell.Key with { Transport = "unix" } })],
        };
        report = new AaReport().Make(new ReportModel([("one", one), ("other", other)]));
        Assert.StartsWith("# The reference against itself\n", report, StringComparison.Ordinal);
        Assert.Contains("| second against the first |", report, StringComparison.Ordinal);
        Assert.DoesNotContain("tcp", report, StringComparison.Ordinal);
    }

    [Fact]
    public void The_A_A_test_passes_only_if_the_interval_lies_within_delta()
    {
        var random = new Random(6);
        MeasuredRun Noisy(double noise) => new(Simulated.Run([[.. Enumerable.Repeat(1000.0, 12)], [.. Enumerable.Range(0, 12)
            .Select(_ => 1000 * Math.Exp(noise * Simulated.Gaussian(random)))]], arms: 2, variant: AaTest.Variant));
        Assert.StartsWith("A/A passed", Answers.For(Noisy(0.005))[^1], StringComparison.Ordinal);
        Assert.StartsWith("A/A not decided: tcp against itself is ", Answers.For(Noisy(0.1))[^1], StringComparison.Ordinal);
    }

    [Fact]
    public void A_failed_A_A_test_and_too_few_rounds_for_the_A_A_test_are_each_the_first_doubt()
    {
        double[] fast = [.. Enumerable.Range(0, 12).Select(i => 1100.0 + i)], slow = [.. Enumerable.Range(0, 12).Select(i => 1000.0 + i)];
        var failed = new MeasuredRun(Simulated.Run([slow, fast, slow, fast], arms: 2, variant: AaTest.Variant));
        Assert.Equal("aa-failed", Doubt.Find(failed)[0].Id);
        var few = new MeasuredRun(Simulated.Run([slow[..3], fast[..3]], arms: 2, variant: AaTest.Variant));
        Assert.Equal("aa-too-few-rounds", Doubt.Find(few)[0].Id);
        var equal = new MeasuredRun(Simulated.Run([slow, [.. slow.Select((rate, i) => rate * (i % 2 == 0 ? 1.01 : 0.99))]], arms: 2,
            variant: AaTest.Variant));
        Assert.DoesNotContain(Doubt.Find(equal), doubt => doubt.Id.StartsWith("aa-", StringComparison.Ordinal));
        Assert.StartsWith(
            "A/A passed: tcp against itself is equal within ±3.0 % over 1 cell: ", Answers.For(equal)[^1], StringComparison.Ordinal);
        Assert.DoesNotContain(Answers.For(failed).Concat(Answers.For(few)), answer => answer.StartsWith("A/A", StringComparison.Ordinal));
    }
}
