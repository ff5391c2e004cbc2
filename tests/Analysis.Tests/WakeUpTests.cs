using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

/// <summary>Checks what reports say of wake-ups and system calls per call.</summary>
public class WakeUpTests
{
    [Fact]
    public void Context_switches_are_unknown_on_a_system_that_does_not_count_them()
    {
        var round = new SampleRuns { Rounds = 1 }.Make().Rounds[0];
        var metric = Metric.All.Single(metric => metric.Id == "client_switches");
        Assert.NotNull(metric.Value(new RoundMetrics(round)));
        Assert.Null(metric.Value(new RoundMetrics(round with { Client = round.Client with { ContextSwitches = 0 } })));
    }

    [Theory]
    [InlineData(2.0, "On unix the server is woken 2.0 times per call, on tcp 1.0 (10 B).")]
    [InlineData(1.05, null)] // decided, but too small to be a cause
    [InlineData(1.0, null)]
    public void Context_switches_are_mentioned_if_their_difference_is_decided(double times, string? expected)
    {
        var run = Woken(times, noise: 0.01);

        var text = Reports.Find("text")!.Make(new ReportModel(run));
        Assert.Equal(expected, text.Split('\n').Select(line => line.Trim())
            .FirstOrDefault(line => line.Contains(" is woken ", StringComparison.Ordinal)));
        Assert.Contains("server woken", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Wake_ups_whose_noise_exceeds_their_difference_are_not_mentioned() =>
        Assert.DoesNotContain(" is woken ", Reports.Find("text")!.Make(new ReportModel(Woken(2.0, noise: 1.5))), StringComparison.Ordinal);

    [Fact]
    public void A_file_without_context_switches_has_no_table_of_wake_ups() => Assert.DoesNotContain(
        "woken", Reports.Find("text")!.Make(new ReportModel(new SampleRuns { Sizes = [10] }.Make())), StringComparison.Ordinal);

    [Fact]
    public void The_number_of_each_system_call_per_call_is_in_its_own_column_of_the_table()
    {
        var run = new SampleRuns { Sizes = [10], Transports = ["unix"] }.Make();
        run = run with
        {
            Rounds = [.. run.Rounds.Select(round => round with { Client = Of(round.Client, 2, 7), Server = Of(round.Server!, 4, 10) })],
        };

        Assert.Contains(
            "| size | transport | client woken | server woken | client preempted | server preempted | receives | empty receives | sends "
                + "| epoll_waits | server receives | server empty receives | server sends | server epoll_waits |\n"
                + "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
                + "| 10 B | unix | 2 | 4 | 3 | 5 | 7 | 8 | 9 | 10 | 10 | 11 | 12 | 13 |\n",
            Reports.Find("markdown")!.Make(new ReportModel(run)), StringComparison.Ordinal);

        // Per call: wake-ups, one preemption more than wake-ups, and system calls that count up from the number of receives.
        static ProcessUsage Of(ProcessUsage usage, int woken, int receives) => usage with
        {
            VoluntarySwitches = woken * usage.Calls,
            ContextSwitches = (woken + woken + 1) * usage.Calls,
            Loop = new LoopUsage
            {
                Receives = receives * usage.Calls,
                EmptyReceives = (receives + 1) * usage.Calls,
                Sends = (receives + 2) * usage.Calls,
                Waits = (receives + 3) * usage.Calls,
            },
        };
    }

    /// <summary>Makes a run whose server is woken once per call on tcp and <paramref name="onUnix"/> times on unix.</summary>
    private static RunRecord Woken(double onUnix, double noise)
    {
        var run = new SampleRuns { Sizes = [10], Transports = ["tcp", "unix"] }.Make();
        return run with { Rounds = [.. run.Rounds.Select(round => round with { Server = Woken(round) })] };

        ProcessUsage Woken(Measurement round)
        {
            var times = (round.Cell == 1 ? onUnix : 1) + (round.Cell == 1 && round.Number % 2 == 0 ? -noise : 0);
            var woken = (long)(times * round.Server!.Calls);
            return round.Server with { VoluntarySwitches = woken, ContextSwitches = woken * 2 };
        }
    }
}
