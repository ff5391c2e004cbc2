using IpcBench.Transports.Loop;

namespace IpcBench.Transports.Tests;

public class SpinBudgetTests
{
    [Fact]
    public void Sleeps_up_to_the_last_stretch_and_spins_the_rest()
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
    public void Learns_how_late_the_system_wakes(long lateness, long least, long most)
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
    public void Never_spins_more_than_a_tenth_of_the_time()
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
