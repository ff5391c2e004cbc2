using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

public class AnswerTests
{
    [Fact]
    public void An_arm_that_another_is_ahead_of_is_no_candidate_though_the_leader_had_a_bad_round()
    {
        var quiet = new SampleRuns
        {
            Sizes = [10],
            Rounds = 8,
            Noise = 0.001,
            Speed = (transport, _) =>
            transport switch { "unix" => 1.01, "pipe" => 0.8, _ => 1 }
        }.Make();
        var run = quiet with
        {
            Rounds = [.. quiet.Rounds.Select(round => round is { Cell: 1, Number: 3 }
            ? round with { Completed = round.Completed * 6 / 10 } : round)]
        };

        var answer = Answers.Of(new MeasuredRun(run))[0];

        Assert.StartsWith("10 B: not decided between unix and tcp: unix faster in 7 of 8 rounds, between −", answer,
            StringComparison.Ordinal);
        Assert.Contains("; tcp is faster than pipe by 25.0 % [", answer, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(2.0, "On unix the server is woken 2.0 times a call, on tcp 1.0 (10 B).")]
    [InlineData(1.05, null)] // decided, and too little to be a cause
    [InlineData(1.0, null)]
    public void Wake_ups_are_told_where_their_difference_is_decided(double times, string? expected)
    {
        var run = Woken(times, noise: 0.01);

        Assert.Equal(expected, Answers.Of(new MeasuredRun(run)).FirstOrDefault(line => line.Contains("woken", StringComparison.Ordinal)));
        Assert.Contains("server woken", Reports.Find("text")!.Make(new ReportModel(run)), StringComparison.Ordinal);
    }

    [Fact]
    public void Wake_ups_that_scatter_more_than_they_differ_are_not_told() => Assert.DoesNotContain(
        Answers.Of(new MeasuredRun(Woken(2.0, noise: 1.5))), line => line.Contains("woken", StringComparison.Ordinal));

    [Fact]
    public void A_file_without_wake_ups_has_no_table_of_them() => Assert.DoesNotContain(
        "woken", Reports.Find("text")!.Make(new ReportModel(new SampleRuns { Sizes = [10] }.Make())), StringComparison.Ordinal);

    [Fact]
    public void What_a_call_asks_of_the_system_stands_in_the_table_under_its_heading()
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

        // Of a call: so many wake-ups, one preemption more, and system calls counted up from the last number.
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

    [Theory]
    [InlineData(0.280, true, "At 5,000 calls/s, 10 B, unix in place of tcp: 0.310 → 0.280 cores, −0.030 [−0.030, −0.030]; p50 ")]
    [InlineData(0.310, true, "At 5,000 calls/s, 10 B, unix in place of tcp: 0.310 → 0.310 cores, 0.000 [0.000, 0.000] (not decided); ")]
    [InlineData(0.280, false, "At 5,000 calls/s, 10 B, unix in place of tcp: 0.230 → 0.200 cores of the client, −0.030 [")]
    public void What_a_change_saves_is_told_in_cores_and_latency_of_the_rate_that_was_measured(double cores, bool server, string expected)
    {
        var line = Assert.Single(Answers.Of(new MeasuredRun(AtFiveThousand(cores, server))), line => line.Contains(" in place of "));

        Assert.StartsWith(expected, line, StringComparison.Ordinal);
        Assert.Matches(@"; p50 \d+\.\d\d → \d+\.\d\d ms, −\d\.\d\d \[−\d\.\d\d, −\d\.\d\d\]\.$", line);
    }

    [Fact]
    public void A_change_that_points_the_other_way_than_its_medians_is_said_to_be_one_of_pairs()
    {
        var run = AtFiveThousand(0.32, server: true);
        run = run with
        {
            Rounds = [.. run.Rounds.Where(round => round is not { Cell: 1, Number: 9 }).Select(round => round.Number < 5 ? round
                : round with { Client = round.Client with { CpuUserNs = round.Client.CpuUserNs + 400_000_000 } })],
        };
        var line = Assert.Single(Answers.Of(new MeasuredRun(run)), line => line.Contains(" in place of "));
        Assert.Contains("0.510 → 0.420 cores, +0.010 in pairs of a round [", line, StringComparison.Ordinal);
    }

    [Fact]
    public void Of_an_arm_that_falls_behind_the_rate_no_saving_is_told()
    {
        var run = AtFiveThousand(0.28, server: true);
        run = run with { Rounds = [.. run.Rounds.Select(round => round.Cell == 0 ? round with { Credited = 8000 } : round)] };

        Assert.Contains("At 5,000 calls/s, 10 B, unix in place of tcp: tcp reached 4,000/s only, so nothing is known at that rate.",
            Answers.Of(new MeasuredRun(run)));
    }

    [Fact]
    public void Of_messages_whose_time_nobody_knows_it_is_said_that_way_and_what_they_cost_all_the_same()
    {
        var made = AtFiveThousand(0.28, server: true);
        RunRecord Untimed(string load) => made with
        {
            Cells = [.. made.Cells.Select(cell => cell with
            {
                Key = cell.Key with { Mode = "push", Method = "a.B/Take", Load = load },
            })],
            // Some were not even sent, and of those a least wait is known.
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
                "Take: not decided between tcp push and unix push: how long a message takes is not known; unix push takes 9.7 % [9.7 %, "
                    + "9.7 %] less CPU a call than tcp push.",
                "At 5,000 calls/s, Take, unix push in place of tcp push: 0.310 → 0.280 cores, −0.030 [−0.030, −0.030]; how long a message "
                    + "takes is not known.",
            ],
            Answers.Of(given));
        Assert.All(given.Cells, cell => Assert.Null(cell.Value(Metric.P50)));
        Assert.Contains("\nLatency: not known\n", Transcript.CellResult(given.Record, given.Record.Rounds[0]), StringComparison.Ordinal);

        var alone = Untimed("max");
        alone = alone with { Cells = [.. alone.Cells.Take(1)], Rounds = [.. alone.Rounds.Where(round => round.Cell == 0)] };
        Assert.Equal(
            "Take: tcp push carries 5,000 messages/s for 62.0 µs of client + server CPU each; how long a message takes is not known.",
            Assert.Single(Answers.Of(new MeasuredRun(alone))));

        static string LatencyOf(int calls, long ns)
        {
            var histogram = new LatencyHistogram();
            histogram.Record(ns, calls);
            return histogram.Encode();
        }
    }

