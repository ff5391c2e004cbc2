using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

public class AnswerTests
{
    [Fact]
    public void An_arm_that_is_clearly_slower_is_not_among_the_candidates_for_the_fastest_arm()
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

        var answer = Answers.For(new MeasuredRun(run))[0];

        Assert.StartsWith("10 B: not decided between unix and tcp: unix against tcp between −", answer,
            StringComparison.Ordinal);
        Assert.Contains("; pipe is slower than tcp by 20.0 % [", answer, StringComparison.Ordinal);
    }

    [Fact]
    public void The_first_answer_says_that_the_winner_depends_on_concurrency()
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

        Assert.Equal(
            "1 MB: which arm is faster depends on the number of concurrent calls: unix with 1 connection and tcp with 400 connections.",
            Answers.For(new MeasuredRun(Both(Of(400, 0.85), Of(1, 1.27))))[0]);
        var doubtful = Both(Of(400, 0.85), Of(1, 1.27));
        doubtful = doubtful with
        {
            Rounds = [.. doubtful.Rounds.Select(round => round.Cell == 1
                ? round with { Connections = round.Connections with { Opened = 390 } } : round)],
        };
        Assert.Equal(
            "1 MB: which arm is faster depends on the number of concurrent calls: "
                + "unix with 1 connection and tcp with 400 connections (doubt: connections).",
            Answers.For(new MeasuredRun(doubtful))[0]);
        var agreed = Answers.For(new MeasuredRun(Both(Of(400, 1.1), Of(1, 1.27))));
        Assert.StartsWith("400 clients, 1 MB: unix is fastest", agreed[0], StringComparison.Ordinal);
        Assert.StartsWith("one call at a time, 1 MB: unix is fastest", agreed[1], StringComparison.Ordinal);
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

        var answers = Answers.For(new MeasuredRun(run));

        Assert.StartsWith("10 B: unix is fastest: faster than tcp by ", answers[0], StringComparison.Ordinal);
        Assert.StartsWith("10 B: tcp grpc-dotnet is fastest: unix grpc-dotnet is slower than ", answers[1], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(30_000, "costs 200.0 % [200.0 %, 200.0 %] more CPU a call (client + server: 20.0 µs → 60.0 µs)")]
    [InlineData(5_000, "saves 50.0 % [50.0 %, 50.0 %] of the CPU of a call (client + server: 20.0 µs → 10.0 µs)")]
    public void The_cost_of_the_fastest_arm_is_its_CPU_per_call(long unixNs, string said)
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

        Assert.StartsWith(said, Answers.For(new MeasuredRun(run))[0].Split(", and ")[^1], StringComparison.Ordinal);

        static ProcessUsage Costing(ProcessUsage usage, long ns) => usage with { CpuUserNs = usage.Calls * ns, CpuKernelNs = 0 };
    }

    [Fact]
    public void With_too_few_rounds_the_answer_names_no_winner_but_the_number_of_rounds_still_needed() => Assert.Equal(
        "10 B: not decided between unix and tcp: 3 more rounds needed.",
        Answers.For(new MeasuredRun(new SampleRuns { Transports = ["tcp", "unix"], Sizes = [10], Rounds = 3 }.Make()))[0]);

    [Fact]
    public void A_fixed_window_shorter_than_four_calls_has_no_verdict()
    {
        var slow = new SampleRuns
        {
            Transports = ["tcp", "unix"],
            Sizes = [10],
            Noise = 0.001,
            Speed = (kind, _) => kind == "unix" ? 0.0012 : 0.001, // 400 calls at 100/s take 4 s
        }.Make();
        var typed = slow with { Options = slow.Options with { DurationFixed = true } };

        Assert.StartsWith("10 B: unix is fastest", Answers.For(new MeasuredRun(slow))[0], StringComparison.Ordinal);
        Assert.Matches(@"^10 B: not decided between unix and tcp: a window of 2 s \(-d\) holds fewer than four consecutive calls of .* s",
            Answers.For(new MeasuredRun(typed))[0]);
        // More rounds would not decide. So the answer says why, and the tool offers no more rounds.
        Assert.Matches(@"\. Requests/s are not decided for 400 clients with 10 B: a window of 2 s \(-d\) holds fewer",
            UnixAgainstTcp.Worth(new MeasuredRun(typed)));
        Assert.Equal((0, 1), UnixAgainstTcp.Undecided(new MeasuredRun(typed)));
        var counted = typed with { Options = typed.Options with { Calls = 100 } };
        Assert.StartsWith("10 B: unix is fastest", Answers.For(new MeasuredRun(counted))[0], StringComparison.Ordinal);
    }

    [Fact]
    public void The_value_of_a_cell_at_a_given_load_comes_from_all_rounds()
    {
        // Seven rounds have the same rate, so by requests/s the fourth round would be the median.
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
