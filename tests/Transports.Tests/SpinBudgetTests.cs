using IpcBench.Transports.Loop;

namespace IpcBench.Transports.Tests;

public class SpinBudgetTests
{
    [Theory]
    [InlineData(10_000_000, 12_345, 1_234_500)] // most Windows machines
    [InlineData(14_318_180, 10 * 14_318_180L, 10_000_000_000)] // the HPET: a tick is 69.84 ns
    [InlineData(19_200_000, 24 * 3600 * 19_200_000L + 1, 24 * 3600 * 1_000_000_000L + 52)]
    [InlineData(2_500_000_000, 5_000_000_001, 2_000_000_000)]
    public void Ticks_of_any_clock_are_converted_to_nanoseconds(long perSecond, long ticks, long ns) =>
        Assert.Equal(ns, MonotonicClock.Nanoseconds(ticks, perSecond));

    [Fact]
    public void The_loop_sleeps_most_of_a_wait_and_spins_at_its_end()
    {
        var spin = new SpinBudget();
        var sleep = spin.Next(1_000_000, 2_000_000);
        Assert.InRange(sleep, 950_000, 999_999);
        Assert.Equal(0, spin.Next(1_000_000 + sleep, 2_000_000));
    }

    [Theory]
    [InlineData(5_000, 3_000, 12_000)]
    [InlineData(30_000, 35_000, 50_000)]
    [InlineData(10_000_000, 50_000, 50_000)]
    public void The_sleep_is_shortened_by_the_learned_lateness_of_wake_ups(long lateness, long least, long most)
    {
        var spin = new SpinBudget();
        long now = 1, sleep = 0;
        for (var i = 0; i < 200; i++)
        {
            sleep = spin.Next(now, now + 10_000_000);
            now += sleep + lateness;
        }
        Assert.InRange(10_000_000 - sleep, least, most);
    }

    [Fact]
    public void At_most_about_a_tenth_of_the_time_is_spent_spinning()
    {
        var spin = new SpinBudget();
        long now = 1, spun = 0;
        while (now < 1_000_000_000)
        {
            for (var due = now + 60_000; now < due;)
            {
                var sleep = spin.Next(now, due);
                if (sleep == 0)
                    (spun, now) = (spun + 1_000, now + 1_000);
                else
                    now += sleep + 20_000;
            }
        }
        Assert.InRange(spun, 1_000_000, 105_000_000);
    }
}
