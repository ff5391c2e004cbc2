using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Published;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using static IpcBench.Analysis.Tests.PublishedRuns;

namespace IpcBench.Analysis.Tests;

public sealed class PublishedTests
{
    private static readonly PublishedRatio Ratio = Named("flask").Ratios[0] with { Low = 1.10, High = 1.10 };

    private static PublishedComparison Named(string scenario) => WriteUps.All.First(published => published.Scenario == scenario);

    private static PublishedVerdict Judge(double measured, int rounds = 7, PublishedRatio? published = null) => PublishedVerdict.Compare(
        new MeasuredRun(Make("flask", rounds, (Web("port"), 1_000), (Web("socket"), 1_000 * measured))), published ?? Ratio)!;

    private static string Page(params RunRecord[] runs) =>
        new PublishedReport().Make(new ReportModel(runs.Select((run, i) => ($"{run.Scenario}-{i}", run))));

    [Fact]
    public void Every_write_up_has_a_source_and_each_ratio_has_two_different_cells_and_a_valid_range()
    {
        Assert.Equal(["echo", "flask", "flask-containers", "starlette", "article"],
            WriteUps.All.Select(published => published.Scenario).Distinct());
        Assert.Equal(WriteUps.All.Select(published => published.Year).Order(), WriteUps.All.Select(published => published.Year));
        Assert.All(WriteUps.All,
        published =>
        {
            Assert.Contains('.', published.Where);
            Assert.NotEmpty(published.Ratios);
            Assert.All(published.Ratios, ratio => Assert.NotEqual(ratio.Cell, ratio.Reference));
            Assert.All(published.Ratios.Where(ratio => ratio.IsKnown), ratio => Assert.InRange(ratio.Low, 0.01, ratio.High));
            Assert.All(published.Figures, figure => Assert.Equal(figure.Origin == PublishedOrigin.NotFound, figure.Value == null));
        });
    }

    [Theory]
    [InlineData(1.10, "agrees")]
    [InlineData(1.12, "agrees")] // within the 3 % that do not matter
    [InlineData(1.05, "differs: in the same direction, but less")]
    [InlineData(1.30, "differs: in the same direction, and more")]
    [InlineData(0.90, "differs: in the opposite direction")]
    [InlineData(1.00, "differs: no such difference here")]
    public void A_narrow_interval_gives_a_verdict_on_a_published_ratio(double measured, string verdict) =>
        Assert.Equal(verdict, Judge(measured).Text);

    [Fact]
    public void The_verdict_on_a_published_slowdown_says_if_the_measured_slowdown_is_less_or_more()
    {
        var slower = Ratio with { Low = 0.33, High = 0.33 };
        Assert.Equal("differs: in the same direction, but less", Judge(0.6, published: slower).Text);
        Assert.Equal("differs: in the same direction, and more", Judge(0.2, published: slower).Text);
        Assert.Equal("differs: in the opposite direction", Judge(1.2, published: slower).Text);
        Assert.Equal("agrees", Judge(0.33, published: slower).Text);
    }

    [Fact]
    public void A_value_inside_a_published_range_agrees() =>
        Assert.Equal("agrees", Judge(2.5, published: Ratio with { Low = 2, High = 3 }).Text);

    [Fact]
    public void Too_few_rounds_give_no_verdict_on_a_published_ratio() =>
        Assert.Equal("cannot tell: 3 more rounds needed", Judge(1.3, rounds: 3).Text);

    [Fact]
    public void A_run_without_a_verdict_gives_no_verdict_on_a_published_ratio()
    {
        var run = Make("flask", 7, (Web("port"), 1_000), (Web("socket"), 1_100));
        run = run with
        {
            Options = run.Options with { DurationFixed = true },
            Rounds = [.. run.Rounds.Select(round => round with { Latency = ConclusionTests.Calls(1000, 5_000) })],
        };
        var verdict = PublishedVerdict.Compare(new MeasuredRun(run), Ratio)!;
        Assert.Equal(Agreement.CannotTell, verdict.Agreement);
        Assert.StartsWith("cannot tell: a window of 10 s (-d) holds fewer than four consecutive calls of 5.0", verdict.Text,
            StringComparison.Ordinal);
    }

    [Fact]
    public void The_page_compares_round_trips_only_if_there_are_enough_rounds_for_an_interval()
    {
        var run = EchoRun();
        RunRecord Of(int rounds) => run with { Rounds = [.. run.Rounds.Where(round => round.Number <= rounds)] };
        Assert.Contains("a round trip takes ", Page(Of(8)), StringComparison.Ordinal);
        Assert.DoesNotContain("a round trip takes ", Page(Of(5)), StringComparison.Ordinal);
    }

