using System.Globalization;
using System.Text.RegularExpressions;
using IpcBench.Analysis.Comparison;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

/// <summary>Makes all formats of a committed run and compares what they say about the same cells.</summary>
public sealed partial class FormatsAgreeTests
{
    private const string Quick = "results/quick/run.json";
    private const string Builds = "results/findings/uploads.json";

    [Theory]
    [MemberData(nameof(OneTruthTests.Runs), MemberType = typeof(OneTruthTests))]
    public void An_interval_has_the_same_verdict_in_every_format(string file)
    {
        var (model, run) = Load(file);
        var formats = new[] { "markdown", "json", "junit", "github-action-benchmark" }.ToDictionary(format => format,
            format => Plain(Made(format, model)));
        var table = UnixAgainstTcp.Table(run).Rows.Select(row => row[1]).ToList();
        var compared = run.Cells.Where(cell => cell.Key.Transport == "unix").Select(cell => ArmComparison.OfHeadline(run, cell))
            .OfType<ArmComparison>().Where(one => table.Contains(VerdictText.Short(one.Verdict))).ToList();
        Assert.True(compared.Count >= table.Count);
        foreach (var one in compared)
        {
            var (brief, whole) = (VerdictText.Short(one.Verdict), VerdictText.Describe(one.Verdict, one.Metric));
            Assert.Equal(WordOf(brief), WordOf(whole));
            // A format that has only ratios leaves out a ratio whose verdict is withheld.
            Assert.All(formats, made => Assert.Equal(one.Verdict.Withheld.Length == 0 || made.Key != "github-action-benchmark",
                made.Value.Contains(whole, StringComparison.Ordinal)));
        }

        // "equal within 3.8 %" and "no difference larger than 3.8 %" are one verdict.
        static string WordOf(string text) => NoDifference().Match(text) is { Success: true } bound ? "within " + bound.Groups[1].Value
            : text.StartsWith("undecided", StringComparison.Ordinal) ? "undecided" : "decided";
    }

    [Theory]
    [MemberData(nameof(OneTruthTests.Runs), MemberType = typeof(OneTruthTests))]
    public void A_comparison_has_the_same_verdict_in_both_directions(string file)
    {
        var run = Load(file).Run;
        var pairs = (from cell in run.Cells
                     let reference = run.ReferenceOf(cell)
                     where reference is not null
                     from metric in new[] { Metric.Rate, Metric.TotalCpu }
                     let one = ArmComparison.Compare(run, cell, reference, metric)
                     where one is not null
                     select (one, Turned: ArmComparison.Compare(run, reference, cell, metric)!)).ToList();
        Assert.NotEmpty(pairs);
        Assert.All(pairs, pair =>
        {
            Assert.Equal(pair.one.Verdict.LargestDifference, pair.Turned.Verdict.LargestDifference);
            Assert.Equal((pair.one.IsBetter, pair.one.IsWorse), (pair.Turned.IsWorse, pair.Turned.IsBetter));
            Assert.Equal(pair.one.Verdict.Estimate.Ratio, 1 / pair.Turned.Verdict.Estimate.Ratio, 1e-9);
        });
    }

    // Each sentence of the answer compares the fastest transport with the others, whichever of them is the reference.
    [Fact]
    public void The_sentences_of_the_answer_and_the_table_have_the_same_bounds()
    {
        var (model, run) = Load("results/linux-2cpu/run.json");
        var alike = run.Cells.Where(cell => cell.Key.Transport == "unix").Select(cell => ArmComparison.OfHeadline(run, cell)!.Verdict)
            .Where(verdict => verdict.Kind == VerdictKind.NoDifference).ToList();
        Assert.NotEmpty(alike);
        Assert.All(new[] { "json", "junit" }, format => Assert.All(alike, verdict => Assert.Contains(
            $"{VerdictText.Within(verdict.LargestDifference)} between ", Made(format, model), StringComparison.Ordinal)));
    }

