using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

/// <summary>
/// Thousands of simulated campaigns on a machine whose speed wanders: what the method says of arms whose difference is known.
/// </summary>
public sealed class CampaignTests
{
    private const int Campaigns = 2000;

    /// <summary>Log rates of two arms measured one after the other: speed wanders from one measurement to the next.</summary>
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
            // The order within a round is shuffled: the wander favours neither.
            for (var round = 0; round < rounds; round++)
            {
                if (random.Next(2) == 0)
                    (first[round], second[round]) = (second[round] - difference, first[round] + difference);
            }
        }
        return (first, second);
    }

    private static Verdict Judge((double[] Base, double[] New) arms, int rounds, double alpha) => Verdict.Of(RatioEstimate.Paired(
        arms.Base.Zip(arms.New, (a, b) => (Math.Exp(a), Math.Exp(b))).Take(rounds), alpha)!, 0.03);

    private static bool Differs(Verdict verdict) => verdict.Kind is VerdictKind.Higher or VerdictKind.Lower;

    private static double Share(Func<Random, bool> campaign, int campaigns = Campaigns)
    {
        var random = new Random(20260101);
        return Enumerable.Range(0, campaigns).Count(_ => campaign(random)) / (double)campaigns;
    }

    [Fact]
    public void Identical_arms_are_called_different_in_about_5_percent_with_a_fixed_number_of_rounds() =>
        Assert.InRange(Share(random => Differs(Judge(Measure(random, 7, interleaved: true), 7, 0.05))), 0.03, 0.07);

    [Fact]
    public void Identical_arms_are_called_different_in_about_5_percent_with_automatic_rounds() =>
        Assert.InRange(Share(random => Differs(Auto(random, StoppingRule.Looks, StoppingRule.AlphaOfLook))), 0.03, 0.07);

    [Fact]
    public void Without_a_correction_for_looking_many_times_it_would_be_far_more() =>
        Assert.InRange(Share(random => Differs(Auto(random, [.. Enumerable.Range(6, 25)], 0.05)), 300), 0.12, 1);

    [Fact]
    public void All_rounds_of_one_arm_after_all_of_the_other_would_call_identical_arms_different_in_more_than_20_percent() =>
        Assert.InRange(Share(random => Differs(Judge(Measure(random, 7, interleaved: false), 7, 0.05))), 0.2, 1);

    [Fact]
    public void A_true_difference_of_5_percent_is_found_and_never_called_no_difference()
    {
        Assert.InRange(Share(random =>
            Judge(Measure(random, 12, interleaved: true, 0.05, 0.015, 0.01), 12, 0.05).Kind == VerdictKind.Higher), 0.97, 1);
        Assert.InRange(Share(random =>
            Judge(Measure(random, 12, interleaved: true, 0.05, 0.03), 12, 0.05).Kind == VerdictKind.NoDifference), 0, 0.0005);
        Assert.InRange(Share(random => Auto(random, StoppingRule.Looks, StoppingRule.AlphaOfLook, 0.05).Kind == VerdictKind.NoDifference),
            0, 0.003);
        Assert.InRange(Share(random => Auto(random, StoppingRule.Looks, StoppingRule.AlphaOfLook, 0.05).Kind == VerdictKind.Higher), 0.9,
            1);
    }

    [Fact]
    public void The_level_of_a_look_keeps_all_looks_together_near_5_percent()
    {
        var critical = StoppingRule.Looks
            .Select(look => (Look: look, W: SignedRank.CriticalValue(look, StoppingRule.AlphaOfLook))).ToList();
        Assert.InRange(Share(random =>
        {
            double[] differences = [.. Enumerable.Range(0, StoppingRule.Looks[^1]).Select(_ => Simulated.Gaussian(random))];
            return critical.Exists(c => RankSumOf(differences[..c.Look]) is var w && Math.Min(w, c.Look * (c.Look + 1) / 2 - w) <= c.W);
        }), 0.04, 0.06);

        static double RankSumOf(double[] differences) => differences.OrderBy(Math.Abs).Select((d, i) => d > 0 ? i + 1 : 0).Sum();
    }

    [Fact]
    public void Stopping_looks_only_at_its_fixed_numbers_of_rounds_and_ends_after_the_last()
    {
        double[] fast = [.. Enumerable.Range(0, 96).Select(i => 1500.0 + i)], slow = [.. Enumerable.Range(0, 96).Select(i => 1000.0 + i)];
        double[] noisy = [.. Enumerable.Range(0, 96).Select(i => 1000 * (i % 2 == 0 ? 0.5 : 2.0))];
        Assert.Equal(new StopDecision(false, 1, 8), After(slow, fast, 7));
        Assert.Equal(new StopDecision(true, 0, 12), After(slow, fast, 8));
        Assert.Equal(new StopDecision(false, 1, 12), After(slow, fast, 9));
        Assert.Equal(new StopDecision(false, 1, 12), After(slow, noisy, 8));
        Assert.True(After(slow, noisy, 96).Stop);

        static StopDecision After(double[] reference, double[] arm, int rounds) =>
            StopDecision.After(Simulated.Run([reference[..rounds], arm[..rounds]], arms: 2));
    }

    [Fact]
    public void Rounds_at_a_load_stop_when_they_are_decided_whatever_has_no_rounds_of_it()
    {
        double[] slow = [.. Enumerable.Range(0, 12).Select(i => 1000.0 + i)], fast = [.. slow.Select(rate => rate * 1.5)];
        var full = Simulated.Run([slow, fast], arms: 2);
        IEnumerable<Cell> At(string load, long size) => full.Cells.Select(cell => cell with
        {
            Key = cell.Key with { Load = load, Size = size },
        });
        var run = full with
        {
            // At a load, at one where nothing was completed before, and a search that comes later.
            Cells = [.. full.Cells, .. At("50%", 10), .. At("50%", 1_000_000), .. At("p99<1ms", 10)],
            Rounds = [.. full.Rounds, .. full.Rounds.Select(round => round with
            {
                Cell = round.Cell + 2,
                Latency = ConclusionTests.Calls(1000, round.Cell == 0 ? 2 : 1),
            })],
        };
        Assert.Equal(new StopDecision(true, 0, 17), StopDecision.After(run));
    }

    private static Verdict Auto(Random random, IReadOnlyList<int> looks, double alpha, double difference = 0)
    {
        var arms = Measure(random, looks[^1], interleaved: true, difference);
        return looks.Select(look => Judge(arms, look, alpha)).FirstOrDefault(StoppingRule.IsDecided) ?? Judge(arms, looks[^1], alpha);
    }
}