    [Fact]
    public void A_run_is_compared_with_each_write_up_whose_cells_it_measured_and_the_page_names_its_origin_once()
    {
        var echo = Make("echo", 10, (Echo("tcp", 1), 30_000), (Echo("unix", 1), 42_000), (Echo("tcp", 128), 30_000),
            (Echo("unix", 128), 42_000));
        var onWindows = echo with { Host = echo.Host with { Os = "Microsoft Windows 11" } };
        Assert.Equal(["nicmcd (Mr. Digital)", "xoofx"], AuthorsOf(onWindows));
        Assert.Equal(["nicmcd (Mr. Digital)"], AuthorsOf(echo));
        Assert.Equal(2, Page(onWindows).Split("echo-0 was measured with").Length);
        Assert.DoesNotContain("Only measured", Page(onWindows), StringComparison.Ordinal);
        Assert.Empty(AuthorsOf(Make("echo", 10, (Echo("tcp", 77), 1), (Echo("unix", 77), 1))));
        // The write-up measured one packet at a time.
        Assert.Empty(AuthorsOf(Make("echo", 10, (Echo("tcp", 1) with { Streams = 64 }, 1), (Echo("unix", 1) with { Streams = 64 }, 1))));

        static IEnumerable<string> AuthorsOf(RunRecord run) => WriteUps.Find(new MeasuredRun(run)).Select(published => published.Author);
    }

    [Theory]
    [InlineData(100_000, "spin is 10.0× \\[[^]]+\\] as fast as futex")]
    [InlineData(2_000_000, "futex is 2.00× \\[[^]]+\\] as fast as spin")]
    [InlineData(1_000_000, null)]
    public void The_faster_way_of_waiting_is_named_if_it_is_decided(double futex, string? sentence)
    {
        var run = Make("echo", 10, (Echo("unix", 100), 50_000), (Echo("shm", 100) with { Variant = "wait=spin" }, 1_000_000),
            (Echo("shm", 100) with { Variant = "wait=futex" }, futex));
        var page = Page(run);
        Assert.Matches(@"\| shared memory against Unix socket, 100 B \| read there \| 36\.1× \| 20\.0×", page);
        if (sentence is null)
            Assert.DoesNotContain("as fast as spin", page, StringComparison.Ordinal);
        else
            Assert.Matches($"Shared memory, 100 B: {sentence}", page);
    }

    [Fact]
    public void The_page_explains_the_verdicts_that_it_gives() => Assert.Contains(
        "*Agrees*: the whole measured interval lies within", Page(Flask()), StringComparison.Ordinal);

    private static PublishedVerdict Noisy(double[] measured, double low, double high)
    {
        var run = Simulated.Run([[.. measured.Select(_ => 1000.0)], [.. measured.Select(ratio => 1000 * ratio)]]);
        return PublishedVerdict.Compare(new MeasuredRun(run with
        {
            Cells = [new Cell { Key = Web("port"), Address = "x" }, new Cell { Key = Web("socket"), Address = "x" }]
        }), Ratio with { Low = low, High = high })!;
    }

    /// <summary>The true ratio is 1.2. The data give the published ratio and the verdict that would be false.</summary>
    [Theory]
    [InlineData(1.2, Agreement.Differs)]   // the published ratio is true
    [InlineData(1.26, Agreement.Agrees)]   // the published ratio is 5 % too high, and 3 % do not matter
    public void At_most_1_verdict_in_20_on_a_published_ratio_is_false(double published, Agreement mistake)
    {
        var share = Simulated.Share(4000, 20261124, random => Noisy(
            [.. Enumerable.Range(0, 8).Select(_ => 1.2 * Math.Exp(0.02 * Simulated.Gaussian(random)))], published, published)
            .Agreement == mistake);
        Assert.InRange(Simulated.Told(share, $"published {published:0.00}, true 1.20: {mistake}"), 0,
            0.05 + Simulated.Margin(0.05, 4000));
    }