    [Fact]
    public void Nothing_is_saved_at_a_share_of_a_capacity_or_at_full_load() => Assert.DoesNotContain(
        Answers.Of(new MeasuredRun(new SampleRuns { Sizes = [10] }.Make())), line => line.Contains(" in place of "));

    /// <summary>Two arms of which each is offered 5,000 calls/s for two seconds; tcp takes 0.31 cores, 0.08 of them its server.</summary>
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
                Client = Takes(round.Client, (round.Cell == 0 ? 0.31 : cores) - 0.08 + round.Number * 0.0001 - 0.0005),
                Server = server ? Takes(round.Server!, 0.08) : null,
            })],
        };

        static ProcessUsage Takes(ProcessUsage usage, double cores) =>
            usage with { CpuUserNs = (long)(cores * 2e9), CpuKernelNs = 0, Calls = 10_000, CountedCalls = 10_000 };
    }

    /// <summary>A run whose server is woken once a call on tcp, and so many times on unix; the noise alternates.</summary>
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

    [Fact]
    public void Where_the_concurrency_decides_it_is_said_first()
    {
        RunRecord Of(int connections, double unix) => new SampleRuns
        {
            Transports = ["tcp", "unix"],
            Sizes = [1_000_000],
            Connections = [connections],
            Noise = 0.001,
            Speed = (transport, _) => transport == "unix" ? unix : 1
        }.Make();
        RunRecord Both(RunRecord many, RunRecord one) => many with
        {
            Cells = [.. many.Cells, .. one.Cells],
            Rounds = [.. many.Rounds, .. one.Rounds.Select(round => round with { Cell = round.Cell + many.Cells.Count })],
        };

        Assert.Equal("1 MB: which is faster depends on the concurrency: unix with 1 connection and tcp with 400 connections.",
            Answers.Of(new MeasuredRun(Both(Of(400, 0.85), Of(1, 1.27))))[0]);
        var agreed = Answers.Of(new MeasuredRun(Both(Of(400, 1.1), Of(1, 1.27))));
        Assert.StartsWith("1 MB, c 400: unix is fastest", agreed[0], StringComparison.Ordinal);
        Assert.StartsWith("1 MB, c 1: unix is fastest", agreed[1], StringComparison.Ordinal);
    }

    [Fact]
    public void Each_client_has_its_own_answer()
    {
        var wire = new SampleRuns
        {
            Transports = ["tcp", "unix", "pipe"],
            Sizes = [10],
            Noise = 0.001,
            Speed = (transport, _) =>
            transport == "unix" ? 1.2 : 1
        }.Make();
        var theirs = new SampleRuns
        {
            Transports = ["tcp", "unix", "pipe"],
            Sizes = [10],
            Noise = 0.001,
            Speed = (transport, _) =>
            transport == "tcp" ? 1 : 0.8
        }.Make();
        var run = wire with
        {
            Cells = [.. wire.Cells, .. theirs.Cells.Select(cell => cell with { Key = cell.Key with { Client = "grpc-dotnet" } })],
            Rounds = [.. wire.Rounds, .. theirs.Rounds.Select(round => round with { Cell = round.Cell + wire.Cells.Count })],
        };

        var answers = Answers.Of(new MeasuredRun(run));

        Assert.StartsWith("10 B: unix is fastest: faster than tcp by ", answers[0], StringComparison.Ordinal);
        Assert.StartsWith("10 B: tcp grpc-dotnet is fastest: faster than ", answers[1], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(30_000, "costs 200.0 % [200.0 %, 200.0 %] more CPU a call (client + server: 20.0 µs → 60.0 µs)")]
    [InlineData(5_000, "saves 50.0 % [50.0 %, 50.0 %] of the CPU of a call (client + server: 20.0 µs → 10.0 µs)")]
    public void What_the_fastest_costs_is_said_in_cpu_of_a_call(long unixNs, string said)
    {
        var run = new SampleRuns
        {
            Transports = ["tcp", "unix"],
            Sizes = [10],
            Noise = 0.001,
            Speed = (transport, _) => transport == "unix" ? 1.2 : 1,
        }.Make();
        run = run with
        {
            Rounds = [.. run.Rounds.Select(round => round with
            {
                Client = Costing(round.Client, round.Cell == 1 ? unixNs : 10_000),
                Server = Costing(round.Server!, round.Cell == 1 ? unixNs : 10_000),
            })],
        };

        Assert.StartsWith(said, Answers.Of(new MeasuredRun(run))[0].Split(", and ")[^1], StringComparison.Ordinal);

        static ProcessUsage Costing(ProcessUsage usage, long ns) => usage with { CpuUserNs = usage.Calls * ns, CpuKernelNs = 0 };
    }

    [Fact]
    public void Where_many_comparisons_keep_a_winner_from_being_named_it_is_said_who_is_ahead_and_why_that_is_no_win()
    {
        // One pair of eighteen is apart by itself (p = 0.034), and 0.05 / 18 takes more than that.
        var random = new Random(5);
        double[] Rounds(bool isAhead) => [.. Enumerable.Range(1, 12).Select(number =>
            1000 * Math.Exp((isAhead ? number == 3 ? -0.06 : 0.05 : 0) + 0.0001 * Simulated.Gaussian(random)))];
        var run = new MeasuredRun(Simulated.Run([.. Enumerable.Range(0, 18).Select(cell => Rounds(cell == 1))], arms: 3));

        Assert.Contains("unix against tcp faster in 11 of 12 rounds, between +", Answers.Of(run)[0], StringComparison.Ordinal);
        Assert.Contains(", not beyond what 18 comparisons allow by chance", Answers.Of(run)[0], StringComparison.Ordinal);
    }

    [Fact]
    public void Rounds_that_are_missing_are_nobodys_lead() => Assert.Equal(
        "10 B: not decided between unix and tcp: 6 rounds from the start, or 5 more by --resume, would allow a verdict.",
        Answers.Of(new MeasuredRun(new SampleRuns { Transports = ["tcp", "unix"], Sizes = [10], Rounds = 3 }.Make()))[0]);

    [Fact]
    public void No_verdict_where_a_typed_window_is_shorter_than_four_calls()
    {
        var slow = new SampleRuns
        {
            Transports = ["tcp", "unix"],
            Sizes = [10],
            Noise = 0.001,
            Speed = (kind, _) => kind == "unix" ? 0.0012 : 0.001, // 400 calls at 100/s take 4 s
        }.Make();
        var typed = slow with { Options = slow.Options with { DurationFixed = true } };

        Assert.StartsWith("10 B: unix is fastest", Answers.Of(new MeasuredRun(slow))[0], StringComparison.Ordinal);
        Assert.Matches(@"^10 B: not decided between unix and tcp: a window of 2 s holds fewer than four calls of .* s one after the other, "
            + "and -d keeps it so", Answers.Of(new MeasuredRun(typed))[0]);
        var counted = typed with { Options = typed.Options with { Calls = 100 } };
        Assert.StartsWith("10 B: unix is fastest", Answers.Of(new MeasuredRun(counted))[0], StringComparison.Ordinal);
    }

    [Fact]
    public void At_a_given_load_no_single_round_stands_for_the_cell()
    {
        // Seven rounds of one rate; by requests/s the fourth of them in order of numbers would be the median.
        Measurement With(Measurement round)
        {
            var latency = new LatencyHistogram();
            latency.Record(1_000_000, 20_000);
            latency.Record(round.Number == 4 ? 9_000_000 : 1_000_000, 250);
            return round with
            {
                WindowNs = 2_000_000_000,
                Completed = 1000,
                Ok = 20_250,
                Latency = latency.Encode(),
                AskedRate = 500,
                Server = Took(1_000_000 * (10 + round.Number)),
            };
        }
        ProcessUsage Took(long ns) => new() { CpuUserNs = ns, CpuKernelNs = 0, WorkingSetBytes = 1, Calls = 1000, CountedCalls = 1000 };
        var run = new SampleRuns { Transports = ["tcp"], Sizes = [10], Rounds = 7 }.Make();
        run = run with
        {
            Cells = [.. run.Cells.Select(cell => cell with { Key = cell.Key with { Load = "500/s" } })],
            Rounds = [.. run.Rounds.Select(With)],
        };
        var cell = new MeasuredRun(run).Cells[0];

        Assert.Equal(9.0, cell.Median!.Latency.At(99)!.Value / 1e6, 0.1);
        Assert.Equal(1.0, cell.Value(Metric.P99)!.Value / 1e6, 0.1); // 250 of 141,750 calls took longer
        var text = Reports.Find("text")!.Make(new ReportModel(run));
        Assert.Contains("1.00 ms – 5.0", text, StringComparison.Ordinal);
        Assert.Contains("14.0 µs (11.0 µs – 17.0 µs)", text, StringComparison.Ordinal);
    }
}
