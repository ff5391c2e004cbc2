using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

/// <summary>Checks the ratio of two arms in rounds that were measured in slices.</summary>
public sealed class RoundPairsTests
{
    private const int Rounds = 8, Slices = 20;

    [Fact]
    public void Noise_common_to_both_arms_of_a_pair_does_not_widen_the_interval()
    {
        var random = new Random(20260901);
        double[][] common = [.. Enumerable.Range(0, Rounds).Select(_ => Noise(random, 0.3))];
        double[][] Arm(double ahead) => [.. common.Select(round => round.Select((noise, _) =>
            1000 * Math.Exp(ahead + noise + 0.02 * Simulated.Gaussian(random))).ToArray())];
        var paired = Estimate(Arm(0), Arm(0.05));
        // The same rounds, but the slices of the two arms do not share their noise.
        var apart = Estimate(Arm(0), [.. Enumerable.Range(0, Rounds).Select(_ =>
            Noise(random, 0.3).Select(noise => 1000 * Math.Exp(0.05 + noise)).ToArray())]);

        Assert.Equal(VerdictKind.Higher, Verdict.From(paired, 0.03).Kind);
        Assert.InRange(paired.Ratio, 1.04, 1.065);
        Assert.InRange(Width(paired), 0, 0.02);
        Assert.True(Width(apart) > 5 * Width(paired));
    }

    [Fact]
    public void A_slice_of_only_one_arm_is_left_out() =>
        Assert.Equal(Math.Log(1.1), RoundPairs.LogRatio(Of(1100, 2200, 3300), Of(1000, 2000, 3000, 9999), Metric.Rate)!.Value, 1e-9);

    [Fact]
    public void A_standstill_of_a_few_slices_does_not_move_the_ratio_and_one_of_most_slices_leaves_it_to_the_round()
    {
        Assert.Equal(Math.Log(1.1), RoundPairs.LogRatio(Of(1100, 0, 3300, 4400), Of(1000, 2000, 3000, 0), Metric.Rate)!.Value, 1e-9);
        Assert.Null(RoundPairs.LogRatio(Of(0, 0), Of(1000, 2000), Metric.Rate));
        Assert.Null(RoundPairs.LogRatio(Of(0, 0, 0, 1000), Of(1000, 1000, 1000, 1000), Metric.Rate));
    }

    [Fact]
    public void Rounds_and_metrics_without_slices_have_no_ratio_of_slices()
    {
        Assert.Null(RoundPairs.LogRatio(null, Of(1000), Metric.Rate));
        Assert.Null(RoundPairs.LogRatio(Of(1000), Of(1000), Metric.P50));
        Assert.Null(RoundPairs.LogRatio(Of(1000), Of(1000), Metric.ClientCpu));
    }

    /// <summary>
    /// Simulates arms whose slices share correlated noise, and have noise of their own, stalled slices and different
    /// starts. The interval comes from one ratio per round, so it covers all of these effects.
    /// </summary>
    [Theory]
    [InlineData(0, 0)]
    [InlineData(0.03, 0)]
    [InlineData(0.03, 0.02)]
    [InlineData(0, 0.02)]
    public void Intervals_from_slices_contain_the_true_ratio_in_95_percent_of_runs(double starts, double stalls)
    {
        const double Truth = 0.1;
        var missed = Simulated.Share(1000, 20261124, random =>
        {
            double[][] reference = new double[Rounds][], arm = new double[Rounds][];
            for (var round = 0; round < Rounds; round++)
            {
                var (shared, start) = (0.0, starts * Simulated.Gaussian(random));
                (reference[round], arm[round]) = (new double[Slices], new double[Slices]);
                for (var slice = 0; slice < Slices; slice++)
                {
                    // Correlation of 0.9 from slice to slice, a standard deviation of 20 %.
                    shared = 0.9 * shared + 0.2 * Math.Sqrt(1 - 0.81) * Simulated.Gaussian(random);
                    double Own() => 1000 * Math.Exp(shared + 0.1 * Simulated.Gaussian(random)) * (random.NextDouble() < stalls ? 0.3 : 1);
                    (reference[round][slice], arm[round][slice]) = (Own(), Own() * Math.Exp(Truth + start));
                }
            }
            return !Estimate(reference, arm).Interval!.Value.Contains(Math.Exp(Truth));
        });
        Assert.InRange(Simulated.Told(missed, $"starts {starts:0.00}, stalled {stalls:0.00}: missed"), 0,
            0.05 + Simulated.Margin(0.05, 1000));
    }

    private static double[] Noise(Random random, double spread) =>
        [.. Enumerable.Range(0, Slices).Select(_ => spread * Simulated.Gaussian(random))];

    private static SliceReadings Of(params double[] rates) =>
        new() { PlannedSeconds = 0.05, Rates = rates, Order = [.. rates.Select((_, i) => i % 2)] };

    private static double Width(RatioEstimate estimate) => Math.Log(estimate.Interval!.Value.High / estimate.Interval.Value.Low);

    private static RatioEstimate Estimate(double[][] reference, double[][] arm)
    {
        var run = Simulated.Run([[.. reference.Select(slices => slices.Average())], [.. arm.Select(slices => slices.Average())]], arms: 2);
        var measured = new MeasuredRun(run with
        {
            Rounds = [.. run.Rounds.Select(round => round with
            {
                Slices = Of((round.Cell == 0 ? reference : arm)[round.Number - 1]),
            })],
        });
        return ArmComparison.Compare(measured, measured.Cells[1], measured.Cells[0], Metric.Rate)!.Verdict.Estimate;
    }
}