    [Fact]
    public void An_interval_that_lies_partly_in_the_published_range_is_called_compatible()
    {
        double[] wide = [1.05, 1.2, 1.4, 1.5, 1.7, 1.95];
        Assert.Equal("compatible: as published or less", Noisy(wide, 1.7, 3).Text);
        Assert.Equal("compatible: as published or more", Noisy(wide, 1.03, 1.25).Text);
        Assert.Equal("compatible: as published, less or more", Noisy(wide, 1.4, 1.4).Text);
        Assert.Equal("differs: in the same direction, but less", Noisy(wide, 2.5, 3).Text);
        Assert.Equal("agrees", Noisy(wide, 1.0, 2).Text);
        // The published ratio of 2 to 3 is excluded, but the direction of the difference is not known.
        Assert.Equal("differs: less, and it is not decided which of the two is faster", Noisy([0.58, 0.8, 0.9, 1, 1.2, 1.65], 2, 3).Text);
        Assert.Equal("cannot tell: interval too wide",
            Noisy([0.58, 0.8, 0.9, 1, 1.2, 1.65], 1.3, 2).Text);
    }

    [Fact]
    public void An_interval_wholly_below_the_published_ratio_differs_even_if_the_distance_is_small() =>
        Assert.Equal("differs: in the same direction, but less", Noisy([1.02, 1.03, 1.04, 1.05, 1.06, 1.075], 1.10, 1.10).Text);

    [Fact]
    public void Two_published_figures_of_one_pair_of_cells_give_one_verdict()
    {
        // The figures for 1,000 B and for 1 KiB are both compared with the cells of 1 KiB.
        Assert.Contains("**2 verdicts, one for each measured size and run", Page(EchoRun()), StringComparison.Ordinal);
    }

    [Fact]
    public void Ratios_of_different_transports_are_not_shown_as_one_range() => Assert.DoesNotMatch(
        @"\| article-0 \|[^|]*measured [\d.]+× to", Page(Article()));

    [Fact]
    public void The_verdict_is_CannotTell_if_the_interval_contains_the_published_ratio_and_1()
    {
        var noisy = Simulated.Run([[1000, 1000, 1000, 1000, 1000, 1000, 1000], [950, 1200, 1010, 1150, 980, 1020, 1100]]);
        noisy = noisy with { Cells = [new Cell { Key = Web("port"), Address = "x" }, new Cell { Key = Web("socket"), Address = "x" }] };
        Assert.Equal(Agreement.CannotTell, PublishedVerdict.Compare(new MeasuredRun(noisy), Ratio)!.Agreement);
    }

    [Fact]
    public void Without_a_known_published_figure_there_is_no_comparison()
    {
        var run = Make("starlette", 7, (Web("tcp"), 1_000), (Web("sharedvolume"), 1_100), (Web("combined"), 1_150));
        Assert.DoesNotContain("Only published", new TextReport().Make(new ReportModel(run)), StringComparison.Ordinal);
        Assert.All(Named("starlette").Ratios,
            ratio => Assert.Equal("nothing to compare", PublishedVerdict.Compare(new MeasuredRun(run), ratio)!.Text));
    }

    [Fact]
    public void An_unmeasured_cell_has_no_verdict() =>
        Assert.Null(PublishedVerdict.Compare(new MeasuredRun(Make("flask", 7, (Web("port"), 1_000))), Ratio));

    [Fact]
    public void The_articles_difference_is_split_into_TLS_and_topology_and_transport()
    {
        var page = Page(Article());
        Assert.Contains("measured as in the article 1.98×", page, StringComparison.Ordinal);
        Assert.Matches(@"TLS contributes a factor 1\.50× \[[^]]+\], and 5 connections of 80 streams instead of 400 "
            + @"connections a factor 1\.20× \[[^]]+\]; the transport itself, with 400 connections and no encryption, "
            + @"gives 1\.10× \[", page);
        Assert.Contains("| 10 B | unix | 1.15× | 1.98×", page, StringComparison.Ordinal);
    }

    [Fact]
    public void With_too_few_rounds_the_page_says_that_no_factor_of_the_difference_is_sure()
    {
        Assert.Contains("so no factor is sure", Page(Article(3)), StringComparison.Ordinal);
        Assert.DoesNotContain("so no factor is sure", Page(Article()), StringComparison.Ordinal);
    }

    [Fact]
    public void A_ratio_that_is_withheld_elsewhere_is_no_factor()
    {
        var run = Article();
        var page = Page(run with
        {
            // The windows hold fewer than four consecutive calls.
            Options = run.Options with { DurationFixed = true, Calls = 0 },
            Rounds = [.. run.Rounds.Select(round => round with { Latency = Slow(round.WindowNs) })],
        });
        Assert.Contains("measured as in the article –. TLS contributes a factor –, and", page, StringComparison.Ordinal);
        Assert.Contains("connections a factor –; the transport itself", page, StringComparison.Ordinal);

        static string Slow(long ns)
        {
            var histogram = new LatencyHistogram();
            histogram.Record(ns, 1000);
            return histogram.Encode();
        }
    }

