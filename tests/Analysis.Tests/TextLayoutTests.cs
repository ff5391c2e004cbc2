using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Tests;

public sealed class TextLayoutTests
{
    private static readonly ReportModel Run = new(new SampleRuns { Sizes = [10, 10_000], Rounds = 8, SamplesPerRound = 200 }.Make());

    private static readonly ReportModel Layered = new(LayerRuns.Make(9, [7.5, 11, 20, 40, 55]));

    private static string Made(TextLayout layout) => new TextReport(layout).Make(Run);

    [Fact]
    public void The_screen_in_the_README_is_a_part_of_its_runs_output()
    {
        var readme = File.ReadAllText(Path.Combine(Repository.Root, "README.md"));
        var screen = Regex.Match(readme, "\n(Answer\n.*?)```", RegexOptions.Singleline);
        Assert.True(screen.Success);
        Assert.Contains(screen.Groups[1].Value, new TextReport(new TextLayout(80, IsBrief: true))
            .Make(new ReportModel(ResultsFile.Load(Path.Combine(Repository.Root, "results/quick/run.json")))), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(80)]
    [InlineData(160)]
    public void No_line_is_wider_than_the_terminal(int width)
    {
        foreach (var model in new[] { Run, new ReportModel(ProxyRun.Make()), Layered })
        {
            foreach (var isBrief in new[] { true, false })
            {
                var lines = new TextReport(new TextLayout(width, IsBrief: isBrief)).Make(model).Split('\n');
                Assert.All(lines, line => Assert.InRange(line.Length, 0, width));
            }
        }
    }

    [Theory]
    [InlineData(40)]
    [InlineData(60)]
    [InlineData(80)]
    public void The_answer_is_complete_on_any_screen(int width)
    {
        var model = new ReportModel(ResultsFile.Load(Path.Combine(Repository.Root, "results/quick/run.json")));
        var text = new TextReport(new TextLayout(width, IsBrief: true)).Make(model);
        Assert.DoesNotContain('…', text[text.LastIndexOf("\nAnswer\n", StringComparison.Ordinal)..]);
    }

    [Fact]
    public void At_80_columns_the_ratio_and_the_CPU_of_both_sides_stay() => Assert.Matches(
        "size   transport  requests/s +ratio to tcp  client CPU  server CPU\n", Made(new TextLayout(80, IsBrief: true)));

    [Fact]
    public void Dropped_columns_are_not_explained()
    {
        var run = new SampleRuns { Sizes = [10], Rounds = 8, SamplesPerRound = 200 }.Make();
        run = run with
        {
            Rounds = [.. run.Rounds.Select(round => round with
            {
                Credited = round.Completed,
                Client = round.Client with
                {
                    VoluntarySwitches = round.Client.ContextSwitches / 2,
                    Loop = new LoopUsage { Receives = round.Ok, EmptyReceives = 10, Sends = round.Ok, Waits = round.Ok },
                },
            })],
        };
        string Made(int? width) => new TextReport(new TextLayout(width)).Make(new ReportModel(run));
        var narrow = Made(80);
        Assert.Contains("client woken", narrow, StringComparison.Ordinal);
        Assert.Contains("woken: threads", narrow, StringComparison.Ordinal);
        foreach (var words in new[] { "unattributed: ", "payload/s: ", "preempted: " })
        {
            Assert.DoesNotContain(words, narrow, StringComparison.Ordinal);
            Assert.Contains(words, Made(null), StringComparison.Ordinal);
            Assert.Contains(words, Made(200), StringComparison.Ordinal);
        }
    }

    [Fact]
    public void A_screen_shows_the_table_and_a_doubt_and_ends_with_the_answer()
    {
        var text = new TextReport(new TextLayout(80, IsBrief: true)).Make(Layered);
        string[] parts = ["size  layer", "\nDoubts\n", "\n  2 more: --verbose\n", "\nAnswer\n"];
        var places = parts.Select(part => text.IndexOf(part, StringComparison.Ordinal)).ToList();
        Assert.DoesNotContain(-1, places);
        Assert.True(places.SequenceEqual(places.Order()), text);
        Assert.Equal(1, text.Split("\n  [").Length - 1);
    }

    [Fact]
    public void The_cost_of_a_call_is_not_that_of_the_median_rounds_rate()
    {
        var run = new SampleRuns { Sizes = [10], Transports = ["tcp"], Rounds = 5 }.Make();
        var shown = new MeasuredRun(run).Cells[0].Median!.Record.Number;
        var compiling = new MeasuredRun(run with
        {
            Rounds = [.. run.Rounds.Select(round => round.Number != shown ? round
                : round with { Client = round.Client with { CpuUserNs = 100 * round.Client.CpuUserNs } })],
        }).Cells[0];
        Assert.Equal(shown, compiling.Median!.Record.Number);
        var others = compiling.Rounds.Where(round => round.Record.Number != shown).Select(round => Metric.ClientCpu.Value(round)!.Value);
        Assert.InRange(compiling.Value(Metric.ClientCpu)!.Value, others.Min(), others.Max());
        Assert.Equal(Metric.Rate.Value(compiling.Median), compiling.Value(Metric.Rate));
    }

    [Theory]
    [InlineData(0, "round", "0 rounds")]
    [InlineData(1, "round", "1 round")]
    [InlineData(2, "topology", "2 topologies")]
    [InlineData(10_000, "connection", "10,000 connections")]
    public void One_thing_is_not_many(long count, string what, string expected) => Assert.Equal(expected, Quantity.Many(count, what));

    [Fact]
    public void A_winner_is_a_row_on_a_screen_and_also_a_sentence_in_a_file()
    {
        Assert.Matches(@"\n  400 clients, 10 B +\+4\d % \[\d\d, \d\d\] +−\d\d % \[", Made(new TextLayout(80, IsBrief: true)));
        Assert.Matches(@"\n  10 B: unix is fastest: faster than tcp by 4\d % ", Made(new TextLayout()));
    }

    [Fact]
    public void Colours_appear_only_on_terminals_with_colours()
    {
        Assert.DoesNotContain('\u001b', Made(new TextLayout(80, IsColoured: false, IsBrief: true)));
        var coloured = Made(new TextLayout(80, IsColoured: true, IsBrief: true));
        Assert.NotEqual(coloured, coloured.Replace("\u001b[32m", "", StringComparison.Ordinal));
        Assert.Equal(Made(new TextLayout(80, IsBrief: true)), Regex.Replace(coloured, "\u001b\\[[0-9]*m", ""));
    }

    [Fact]
    public void An_arm_has_a_headline_exactly_if_the_sentence_calls_it_the_fastest()
    {
        var (won, open) = (0, 0);
        foreach (var seed in Enumerable.Range(1, 40))
        {
            // Of unix against tcp alone eight rounds can decide; noise of 20 % leaves some sizes open.
            var run = new MeasuredRun(new SampleRuns(seed)
            {
                Transports = ["tcp", "unix"],
                Sizes = [10],
                Rounds = 8,
                SamplesPerRound = 10,
                Noise = 0.2,
            }.Make());
            foreach (var answer in Headlines.Of(run))
            {
                Assert.Equal(answer.Sentence.Contains(" is fastest", StringComparison.Ordinal), answer.Headline.Length > 0);
                (won, open) = (won + (answer.Headline.Length > 0 ? 1 : 0), open + (answer.Headline.Length > 0 ? 0 : 1));
            }
        }
        Assert.True(won > 0 && open > 0, $"{won} with a winner, {open} without");
    }

    [Theory]
    [InlineData(30, "name|first|second|third")]
    [InlineData(22, "name|first|third")]
    [InlineData(15, "name|first")]
    public void Columns_are_dropped_in_the_order_of_the_table_and_then_from_the_right(int width, string headings)
    {
        var table = new TextTable("name", "first", "second", "third") { Spare = ["second"] }.Add("a", "1", "2", "3");
        Assert.Equal(headings, string.Join('|', table.Fit(width).Headings));
    }

    [Theory]
    [InlineData("a number of 7.0 % stays", 15, "a number of|7.0 % stays")]
    [InlineData("averyverylongword and", 8, "averyverylongword|and")]
    [InlineData("", 8, "")]
    public void Sentences_break_between_words_and_never_before_a_unit(string text, int width, string lines) =>
        Assert.Equal(lines, string.Join('|', TextWrapping.Lines(text, width)));
}

public sealed class OrderOfReportsTests
{
    [Theory]
    [InlineData("")]
    [InlineData(" messages=5")] // what all arms have
    public void A_value_of_a_setting_is_compared_with_the_default_on_the_same_transport(string common)
    {
        var plain = new SampleRuns { Transports = ["tcp", "unix"], Sizes = [10], Rounds = 9, SamplesPerRound = 10, Noise = 0.001 }.Make();
        var swept = new SampleRuns(2)
        {
            Transports = ["tcp", "unix"],
            Sizes = [10],
            Rounds = 9,
            SamplesPerRound = 10,
            Noise = 0.001,
            Speed = (transport, _) => transport == "unix" ? 1.45 * 0.8 : 1,
        }.Make();
        var run = plain with
        {
            Cells =
            [
                .. plain.Cells.Select(cell => cell with { Key = cell.Key with { Variant = common.Trim() } }),
                .. swept.Cells.Select(cell => cell with { Key = cell.Key with { Variant = "socket-buffer=64k" + common } }),
            ],
            Rounds = [.. plain.Rounds, .. swept.Rounds.Select(round => round with { Cell = round.Cell + plain.Cells.Count })],
        };
        var text = new TextReport().Make(new ReportModel(run));
        Assert.Matches($@"10 B  unix socket-buffer=64k{common} .*−20.* % \[.*\] +unix{common}", text);
        Assert.Matches($@"10 B: unix{common} is fastest: unix socket-buffer=64k{common} is slower than unix{common} by 2\d", text);
        string Page(RunRecord of) => new HtmlReport().Make(new ReportModel(of));
        Assert.Contains("<title>socket-buffer over TCP and Unix socket", Page(run), StringComparison.Ordinal);
        var half = run with { Cells = [.. run.Cells.Take(2)], Rounds = [.. run.Rounds.Where(round => round.Cell < 2)] };
        Assert.Contains("<title>Unix socket against TCP", Page(half), StringComparison.Ordinal);
    }

