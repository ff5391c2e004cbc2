using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

public sealed class ReportSnapshotTests
{
    public static TheoryData<string> Formats => [.. Reports.All.Select(report => report.Format)];

    private static string Source([CallerFilePath] string source = "") => source;

    private static RunRecord Long() =>
        new SampleRuns { Transports = ["tcp", "tls", "unix", "pipe"], Rounds = 12, SamplesPerRound = 60 }.Make();

    private static RunRecord Tiny() =>
        new SampleRuns(3) { Transports = ["unix"], Sizes = [10], Rounds = 1, SamplesPerRound = 20, Label = "" }.Make();

    private static ReportModel TwoMachines() => new([
        ("linux", new SampleRuns { Sizes = [10, 10_000], Rounds = 8, SamplesPerRound = 40 }.Make()),
        ("windows", new SampleRuns(2) { Sizes = [10, 10_000], Rounds = 8, SamplesPerRound = 40, Os = "Windows" }.Make())]);

    [Fact]
    public void The_documents_list_exactly_the_existing_formats()
    {
        var document = File.ReadAllText(Path.Combine(Path.GetDirectoryName(Source())!, "..", "..", "docs", "reports.md"));
        Assert.Equal(Reports.All.Select(report => report.Format).Order(),
            Regex.Matches(document, "^\\| `([a-z-]+)` \\|", RegexOptions.Multiline).Select(match => match.Groups[1].Value).Order());
        Assert.Equal(Reports.All.Select(report => report.Format).Order(),
            Regex.Match(document, @"GrpcBench report FILE… \[--format ([^\]]+)\]").Groups[1].Value.Split('|').Order());
    }

    // Four transports, six sizes, twelve rounds: 24 cells. The smaller approved reports show what a format looks like.
    [Theory]
    [InlineData("csv", "\n", 1 + 24 * 12)]
    [InlineData("wide-csv", "\n", 1 + 24 * 12)]
    [InlineData("runs-csv", "\n", 1 + 24)]
    [InlineData("json", "\"arm\": ", 24)]
    [InlineData("json", "\"reference\": \"tcp\"", 1 + 18)]
    [InlineData("hgrm", "#[Max     = ", 24)]
    [InlineData("hgrm", "#[tcp, 10 B]\n", 1)]
    [InlineData("wrk", "\nRequests/sec: ", 24)]
    [InlineData("svg", "<rect class=\"f c", 24)]
    [InlineData("html", "<tr", 4 + 24 * 3 + 18 + 2 + 18 + 2)]
    [InlineData("published", "not measured here yet", 9)]
    public void The_report_of_a_long_run_has_a_part_for_every_cell(string format, string part, int count) =>
        Assert.Equal(count, LongReport(format).Split(part).Length - 1);

