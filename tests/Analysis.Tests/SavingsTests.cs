using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

/// <summary>Checks what another arm would save at a measured rate.</summary>
public class SavingsTests
{
    [Theory]
    [InlineData(0.280, true, "At 5,000 calls/s, 10 B, unix in place of tcp: 0.310 → 0.280 cores, −0.030 [−0.030, −0.030]; p50 ")]
    [InlineData(0.310, true, "At 5,000 calls/s, 10 B, unix in place of tcp: 0.310 → 0.310 cores, 0.000 [0.000, 0.000] (not decided); ")]
    [InlineData(0.3097, true, "At 5,000 calls/s, 10 B, unix in place of tcp: 0.3100 → 0.3097 cores, −0.0003 [−0.0003, −0.0003]; p50 ")]
    [InlineData(0.280, false, "At 5,000 calls/s, 10 B, unix in place of tcp: 0.230 → 0.200 cores of the client, −0.030 [")]
    public void A_saving_is_stated_in_cores_and_latency_at_the_measured_rate(double cores, bool server, string expected)
    {
        var line = Assert.Single(Answers.For(new MeasuredRun(AtFiveThousand(cores, server))), line => line.Contains(" in place of "));

        Assert.StartsWith(expected, line, StringComparison.Ordinal);
        Assert.Matches(@"; p50 \d+\.\d\d → \d+\.\d\d ms, −\d\.\d\d \[−\d\.\d\d, −\d\.\d\d\]\.$", line);
    }

    [Fact]
    public void With_too_few_rounds_the_sentence_about_a_saving_states_no_difference()
    {
        var run = AtFiveThousand(0.28, server: true);
        run = run with { Rounds = [.. run.Rounds.Where(round => round.Number <= 2)] };
        var line = Assert.Single(Answers.For(new MeasuredRun(run)), line => line.Contains(" in place of "));
        Assert.Contains(": 0.310 → 0.280 cores (too few rounds for an interval); p50 ", line, StringComparison.Ordinal);
    }

    [Fact]
    public void A_saving_names_the_doubts_of_its_arms()
    {
        var run = AtFiveThousand(0.28, server: true);
        run = run with
        {
            Rounds = [.. run.Rounds.Select(round => round.Cell == 1
                ? round with { Connections = round.Connections with { Opened = round.Connections.Requested - 1 } } : round)],
        };
        var line = Assert.Single(Answers.For(new MeasuredRun(run)), line => line.Contains(" in place of "));
        Assert.EndsWith("] (doubt: connections).", line, StringComparison.Ordinal);
    }

    [Fact]
    public void A_change_in_cores_that_contradicts_the_shown_medians_is_labelled_in_pairs_of_a_round()
    {
        var run = AtFiveThousand(0.32, server: true);
        run = run with
        {
            Rounds = [.. run.Rounds.Where(round => round is not { Cell: 1, Number: 9 }).Select(round => round.Number < 5 ? round
                : round with { Client = round.Client with { CpuUserNs = round.Client.CpuUserNs + 400_000_000 } })],
        };
        var line = Assert.Single(Answers.For(new MeasuredRun(run)), line => line.Contains(" in place of "));
        Assert.Contains("0.510 → 0.420 cores, +0.010 in pairs of a round [", line, StringComparison.Ordinal);
    }

    [Fact]
    public void An_arm_that_misses_the_rate_has_no_saving()
    {
        var run = AtFiveThousand(0.28, server: true);
        run = run with { Rounds = [.. run.Rounds.Select(round => round.Cell == 0 ? round with { Credited = 8000 } : round)] };

        Assert.Contains("At 5,000 calls/s, 10 B, unix in place of tcp: tcp reached only 4,000/s, so nothing is known at the given rate.",
            Answers.For(new MeasuredRun(run)));
    }

    [Fact]
    public void The_latency_of_messages_without_times_is_reported_as_not_known_beside_their_CPU()
    {
        var made = AtFiveThousand(0.28, server: true);
        RunRecord Untimed(string load) => made with
        {
            Cells = [.. made.Cells.Select(cell => cell with
            {
                Key = cell.Key with { Mode = "push", Method = "a.B/Take", Load = load },
            })],
            // Some messages were not sent, and only a lower bound of their wait is known.
            Rounds = [.. made.Rounds.Select(round => round with
            {
                Latency = "",
                LatencySumNs = 0,
                NotSent = 1000,
                NotSentLatency = LatencyOf(1000, 5_000_000),
            })],
        };
        var given = new MeasuredRun(Untimed("5000/s"));
        Assert.Equal(
            [
                "Take: not decided between tcp push and unix push: the latency of a message is not known; unix push takes 9.7 % [9.7 %, "
                    + "9.7 %] less CPU a call than tcp push.",
                "At 5,000 calls/s, Take, unix push in place of tcp push: 0.310 → 0.280 cores, −0.030 [−0.030, −0.030]; the latency of a "
                    + "message is not known.",
            ],
            Answers.For(given));
        Assert.All(given.Cells, cell => Assert.Null(cell.Value(Metric.P50)));
        Assert.Contains("\nLatency: not known\n", Transcript.CellResult(given.Record, given.Record.Rounds[0]), StringComparison.Ordinal);

        var alone = Untimed("max");
        alone = alone with { Cells = [.. alone.Cells.Take(1)], Rounds = [.. alone.Rounds.Where(round => round.Cell == 0)] };
        Assert.Equal(
            "Take: tcp push carries 5,000 messages/s for 62.0 µs of client + server CPU each; the latency of a message is not known.",
            Assert.Single(Answers.For(new MeasuredRun(alone))));

        static string LatencyOf(int calls, long ns)
        {
            var histogram = new LatencyHistogram();
            histogram.Record(ns, calls);
            return histogram.Encode();
        }
    }

    [Fact]
    public void A_run_at_full_load_has_no_saving() => Assert.DoesNotContain(
        Answers.For(new MeasuredRun(new SampleRuns { Sizes = [10] }.Make())), line => line.Contains(" in place of "));

    /// <summary>Makes two arms at 5,000 calls/s for two seconds. tcp takes 0.31 cores, of which the server takes 0.08.</summary>
    private static RunRecord AtFiveThousand(double cores, bool server)
    {
        var made = new SampleRuns { Transports = ["tcp", "unix"], Sizes = [10], Rounds = 9, SamplesPerRound = 4000, Noise = 0.001 }.Make();
        return made with
        {
            Cells = [.. made.Cells.Select(cell => cell with { Key = cell.Key with { Load = "5000/s" } })],
            Rounds = [.. made.Rounds.Select(round => round with
            {
                AskedRate = 5000,
                WindowNs = 2_000_000_000,
                Credited = 10_000,
                Connections = round.Connections with { ServerCalls = null },
                Client = Takes(round.Client, (round.Cell == 0 ? 0.31 : cores) - 0.08 + round.Number * 0.0001 - 0.0005),
                Server = server ? Takes(round.Server!, 0.08) : null,
            })],
        };

        static ProcessUsage Takes(ProcessUsage usage, double cores) =>
            usage with { CpuUserNs = (long)(cores * 2e9), CpuKernelNs = 0, Calls = 10_000, CountedCalls = 10_000 };
    }
}