    [Fact]
    public void Factors_near_1_are_marked_as_undecided()
    {
        var plain = Make("article", 7, (Few("tcp", 10), 100), (Few("tls", 10), 100), (Few("unix", 10), 150), (Many("tcp", 10), 100),
            (Many("unix", 10), 150));
        Assert.Matches(@"TLS contributes a factor 1\.00× \[[^]]+\] \(the interval contains 1\)", Page(plain));
    }

    [Fact]
    public void The_comparison_with_keep_alive_shows_the_cost_of_opening_connections()
    {
        var page = Page(Flask());
        Assert.Matches(@"socket against port: 1\.10× \[[^]]+\] with a connection per request, 1\.05× \[[^]]+\] with "
            + @"keep-alive\. Setting up connections contributes a factor 1\.05×", page);
        Assert.Matches(@"\| port \| 2,\d+ \| 2,\d+ \| 1\.30×", page);
    }

    [Fact]
    public void A_server_with_keep_alive_is_compared_with_the_same_server_without_keep_alive()
    {
        var page = Page(Make("flask", 7, (Web("port"), 2_000), (Web("socket"), 2_200), (Web("port threads"), 1_000),
            (Web("socket threads"), 1_100), (Web("port keepalive"), 1_500), (Web("socket keepalive"), 1_500)));
        Assert.Matches(@"socket threads against port threads: 1\.10× \[[^]]+\] with a connection per request, 1\.00× "
            + @"\[[^]]+\] with keep-alive\. Setting up connections contributes a factor 1\.10×", page);
        Assert.Matches(@"\| port threads \| 1,0\d+ \| 1,5\d+ \| 1\.50×", page);
    }

    [Fact]
    public void The_comparison_of_ports_with_and_without_a_forwarder_shows_the_cost_of_forwarding() => Assert.Matches(
        @"socket against the forwarded port: 1\.43× \[[^]]+\]\. Forwarding contributes a factor 1\.30× \[[^]]+\]; socket "
            + @"against the same port without a forwarder: 1\.10× \[",
        Page(Make("flask-containers", 7, (Web("port"), 1_000), (Web("socket"), 1_430), (Web("port direct"), 1_300))));

    [Fact]
    public void Cells_that_are_only_measured_or_only_published_are_listed()
    {
        var page = Page(EchoRun());
        Assert.Contains("Only measured: pipe echo (1 B / 1 KiB).", page, StringComparison.Ordinal);
        Assert.Contains("Only published: Unix socket against TCP, 2 B; ", page, StringComparison.Ordinal);
        Assert.Contains("Only published: TCP with TLS, 100 B, first round;", Page(Article()), StringComparison.Ordinal);
    }

    [Fact]
    public void The_text_report_of_a_repeated_write_up_ends_with_the_published_table()
    {
        var text = new TextReport().Make(new ReportModel(Flask()));
        Assert.Matches(@"port +requests/s +read there +1,837 ", text[text.IndexOf("\nPublished\n", StringComparison.Ordinal)..]);
        Assert.DoesNotContain("\nPublished\n", new TextReport().Make(new ReportModel(Flask() with { Scenario = "" })),
            StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("markdown", "| port | requests/s | read there | 1,837 |")]
    [InlineData("html", "<td class=\"w\">read there</td><td>1,837</td>")]
    public void All_readable_reports_have_the_published_section(string format, string row)
    {
        var report = Reports.Find(format)!;
        Assert.Contains(row, report.Make(new ReportModel(Flask())), StringComparison.Ordinal);
        Assert.DoesNotContain("1,837", report.Make(new ReportModel(Flask() with { Scenario = "" })), StringComparison.Ordinal);
    }

    [Fact]
    public void The_page_of_several_runs_equals_its_approved_snapshot() =>
        Snapshot.Verify("page.published", () => Page(
            EchoRun(), Flask(), Flask(3), Article(), LayerRuns.Make(9, [7.5, 11, 20, 40, 55], [5.1, 10.5, 19.5, 39.5, 53.5])));

    [Fact]
    public void A_report_without_a_run_shows_the_published_figures() =>
        Assert.Contains("| port | requests/s | read there | 1,837 |", Page(), StringComparison.Ordinal);

    [Fact]
    public void The_published_report_does_not_depend_on_the_order_of_files() => Assert.Equal(
        new PublishedReport().Make(new ReportModel([("a", Flask()), ("b", Flask(3))])), new PublishedReport()
            .Make(new ReportModel([("b", Flask(3)), ("a", Flask())])));
}