    [Theory]
    [InlineData("text")]
    [InlineData("markdown")]
    [InlineData("html")]
    public void The_report_of_a_long_run_shows_its_doubts_and_a_verdict_for_every_size(string format)
    {
        // The HTML page has a no-break space between a number and its unit.
        var report = LongReport(format).Replace('\u00A0', ' ');
        foreach (var size in new[] { "10 B", "100 B", "1 kB", "10 kB", "100 kB", "1 MB" })
            Assert.Matches($@"400 clients, {size}\b[^0-9+−u]*([+−]\d|undecided|no difference)", report);
        Assert.DoesNotContain("Crossover", report, StringComparison.Ordinal); // the table has a row for each size
        Assert.Contains("TLS encrypts and the other transports here do not", report, StringComparison.Ordinal);
        Assert.Contains("tls-compared", report, StringComparison.Ordinal);
        Assert.Contains("pipe-is-socket", report, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("html")]
    [InlineData("svg")]
    public void The_pictures_of_a_long_run_are_well_formed_XML(string format)
    {
        var pictures = Regex.Matches(LongReport(format), "<svg.*?</svg>", RegexOptions.Singleline);
        Assert.All(pictures, picture => XElement.Parse(picture.Value));
        Assert.NotEmpty(pictures);
    }

    // Made once for all tests: making a report of the long run takes seconds.
    private static readonly Lazy<RunRecord> LongRun = new(Long);
    private static readonly ConcurrentDictionary<string, string> LongReports = new();

    private static string LongReport(string format) => LongReports.GetOrAdd(
        format, static format => Snapshot.InEveryCulture(() => Reports.Find(format)!.Make(new ReportModel(LongRun.Value))));

    [Theory]
    [MemberData(nameof(Formats))]
    public void The_report_of_a_tiny_run_equals_its_approved_snapshot(string format) =>
        Snapshot.Verify($"tiny.{format}", () => Reports.Find(format)!.Make(new ReportModel(Tiny())));

    [Theory]
    [MemberData(nameof(Formats))]
    public void The_report_of_two_files_equals_its_approved_snapshot(string format) =>
        Snapshot.Verify($"two.{format}", () => Reports.Find(format)!.Make(TwoMachines()));

    [Theory]
    [InlineData("text")]
    [InlineData("markdown")]
    [InlineData("html")]
    public void The_report_of_a_proxy_with_watched_connections_equals_its_approved_snapshot(string format) =>
        Snapshot.Verify($"proxy.{format}", () => Reports.Find(format)!.Make(new ReportModel(ProxyRun.Make())));

    [Theory]
    [InlineData("text", "No round was measured.\n\nDoubts\n  [incomplete] The run still runs, or was killed, after 0 rounds "
        + "of every cell.")]
    [InlineData("markdown", "| size | transport | requests/s | range of rounds | payload/s |")]
    [InlineData("html", "The run still runs, or was killed, after 0 rounds of every cell.")]
    [InlineData("json", "\"median\": {},")]
    [InlineData("svg", "</style>\n<rect x=\"-12\" y=\"-4\" width=\"100%\" height=\"100%\" style=\"fill:var(--card)\"/>\n</svg>\n")]
    [InlineData("published", "not measured here yet")]
    public void A_run_without_a_round_has_a_report(string format, string part) =>
        Assert.Contains(part, Reports.Find(format)!.Make(new ReportModel(Unmeasured())), StringComparison.Ordinal);

    [Theory]
    [InlineData("wide-csv", "transport,size,total_ms,packets,run\n")]
    [InlineData("runs-csv", "NAME\n")]
    [InlineData("hgrm", "")]
    [InlineData("wrk", "")]
    public void A_run_without_a_round_has_no_rows(string format, string whole) =>
        Assert.Equal(whole, Reports.Find(format)!.Make(new ReportModel(Unmeasured())));

    [Fact]
    public void A_missing_round_of_a_cell_is_an_empty_field_of_runs_csv()
    {
        var run = new SampleRuns { Sizes = [10], Rounds = 3, SamplesPerRound = 5 }.Make();
        var whole = Rows(run);
        Assert.All(whole, row => Assert.Equal(4, row.Length));
        // One cell lacks its second round, another cell its last round.
        var missing = Rows(run with
        {
            Rounds = [.. run.Rounds.Where(round => (round.Cell, round.Number) is not (0, 2) and not (1, 3))],
        });
        Assert.Equal(["NAME", "RUN 0", "RUN 1", "RUN 2"], missing[0]);
        var first = missing.Single(row => row[2] == "");
        var second = missing.Single(row => row[3] == "");
        Assert.Contains(whole, row => row[0] == first[0] && (row[1], row[3]) == (first[1], first[3]));
        Assert.Contains(whole, row => row[0] == second[0] && (row[1], row[2]) == (second[1], second[2]));

        static List<string[]> Rows(RunRecord run) =>
            [.. Reports.Find("runs-csv")!.Make(new ReportModel(run)).TrimEnd('\n').Split('\n').Select(line => line.Split(','))];
    }

    [Fact]
    public void A_run_without_a_round_has_no_row_in_csv() =>
        Assert.Single(Reports.Find("csv")!.Make(new ReportModel(Unmeasured())).TrimEnd().Split('\n'));

    private static RunRecord Unmeasured() => Tiny() with { Rounds = [], Ending = "running", Finished = null };

    [Fact]
    public void Control_characters_are_left_out_of_reports()
    {
        var run = Tiny();
        run = run with { Label = "\u001b[31mred\u009b2J" };
        var text = Reports.Find("text")!.Make(new ReportModel(run));
        Assert.DoesNotContain('\u001b', text);
        Assert.DoesNotContain('\u009b', text);
    }
}
