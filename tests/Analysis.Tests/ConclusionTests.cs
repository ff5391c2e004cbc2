using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

/// <summary>Checks what reports conclude from the rounds of a run, and what they must not conclude.</summary>
public sealed class ConclusionTests
{
    [Fact]
    public void The_fastest_arm_is_decided_by_pairs_of_rounds_and_not_by_medians()
    {
        // Both medians are of round 6, which lies between two groups of rounds and is the only round in which unix was faster.
        double[] unix = [100, 101, 102, 103, 104, 150, 200, 201, 202, 203, 204, 205];
        double[] tcp = [.. unix.Select((rate, i) => i == 5 ? rate * 0.995 : rate * (1.09 + 0.001 * i))];

        Assert.StartsWith("10 B: tcp is fastest: unix is slower than tcp by 8.", FirstAnswer(Simulated.Run([tcp, unix], arms: 2)),
            StringComparison.Ordinal);
    }

    [Fact]
    public void The_answer_about_an_arm_without_replies_says_that_no_round_has_replies_of_both_arms() => Assert.Equal(
        "10 B: not decided between unix and tcp: there is no round in which both arms answered a call.",
        FirstAnswer(Simulated.Run([[.. new double[8]], [.. Enumerable.Repeat(1000.0, 8)]], arms: 2)));

    [Fact]
    public void A_winner_whose_rates_form_two_groups_is_named_with_the_placement_doubt()
    {
        var plain = new SampleRuns { Transports = ["tcp", "unix"], Sizes = [10], Rounds = 8, Noise = 0.001 }.Make();
        RunRecord Mixed(int cell) => plain with
        {
            Rounds = [.. plain.Rounds.Select(round => round.Cell != cell || round.Number % 2 == 0 ? round
                : round with { WindowNs = round.WindowNs * 9 / 8, LatencySumNs = round.LatencySumNs * 9 / 8 })],
        };
        Assert.DoesNotContain("doubt", FirstAnswer(plain), StringComparison.Ordinal);
        Assert.Matches(@"^10 B: unix is fastest: faster than tcp by 3\d % \[[^]]*\] \(doubt: placement\), and saves ",
            FirstAnswer(Mixed(1)));
        Assert.Matches(@"doubt:\s+placement",
            new TextReport(new TextLayout(80, IsBrief: true)).Make(new ReportModel(Mixed(1))));
        // A doubt about the reference is a doubt about the ratio too.
        Assert.Contains(" (doubt: placement)", FirstAnswer(Mixed(0)), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1.5, 0.8, 1, "Yes for 400 clients with 10 B and 100 B (faster, less CPU). No for 400 clients with 10 kB "
        + "(slower, more CPU).")]
    [InlineData(1.5, 1.5, 1, "Yes for 400 clients with 10 B, 100 B and 10 kB (faster, less CPU).")]
    [InlineData(1.0, 0.8, 1, "No for 400 clients with 10 B and 100 B (equal within 1.6 %) and 400 clients with 10 kB (slower, "
        + "more CPU).")]
    [InlineData(1.5, 1.5, 2, "Yes for one call at a time with 10 B, 100 B and 10 kB and 400 clients with 10 B, "
        + "100 B and 10 kB (faster, less CPU).")]
    public void The_answer_says_for_which_loads_a_Unix_socket_is_better_than_TCP(
        double small, double large, int topologies, string expected)
    {
        var run = new MeasuredRun(new SampleRuns
        {
            Sizes = [10, 100, 10_000],
            Connections = topologies == 1 ? [400] : [1, 400],
            Noise = 0.0001,
            SamplesPerRound = 200,
            Speed = (transport, size) => transport == "unix" ? size < 1000 ? small : large : 1,
        }.Make());

        Assert.Equal("Worth it? " + expected, UnixAgainstTcp.Worth(run));
        Assert.Equal(3 * topologies, UnixAgainstTcp.Table(run).Rows.Count);
    }

    [Fact]
    public void The_answer_says_for_which_settings_a_Unix_socket_is_better_than_TCP()
    {
        var plain = new SampleRuns
        {
            Sizes = [10, 100],
            Noise = 0.0001,
            SamplesPerRound = 200,
            Speed = (transport, _) => transport == "unix" ? 1.5 : 1,
        }.Make();
        var run = new MeasuredRun(plain with
        {
            Cells = [.. plain.Cells.Select(cell => cell with
            {
                Key = cell.Key with { Size = 10, Variant = cell.Key.Size == 10 ? "sockets=dotnet" : "sockets=loop" },
            })],
        });
        Assert.Equal("Worth it? Yes for 400 clients, sockets=dotnet with 10 B and 400 clients, sockets=loop with 10 B (faster, less CPU).",
            UnixAgainstTcp.Worth(run));
    }

