using System.Diagnostics;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;
using IpcBench.Client.Terminal;
using IpcBench.Client.Tests.Cli;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Terminal;

public sealed class TimeLeftTests
{
    private static long At(double seconds) => 1 + (long)(seconds * Stopwatch.Frequency);

    private static (ExpectedTime Time, BenchPlan Plan) Expected(params string[] arguments)
    {
        var options = Typed.Read(Presets.Main, [.. arguments, "-s", "10,1M", "--warmup", "500ms"]);
        var plan = new BenchPlan(options, [new Target(Address.Parse("unix:/tmp/a.sock"), options.Variants[0])]);
        return (new ExpectedTime(options, plan), plan);
    }

    [Theory]
    [InlineData(1.0)] // as planned
    [InlineData(3.0)] // slower than planned
    [InlineData(0.3)] // quicker
    public void It_never_goes_up_never_jumps_and_is_over_when_the_run_is(double pace)
    {
        var (time, plan) = Expected("-r", "10", "-d", "500ms");
        var (left, now, shown) = (new TimeLeft(), 0.0, new List<TimeSpan>());
        time.Begin(At(0));
        for (var round = 1; round <= 10; round++)
        {
            foreach (var cell in plan.Cells)
            {
                // The second cell takes twice as long as the first, which the plan does not know.
                for (var end = now + pace * (1 + cell.Index); now < end; now += 0.2)
                    shown.Add(left.At(time.Left(At(now)), At(now))!.Value);
                time.Finished(cell.Index, round, At(now));
            }
        }
        Assert.Equal(plan.Cells.Count * 10 * 1.18, shown[0].TotalSeconds, 1);
        Assert.All(shown.Zip(shown.Skip(1)), pair => Assert.InRange((pair.First - pair.Second).TotalSeconds, 0, 3));
        Assert.InRange(shown[^1].TotalSeconds, 0, 2 * pace);
    }

    [Fact]
    public void With_rounds_auto_it_is_bounded_by_the_time_that_was_given()
    {
        var (time, _) = Expected("-r", "auto", "--transports", "tcp,unix", "--max-time", "90s");
        time.Begin(At(0));
        Assert.Equal(TimeSpan.FromSeconds(90), time.Left(At(0)));
        Assert.Equal(TimeSpan.FromSeconds(30), time.Left(At(60)));
        Assert.Equal(TimeSpan.Zero, time.Left(At(200)));
    }

    [Fact]
    public void Where_calls_are_counted_the_first_round_must_tell()
    {
        var (time, plan) = Expected("-r", "3", "-n", "1000");
        time.Begin(At(0));
        Assert.Null(time.Left(At(1)));
        time.Finished(plan.Cells[0].Index, 1, At(2));
        Assert.Null(time.Left(At(2)));
        time.Finished(plan.Cells[1].Index, 1, At(5));
        Assert.Equal(10, time.Left(At(5))!.Value.TotalSeconds, 3);
    }
}
