using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Tests;

public sealed class TextLayoutTests
{
    private static readonly ReportModel Run = new(new SampleRuns { Sizes = [10, 10_000], Rounds = 8, SamplesPerRound = 200 }.Make());

    private static readonly ReportModel Layered = new(LayerRuns.Make(9, [7.5, 11, 20, 40, 55]));

    private static string Made(TextLayout layout) => new TextReport(layout).Make(Run);

    [Fact]
    public void The_README_shows_exactly_the_screen_of_the_committed_quick_run()
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

    [Theory]
    [InlineData(80)]
    [InlineData(60)]
    public void Bars_are_shorter_on_a_narrow_screen(int width)
    {
        foreach (var model in new[] { Run, Layered })
            Assert.Contains("█████", new TextReport(new TextLayout(width)).Make(model), StringComparison.Ordinal);
    }

    [Fact]
    public void Bars_have_room_beside_long_names()
    {
        const string Name = "a/long/path/of/a/results/file/that/would/fill/the/whole/picture.json";
        var model = new ReportModel([(Name, Run.Files[0].Run.Record), ("other/" + Name, Run.Files[0].Run.Record)]);
        foreach (var plot in new[] { "throughput", "cpu" })
        {
            var widths = Regex.Matches(new SvgReport(plot).Make(model),
                "<rect class=\"[fb] [^>]*width=\"([0-9.]+)\" height=\"1[0-9]\"><title>");
            Assert.NotEmpty(widths);
            Assert.All(widths, width => Assert.NotEqual("0", width.Groups[1].Value));
        }
    }

    [Fact]
    public void The_report_says_nothing_of_the_runtime_and_the_GC_of_a_server_that_tells_neither()
    {
        var run = new SampleRuns { Sizes = [10], Rounds = 8, SamplesPerRound = 40 }.Make();
        run = run with { Servers = [run.Servers[0] with { Stack = "grpcio", StackVersion = "1.80", Runtime = "", GcMode = "" }] };
        Assert.Contains("\nserver grpcio 1.80\n", new TextReport().Make(new ReportModel(run)), StringComparison.Ordinal);
        var server = new HtmlReport().Make(new ReportModel(run)).Split('\n').Single(line => line.Contains("grpcio 1.80 ("));
        Assert.Matches(@"grpcio 1\.80 \([^)]+\), on http", server);
    }

    [Fact]
    public void A_screen_has_one_row_per_load_and_ratios_only_in_the_answer()
    {
        var text = Made(new TextLayout(80, IsBrief: true));
        Assert.Matches(@"\nload +tcp +unix +pipe +CPU tcp +CPU unix +CPU pipe\n400 clients, 10 B( +\d+,\d+){3}( +\d+\.\d µs){3}\n", text);
        Assert.Equal(2, Regex.Count(text, @"\+4\d % \[")); // one for each of the two sizes
    }