    [Fact]
    public void Undecided_loads_are_called_undecided_and_the_table_shows_the_range_of_the_difference()
    {
        var run = new MeasuredRun(new SampleRuns
        {
            Sizes = [10, 100],
            Noise = 0.5,
            SamplesPerRound = 200,
            Speed = (_, _) => 1,
        }.Make());
        Assert.Equal("Worth it? Undecided for all loads.", UnixAgainstTcp.Worth(run));
        Assert.All(UnixAgainstTcp.Table(run).Rows, row => Assert.Matches(@"^undecided, −\d.* to \+\d.* %$", row[1]));
    }

    [Fact]
    public void The_answer_about_Unix_sockets_states_how_many_more_rounds_are_needed()
    {
        var run = new MeasuredRun(new SampleRuns { Transports = ["tcp", "unix"], Sizes = [10], Rounds = 3, SamplesPerRound = 200 }.Make());
        var missing = UnixAgainstTcp.RoundsMissing(run);
        Assert.True(missing > 0);
        Assert.Equal($"Worth it? Undecided for all loads. There are too few rounds: {missing} more rounds needed.",
            UnixAgainstTcp.Worth(run));
    }

    [Fact]
    public void A_run_without_TCP_has_no_table_of_Unix_socket_against_TCP()
    {
        var run = new MeasuredRun(new SampleRuns { Sizes = [10], Transports = ["unix", "pipe"], SamplesPerRound = 200 }.Make());
        Assert.Equal("", UnixAgainstTcp.Title(run) + UnixAgainstTcp.Worth(run));
    }

    [Fact]
    public void Reports_with_a_table_have_no_sentence_about_the_crossover()
    {
        var model = new ReportModel(new SampleRuns { Sizes = [10, 1_000_000], SamplesPerRound = 200, Transports = ["tcp", "unix"] }.Make());
        string Made(bool isBrief) => new TextReport(new TextLayout(80, IsBrief: isBrief)).Make(model);
        Assert.DoesNotContain("Crossover", Made(false), StringComparison.Ordinal);
        Assert.DoesNotContain("Crossover", Made(true), StringComparison.Ordinal);
        Assert.Contains("Worth it?", Made(true), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1.2, 0.8, "Crossover: unix is faster up to 100 B, tcp from 1 kB.")]
    [InlineData(1.0, 1.0, "Crossover: unix is faster at 100 B, tcp at 1 kB.")]
    public void The_crossover_leaves_out_sizes_without_a_winner(double atFirst, double atLast, string expected)
    {
        double[] tcp = [.. Enumerable.Range(0, 12).Select(i => 1000.0 + i)];
        double[] Unix(double factor) => [.. tcp.Select((rate, i) => rate * factor * (i % 2 == 0 ? 1.004 : 0.996))];
        var run = new MeasuredRun(Simulated.Run([tcp, Unix(atFirst), tcp, Unix(1.2), tcp, Unix(0.8), tcp, Unix(atLast)], arms: 2));
        // Rounds without latencies have a doubt, and so has the answer that sums the rounds up.
        Assert.Contains(Answers.For(run), line => line.Replace(" (doubt: lost-samples)", "", StringComparison.Ordinal) == expected);
        Assert.Contains(" B (doubt: lost-samples), tcp ", Answers.For(run)[^1], StringComparison.Ordinal);
        Assert.EndsWith(" kB (doubt: lost-samples).", Answers.For(run)[^1], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(20, "10 B: not decided between unix and tcp: p50 of unix is only a lower bound in a round")]
    [InlineData(80, "10 B: tcp is best by p50: unix is higher than tcp by 100.0 % [")]
    public void A_latency_of_which_only_a_lower_bound_is_known_is_never_called_the_shorter_latency(int ms, string expected)
    {
        // Unix answers some calls at once. For most calls only a lower bound is known: how long they had waited when the window ended.
        var made = new SampleRuns { Transports = ["tcp", "unix"], Sizes = [10], Rounds = 8, SamplesPerRound = 10 }.Make();
        var run = made with
        {
            Cells = [.. made.Cells.Select(cell => cell with { Key = cell.Key with { Load = "20000/s" } })],
            Rounds = [.. made.Rounds.Select(round => round.Cell == 0 ? round with { Latency = Calls(40_000, 40) }
                : round with { Latency = Calls(10_000, 1), NotSent = 30_000, NotSentLatency = Calls(30_000, ms) })],
        };
        Assert.StartsWith(expected, FirstAnswer(run), StringComparison.Ordinal);
        // The percentiles of tcp are no lower bounds.
        Assert.Equal(2, new HgrmReport().Make(new ReportModel(run))
            .Split("#[240000 of these values are lower bounds: calls that were cut off or never sent]\n").Length);
    }

    internal static string Calls(int count, int ms)
    {
        var histogram = new LatencyHistogram();
        histogram.Record(ms * 1_000_000L, count);
        return histogram.Encode();
    }

    private static string FirstAnswer(RunRecord run) => Answers.For(new MeasuredRun(run))[0];
}