    [Fact]
    public void The_headline_at_a_given_load_is_latency_and_not_the_requested_rate()
    {
        var made = new SampleRuns { Transports = ["tcp", "unix"], Sizes = [10], Rounds = 9, SamplesPerRound = 4000 }.Make();
        var run = made with { Cells = [.. made.Cells.Select(cell => cell with { Key = cell.Key with { Load = "20000/s" } })] };
        var text = new TextReport().Make(new ReportModel(run));
        Assert.Contains("Latency at the given load", text, StringComparison.Ordinal);
        Assert.DoesNotContain("Requests per second", text, StringComparison.Ordinal);
        Assert.Matches(@"10 B  unix +2\.\d\d ms +−.* % \[", text);
        Assert.StartsWith("size  transport      p50      ratio to tcp",
            new TextReport(new TextLayout(80, IsBrief: true)).Make(new ReportModel(run)).Split("\n\n")[0], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(9, "95 % interval of 9 rounds")]
    [InlineData(3, "range of 3 rounds")]
    public void Percentiles_at_a_given_load_are_of_all_rounds_in_all_formats(int rounds, string of)
    {
        var made = new SampleRuns { Transports = ["tcp", "unix"], Sizes = [10], Rounds = rounds, SamplesPerRound = 4000 }.Make();
        var run = made with { Cells = [.. made.Cells.Select(cell => cell with { Key = cell.Key with { Load = "20000/s" } })] };
        var calls = run.Rounds.Where(round => round.Cell == 0).Sum(round => round.Ok);

        var hgrm = new HgrmReport().Make(new ReportModel(run));
        Assert.Matches($@"Total count    = +{calls}\]", hgrm);
        Assert.Equal(2, Regex.Count(hgrm, $@"#\[p99     = +\d+\.\d\d\d, +\d+\.\d\d\d: {of}\]\n"));
        Assert.DoesNotContain("rounds]", new HgrmReport().Make(new ReportModel(made)), StringComparison.Ordinal);

        var cell = JsonNode.Parse(new JsonReport().Make(new ReportModel(run)))!["runs"]![0]!["cells"]![0]!;
        var (p99, over) = ((double)cell["median"]!["p99_ns"]!, cell["overRounds"]!["p99_ns"]!);
        Assert.Equal(rounds < 6, (bool)over["isRange"]!);
        Assert.InRange(p99, (double)over["low"]!, (double)over["high"]!);
    }

    [Theory]
    [InlineData(9, "10 B: unix is faster than tcp in pairs of the same round, though its median round is not")]
    [InlineData(5, "Two arms may have their median in different rounds: where that contradicts a ratio, the ratio counts.")]
    public void Medians_that_contradict_the_pairs_have_a_note(int rounds, string note)
    {
        var made = new SampleRuns
        {
            Transports = ["tcp", "unix"],
            Sizes = [10],
            Rounds = rounds,
            SamplesPerRound = 10,
            Noise = 0.0001,
            Speed = (transport, _) => transport == "unix" ? 1.02 : 1
        }.Make();
        // Rounds lie far apart, and tcp is there in one more of the fast ones: its median round is one of those.
        var run = made with
        {
            Rounds = [.. made.Rounds.Where(round => round.Cell == 0 || round.Number < rounds)
                .Select(round => round with { Completed = (long)(round.Completed * (round.Number > rounds / 2 ? 2.0 : 1)) })],
        };
        Assert.Contains(note, new TextReport().Make(new ReportModel(run)).ReplaceLineEndings(" "), StringComparison.Ordinal);
        // The page has the same bars.
        Assert.Contains(note, new HtmlReport().Make(new ReportModel(run)), StringComparison.Ordinal);
    }
}