    [Fact]
    public void The_conclusion_names_the_loads_with_a_saving_and_the_undecided_loads()
    {
        var run = Load(Quick).Run;
        var rows = UnixAgainstTcp.Table(run).Rows;
        var worth = UnixAgainstTcp.Worth(run);
        Assert.Equal("Grpc.Net.Client, 10 B",
            rows.Single(row => row.Skip(1).All(cell => cell.StartsWith("undecided", StringComparison.Ordinal)))[0]);
        Assert.Contains(". Undecided for a channel, 5 × 80 with 10 B and Grpc.Net.Client with 10 B.", worth, StringComparison.Ordinal);
        Assert.Contains("400 clients with 10 B (faster, less CPU", worth, StringComparison.Ordinal);
    }

    [Fact]
    public void The_second_measurement_of_an_arm_is_compared_with_this_arm_and_not_with_another_client()
    {
        var run = Load(Quick).Run;
        var record = run.Record with
        {
            Cells = [.. run.Record.Cells.Select(cell => cell.Key.Transport == "unix"
                ? cell with { Key = cell.Key with { Transport = "tcp", Variant = "a/a" } } : cell)],
        };
        var marked = new MeasuredRun(record);
        Assert.All(marked.Cells.Where(cell => cell.Key.Variant == "a/a"), cell =>
            Assert.Equal(cell.Key with { Variant = "" }, marked.ReferenceOf(cell)!.Key));
    }

    [Fact]
    public void Two_channels_of_Grpc_Net_Client_have_names_of_their_own()
    {
        var run = Load(Quick).Run;
        var record = run.Record with
        {
            Cells = [.. run.Record.Cells.Select(cell => cell.Key is { Connections: 5, Streams: 80 }
                ? cell with { Key = cell.Key with { Client = "grpc-dotnet", Connections = cell.Key.IsOfGrpcNetClient ? 5 : 1 } } : cell)],
        };
        var names = UnixAgainstTcp.Table(new MeasuredRun(record)).Rows.Select(row => row[0]).ToList();
        Assert.Contains("Grpc.Net.Client, 10 B", names);
        Assert.Contains("Grpc.Net.Client, a channel, 1 × 80, 10 B", names);
    }

    [Fact]
    public void The_CPU_of_a_call_is_the_same_number_in_every_format()
    {
        var (model, run) = Load(Quick);
        var (markdown, html) = (Made("markdown", model), Plain(Made("html", model)));
        var screen = new TextReport(new TextLayout(200, IsBrief: true)).Make(model);
        Assert.All(run.Cells, cell =>
        {
            var total = cell.Show(Metric.TotalCpu);
            Assert.Contains($"| {total} | {cell.Show(Metric.ClientCpu)} |", markdown, StringComparison.Ordinal);
            Assert.Contains($">{total}</text>", html, StringComparison.Ordinal);
            Assert.Contains($"  {total}", screen, StringComparison.Ordinal);
        });
    }

    [Fact]
    public void Text_and_markdown_say_that_latencies_include_the_calls_of_all_rounds()
    {
        var (model, run) = Load(Quick);
        Assert.All(new[] { "text", "markdown" }, format =>
            Assert.Contains("Latency of the calls of all rounds", Made(format, model), StringComparison.Ordinal));
        Assert.All(run.Cells, cell => Assert.Equal(
            cell.Rounds.Sum(round => (double)round.Record.LatencySumNs) / cell.Rounds.Sum(round => round.Record.Ok),
            cell.Value(Metric.Mean)!.Value, 0.001));
    }

    [Fact]
    public void A_page_of_two_builds_has_one_rate_per_cell_and_percentiles_of_all_rounds()
    {
        var (model, run) = Load(Builds);
        var html = Plain(Made("html", model));
        var pictures = html[html.IndexOf("Cell by cell", StringComparison.Ordinal)..];
        Assert.All(run.Cells, cell =>
        {
            var rate = cell.ShowMiddle(Metric.Rate);
            Assert.True(Regex.Count(pictures, $">{Regex.Escape(rate)}</td>") >= 2, $"{cell.Key.Arm} {rate}");
            Assert.Equal(cell.OfLatencies!.Latency.At(50), cell.Value(Metric.P50));
            Assert.NotNull(cell.Value(Metric.Find("p90")!));
        });
    }