    [Fact]
    public void Percentiles_of_a_single_server_include_the_calls_of_all_rounds()
    {
        var run = new SampleRuns { Transports = ["unix"], Sizes = [10], Rounds = 3, SamplesPerRound = 4000 }.Make();
        var all = run.Rounds.Select(round => LatencyCounts.Decode(round.Latency)).Aggregate((sum, one) => sum.Add(one));
        Assert.Matches($@"\nsize  requests/s +p50 +p95 +p99  client CPU  server CPU\n10 B +\d+,\d+ +{Regex.Escape(
            $"{Quantity.Duration(all.At(50)!.Value)}  {Quantity.Duration(all.At(95)!.Value)}  {Quantity.Duration(all.At(99)!.Value)}")} ",
            new TextReport(new TextLayout(80, IsBrief: true)).Make(new ReportModel(run)));
    }

    [Fact]
    public void A_narrow_screen_keeps_the_percentiles_of_a_single_server()
    {
        var run = new SampleRuns { Transports = ["unix"], Sizes = [10], Connections = [1, 400], Rounds = 3, SamplesPerRound = 4000 }.Make();
        var text = new TextReport(new TextLayout(80, IsBrief: true)).Make(new ReportModel(run));
        Assert.Matches(@"\nload +requests/s +p50 +p95 +p99  server CPU\n", text);
        Assert.Contains("\n(no room for client CPU)\n", text, StringComparison.Ordinal);
    }

    [Fact]
    public void The_legend_does_not_explain_columns_that_are_left_out_on_a_narrow_screen()
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
        Assert.Contains("woken: a waiting", narrow, StringComparison.Ordinal);
        foreach (var words in new[] { "unattributed: CPU", "payload/s: bytes", "preempted: a running" })
        {
            Assert.DoesNotContain(words, narrow, StringComparison.Ordinal);
            Assert.Contains(words, Made(null), StringComparison.Ordinal);
            Assert.Contains(words, Made(200), StringComparison.Ordinal);
        }
    }

    [Fact]
    public void A_screen_has_the_table_then_the_doubts_and_the_answer_last()
    {
        var text = new TextReport(new TextLayout(80, IsBrief: true)).Make(Layered);
        string[] parts = ["size  layer", "\nDoubts (advice: -v)\n", "\nAnswer\n"];
        var places = parts.Select(part => text.IndexOf(part, StringComparison.Ordinal)).ToList();
        Assert.DoesNotContain(-1, places);
        Assert.True(places.SequenceEqual(places.Order()), text);
        foreach (var doubt in Doubt.Find(Layered.Files[0].Run))
            Assert.Matches($"\n  {doubt.Id} +{Regex.Escape(AdviceText.Brief(doubt)[..20])}", text);
    }

    [Theory]
    [InlineData("At tcp, 400 clients, 10 B: in round 3 the hypervisor took 1.6 % (the worst of 2).", "the hypervisor took 1.6 % (round 3)")]
    [InlineData("2 CPUs for client and server: each takes time from the other.", "2 CPUs for client and server")]
    [InlineData("Before 4 of 9 rounds a loop was slow.", "before 4 of 9 rounds a loop was slow")]
    [InlineData("TLS encrypts and the others do not: read it so.", "TLS encrypts and the others do not")]
    [InlineData("At tcp, 10 B: 1 of 12 rounds is doubtful, e.g. round 3: python3 1 %.", "1 of 12 rounds is doubtful (10 B)")]
    [InlineData("At tcp, 400 clients, 1 MB: 400 MB are in flight.", "400 MB are in flight (400 clients, 1 MB)")]
    [InlineData("At tcp, 10 B: a call took long (the worst of 2 such cells out of 2).", "a call took long (10 B; 2 cells)")]
    public void A_screen_shows_only_the_beginning_of_a_doubt(string doubt, string line) =>
        Assert.Equal(line, AdviceText.Brief(new Advice { Id = "id", Doubt = doubt, Fix = "" }));

    [Fact]
    public void A_row_that_does_not_fit_is_printed_as_a_whole_paragraph()
    {
        var table = new TextTable("load", "transport", "requests/s", "CPU") { Words = 2, Spare = ["CPU"] }.Add("400 clients, 10 B", "unix",
            "77,870", "25.4 µs");
        Assert.Equal(["400 clients, 10 B, unix:", "  requests/s 77,870; CPU", "  25.4 µs"], table.Lines(26));
        Assert.Equal(["load               transport  requests/s", "400 clients, 10 B  unix           77,870", "(no room for CPU)"],
            table.Lines(41));
    }

    [Fact]
    public void The_CPU_time_of_a_call_is_not_the_value_of_the_round_with_the_median_rate()
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
    public void A_count_of_1_is_singular(long count, string what, string expected) => Assert.Equal(expected, Quantity.Many(count, what));

    [Fact]
    public void No_sentence_repeats_the_table_of_the_answer()
    {
        foreach (var layout in new[] { new TextLayout(80, IsBrief: true), new TextLayout() })
        {
            var answer = Made(layout).Split("\nAnswer\n")[1];
            Assert.Matches(@"\n  400 clients, 10 B +\+4\d % \[\d\d, \d\d\] +−\d\d % \[", answer);
            Assert.DoesNotContain("fastest", answer, StringComparison.Ordinal);
            Assert.DoesNotContain("Crossover", answer, StringComparison.Ordinal);
        }
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
    public void A_headline_exists_exactly_if_the_sentence_names_a_fastest_arm()
    {
        var (won, open) = (0, 0);
        foreach (var seed in Enumerable.Range(1, 40))
        {
            // Eight rounds can decide between two arms; noise of 20 % leaves some runs undecided.
            var run = new MeasuredRun(new SampleRuns(seed)
            {
                Transports = ["unix", "pipe"],
                Sizes = [10],
                Rounds = 8,
                SamplesPerRound = 10,
                Noise = 0.2,
            }.Make());
            foreach (var answer in Headlines.For(run))
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
    [InlineData(5, "name|first")]
    public void Only_spare_columns_are_left_out_of_a_narrow_table_in_the_given_order(int width, string headings)
    {
        var table = new TextTable("name", "first", "second", "third") { Spare = ["second", "third"] }.Add("a", "1", "2", "3");
        Assert.Equal(headings, string.Join('|', table.Fit(width).Headings));
    }

    [Fact]
    public void A_column_without_a_value_is_left_out_of_a_narrow_table_first_and_without_a_note()
    {
        var table = new TextTable("name", "first", "second", "third") { Spare = ["second", "third"] }.Add("a", "1", "2", "–");
        Assert.Equal("name  first  second|a         1       2", string.Join('|', table.Lines(22)));
    }

    [Theory]
    [InlineData("a number of 7.0 % stays", 15, "a number of|7.0 % stays")]
    [InlineData("by +20 % [9.2, 32] now", 14, "by +20 %|[9.2, 32] now")]
    [InlineData("averyverylongword and", 8, "averyverylongword|and")]
    [InlineData("", 8, "")]
    public void Sentences_break_between_words_and_never_before_a_unit_or_in_an_interval(string text, int width, string lines) =>
        Assert.Equal(lines, string.Join('|', TextWrapping.Lines(text, width)));
}

public sealed class OrderOfReportsTests
{
    [Fact]
    public void The_answer_compares_two_values_of_a_setting_on_each_transport()
    {
        RunRecord Half(int seed, double speed) => new SampleRuns(seed)
        {
            Transports = ["tcp", "unix"],
            Sizes = [10],
            Rounds = 9,
            SamplesPerRound = 10,
            Noise = 0.001,
            Speed = (transport, _) => speed * (transport == "unix" ? 1.45 : 1),
        }.Make();
        static IEnumerable<Cell> Set(RunRecord half, string value) =>
            half.Cells.Select(cell => cell with { Key = cell.Key with { Variant = "server-build=" + value } });
        var (jit, aot) = (Half(1, 1), Half(2, 0.8));
        var run = jit with
        {
            Cells = [.. Set(jit, "jit"), .. Set(aot, "aot")],
            Rounds = [.. jit.Rounds, .. aot.Rounds.Select(round => round with { Cell = round.Cell + jit.Cells.Count })],
        };
        var text = new TextReport(new TextLayout(80, IsBrief: true)).Make(new ReportModel(run));
        Assert.Matches(@"400 clients, 10 B, server-build=aot +\+45 % \[", text);
        Assert.Matches(@"\n  server-build=aot against server-build=jit\n  load +requests/s +CPU per call\n"
            + @"  tcp: 400 clients, 10 B +−20 % \[.*\n  unix: 400 clients, 10 B +−20 % \[", text);
    }

    [Theory]
    [InlineData("")]
    [InlineData(" messages=5")] // a setting that all arms have
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
    public void Percentiles_in_all_formats_include_the_calls_of_all_rounds(int rounds, string of)
    {
        var made = new SampleRuns { Transports = ["tcp", "unix"], Sizes = [10], Rounds = rounds, SamplesPerRound = 4000 }.Make();
        var run = made with { Cells = [.. made.Cells.Select(cell => cell with { Key = cell.Key with { Load = "20000/s" } })] };
        var calls = run.Rounds.Where(round => round.Cell == 0).Sum(round => round.Ok);

        var hgrm = new HgrmReport().Make(new ReportModel(run));
        Assert.Matches($@"Total count    = +{calls}\]", hgrm);
        Assert.Equal(2, Regex.Count(hgrm, $@"#\[p99     = +\d+\.\d\d\d, +\d+\.\d\d\d: {of}\]\n"));

        var cell = JsonNode.Parse(new JsonReport().Make(new ReportModel(run)))!["runs"]![0]!["cells"]![0]!;
        var (p99, over) = ((double)cell["median"]!["p99_ns"]!, cell["overRounds"]!["p99_ns"]!);
        Assert.Equal(rounds < 6, (bool)over["isRange"]!);
        Assert.InRange(p99, (double)over["low"]!, (double)over["high"]!);
    }

    [Theory]
    [InlineData(9, "10 B: unix is faster than tcp within rounds, although the median rounds say the opposite")]
    [InlineData(5, "A percentage compares two arms within each round, so it may differ from the ratio of the medians: "
        + "trust the percentages.")]
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
        // The rates of rounds lie far apart. tcp has one more of the fast rounds, so its median round is a fast one.
        var run = made with
        {
            Rounds = [.. made.Rounds.Where(round => round.Cell == 0 || round.Number < rounds)
                .Select(round => round with { Completed = (long)(round.Completed * (round.Number > rounds / 2 ? 2.0 : 1)) })],
        };
        Assert.Contains(note, new TextReport().Make(new ReportModel(run)).ReplaceLineEndings(" "), StringComparison.Ordinal);
        // The HTML page has the same note.
        Assert.Contains(note, new HtmlReport().Make(new ReportModel(run)), StringComparison.Ordinal);
    }
}
