using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

/// <summary>
/// Simulates thousands of campaigns on a machine whose speed wanders, and checks the verdicts on arms whose difference is known.
/// </summary>
public sealed class CampaignTests
{
    private const int Campaigns = 2000;

    /// <summary>Simulates the log rates of two arms. The machine's speed wanders from one measurement to the next.</summary>
    private static (double[] Base, double[] New) Measure(Random random, int rounds, bool interleaved, double difference = 0,
        double noise = 0.04, double wander = 0.02)
    {
        var (speed, first, second) = (0.0, new double[rounds], new double[rounds]);
        for (var i = 0; i < 2 * rounds; i++)
        {
            var (round, isSecond) = interleaved ? (i / 2, i % 2 == 1) : (i % rounds, i >= rounds);
            speed += wander * Simulated.Gaussian(random);
            (isSecond ? second : first)[round] = speed + noise * Simulated.Gaussian(random) + (isSecond ? difference : 0);
        }
        if (interleaved)
        {
            // The order within a round is shuffled, so that the wander favours neither arm.
            for (var round = 0; round < rounds; round++)
            {
                if (random.Next(2) == 0)
                    (first[round], second[round]) = (second[round] - difference, first[round] + difference);
            }
        }
        return (first, second);
    }

    private static Verdict Judge((double[] Base, double[] New) arms, int rounds, bool isLookedAt = false) =>
        Verdict.From(RatioEstimate.FromPairs(
        arms.Base.Zip(arms.New, (a, b) => (Math.Exp(a), Math.Exp(b))).Take(rounds).Select((pair, i) => (i + 1, pair.Item1, pair.Item2)),
        isLookedAt)!, 0.03);

    private static bool Differs(Verdict verdict) => verdict.Kind is VerdictKind.Higher or VerdictKind.Lower;

    private static double Share(Func<Random, bool> campaign, int campaigns = Campaigns) => Simulated.Share(campaigns, 20260101, campaign);

    [Fact]
    public void About_5_percent_of_campaigns_with_fixed_rounds_report_a_difference_of_identical_arms() =>
        Assert.InRange(Share(random => Differs(Judge(Measure(random, 7, interleaved: true), 7))),
            0.05 - Simulated.Margin(0.05, Campaigns), 0.05 + Simulated.Margin(0.05, Campaigns));

    [Fact]
    public void At_most_5_percent_of_campaigns_with_automatic_rounds_report_identical_arms_as_different() =>
        Assert.InRange(Share(random => Differs(Auto(random)), 1000), 0, 0.05 + Simulated.Margin(0.05, 1000));

    [Fact]
    public void Over_12_percent_of_campaigns_would_report_a_difference_without_a_correction_for_looks() =>
        Assert.InRange(Share(random => Differs(Auto(random, isLookedAt: false, most: 30)), 600), 0.12, 1);

    [Fact]
    public void Arms_measured_one_after_the_other_would_differ_falsely_in_over_20_percent_of_campaigns() =>
        Assert.InRange(Share(random => Differs(Judge(Measure(random, 7, interleaved: false), 7))), 0.2, 1);

    [Fact]
    public void A_true_difference_of_5_percent_is_mostly_reported_and_almost_never_reported_as_absent()
    {
        Assert.InRange(Share(random =>
            Judge(Measure(random, 12, interleaved: true, 0.05, 0.015, 0.01), 12).Kind == VerdictKind.Higher), 0.97, 1);
        Assert.InRange(Share(random =>
            IsRuledOut(Judge(Measure(random, 12, interleaved: true, 0.05, 0.03), 12))), 0, 0.0005);
        Assert.InRange(Share(random => IsRuledOut(Auto(random, difference: 0.05))), 0, 0.003);
        Assert.InRange(Share(random => Auto(random, difference: 0.05).Kind == VerdictKind.Higher), 0.9,
            1);
    }

    [Fact]
    public void Automatic_rounds_end_as_soon_as_all_comparisons_are_decided()
    {
        double[] slow = [.. Enumerable.Range(0, 40).Select(i => 1000.0 + i)];
        double[] fast = [.. slow.Select((rate, i) => rate * (1.5 + 0.01 * (i % 3)))];
        double[] noisy = [.. Enumerable.Range(0, 40).Select(i => 1000 * (i % 2 == 0 ? 0.5 : 2.0))];
        Assert.Equal(new StopDecision(false, 1), After(slow, fast, 4));
        Assert.Equal(new StopDecision(true, 0), After(slow, fast, 8));
        Assert.Equal(new StopDecision(false, 1), After(slow, noisy, 40));

        static StopDecision After(double[] reference, double[] arm, int rounds) =>
            StopDecision.After(Simulated.Run([reference[..rounds], arm[..rounds]], arms: 2));
    }

    [Fact]
    public void Rounds_of_a_given_load_end_when_their_comparisons_are_decided()
    {
        double[] slow = [.. Enumerable.Range(0, 12).Select(i => 1000.0 + i)], fast = [.. slow.Select(rate => rate * 1.5)];
        var full = Simulated.Run([slow, fast], arms: 2);
        IEnumerable<Cell> At(string load, long size) => full.Cells.Select(cell => cell with
        {
            Key = cell.Key with { Load = load, Size = size },
        });
        var run = full with
        {
            // Two sizes at a given load, of which the second has no round yet, and a rate search that comes later.
            Cells = [.. full.Cells, .. At("50%", 10), .. At("50%", 1_000_000), .. At("p99<1ms", 10)],
            Rounds = [.. full.Rounds, .. full.Rounds.Select(round => round with
            {
                Cell = round.Cell + 2,
                Latency = ConclusionTests.Calls(1000, round.Cell == 0 ? 2 : 1),
            })],
        };
        Assert.Equal(new StopDecision(true, 0), StopDecision.After(run));
    }

    private static bool IsRuledOut(Verdict verdict) => verdict is { Kind: VerdictKind.NoDifference, WantsMoreRounds: false };

    private static Verdict Auto(Random random, double difference = 0, bool isLookedAt = true, int most = 60)
    {
        var arms = Measure(random, most, interleaved: true, difference);
        return Enumerable.Range(6, most - 5).Select(look => Judge(arms, look, isLookedAt))
            .FirstOrDefault(verdict => !verdict.WantsMoreRounds) ?? Judge(arms, most, isLookedAt);
    }
}