    [Fact]
    public void A_screen_without_percentiles_does_not_show_the_doubt_few_samples()
    {
        var model = Load(Quick).Model;
        var screen = new TextReport(new TextLayout(80, IsBrief: true)).Make(model);
        Assert.Contains("few-samples", Made("text", model), StringComparison.Ordinal);
        Assert.DoesNotContain("few-samples", screen, StringComparison.Ordinal);
        Assert.Contains("(round 2;", screen, StringComparison.Ordinal);
    }

    [Fact]
    public void The_picture_has_the_note_of_the_markdown_report_about_medians_that_contradict_a_ratio()
    {
        var model = Load("results/linux-2cpu/run.json").Model;
        var note = Contradictions().Match(Made("markdown", model)).Value;
        Assert.NotEmpty(note);
        var picture = string.Join(' ', SvgLabel().Matches(Plain(Made("svg", model))).Select(match => match.Groups[1].Value));
        Assert.Contains(note, picture, StringComparison.Ordinal);
    }

    [Fact]
    public void CSV_files_repeat_no_column_name_and_no_key_of_a_row()
    {
        var model = Load(Quick).Model;
        var columns = Made("csv", model).Split('\n')[0].Split(',');
        Assert.Equal(columns.Distinct(), columns);
        var runs = Made("runs-csv", model).TrimEnd('\n').Split('\n').Select(row => row[..NumbersOfRounds().Match(row).Index]).ToList();
        Assert.Equal(runs.Distinct(), runs);
        var wide = Made("wide-csv", model).TrimEnd('\n').Split('\n').Skip(1).Select(row => WideRow().Match(row)).ToList();
        Assert.All(wide, row => Assert.True(row.Success));
        Assert.Equal(wide.Count, wide.Select(row => (row.Groups["key"].Value, row.Groups["run"].Value)).Distinct().Count());
    }

    [Fact]
    public void The_wrk_report_shows_percentiles_only_with_samples_and_the_bytes_of_the_record()
    {
        var (model, run) = Load(Quick);
        var blocks = Made("wrk", model).Split("\n\n");
        Assert.DoesNotContain(blocks, block => block.StartsWith("Running 0s", StringComparison.Ordinal));
        Assert.All(blocks.Zip(run.Cells), pair =>
        {
            Assert.Equal(pair.Second.OfLatencies!.Ended.HasDataFor(99), pair.First.Contains(" 99%", StringComparison.Ordinal));
            var round = pair.Second.Median!.Record;
            var read = BytesRead().Match(pair.First).Groups;
            Assert.Equal(round.PayloadBytes, double.Parse(read[1].Value, CultureInfo.InvariantCulture)
                * Math.Pow(1024, "KMG".IndexOf(read[2].Value, StringComparison.Ordinal) + 1), round.PayloadBytes * 0.01);
        });
    }

    private static (ReportModel Model, MeasuredRun Run) Load(string file)
    {
        var model = new ReportModel(ResultsFile.Load(Path.Combine(Repository.Root, file)));
        return (model, model.Files[0].Run);
    }

    private static string Made(string format, ReportModel model) => Reports.All.Single(report => report.Format == format).Make(model);

    private static string Plain(string text) => System.Net.WebUtility.HtmlDecode(text).Replace('\u00A0', ' ')
        .Replace("\\>", ">", StringComparison.Ordinal);

    [GeneratedRegex("^(?:equal within|no difference larger than) ([0-9.]+ %)")]
    private static partial Regex NoDifference();

    [GeneratedRegex("<text[^>]*>([^<]*)</text>")]
    private static partial Regex SvgLabel();

    [GeneratedRegex("[^.|\n]*(?:trust the comparison within rounds|trust the percentages)\\.")]
    private static partial Regex Contradictions();

    [GeneratedRegex(@"([\d.]+)([KMG])B read")]
    private static partial Regex BytesRead();

    [GeneratedRegex(@"(,[\d.]*)+$")]
    private static partial Regex NumbersOfRounds();

    [GeneratedRegex(@"^(?<key>.*),[\d.]+,\d+,(?<run>\d+)$")]
    private static partial Regex WideRow();
}
