using System.Globalization;
using System.Text.RegularExpressions;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

/// <summary>Checks what a reader sees of a page first, and what a screen reader says.</summary>
public sealed class PageTests
{
    private static readonly ReportModel Quick = new(ResultsFile.Load(Path.Combine(Repository.Root, "results/quick/run.json")));

    private static readonly string Page = new HtmlReport().Make(Quick);

    // A made-up run, whose verdicts stay the same when the committed run is replaced.
    private static readonly string MadeUp = new HtmlReport().Make(new ReportModel(new SampleRuns
    {
        Transports = ["tcp", "unix"],
        Sizes = [10, 1_000, 1_000_000],
        Speed = (transport, size) => transport == "tcp" || size == 1_000 ? 1 : size == 10 ? 1.45 : 0.82,
    }.Make()));

    [Fact]
    public void A_page_begins_with_a_coloured_verdict_for_each_load_and_size()
    {
        Assert.Matches("class=\"w\">400 clients</th><td class=\"up\">faster \\+[^<]*</td><td class=\"even\">equal within [^<]*</td>"
            + "<td class=\"down\">slower −", Grid(MadeUp));
        var grid = Grid(Page);
        Assert.Contains("<th scope=\"col\">10 B</th><th scope=\"col\">1 MB</th>", grid, StringComparison.Ordinal);
        foreach (var shape in new[] { "one call at a time", "a channel, 5 &#215; 80", "400 clients" })
        {
            Assert.Matches(shape + "</th>(<td class=\"(up\">faster \\+|even\">equal within |down\">slower −|open\">undecided|\">)"
                + "[^<]*</td>){2}", grid);
        }
        Assert.True(Page.IndexOf("class=\"grid\"", StringComparison.Ordinal) < Page.IndexOf("<svg", StringComparison.Ordinal));
    }

    [Fact]
    public void The_columns_of_the_grid_go_from_small_to_large_sizes()
    {
        // The first shape of this run has two of the six sizes.
        var run = ResultsFile.Load(Path.Combine(Repository.Root, "results/linux-2cpu/run.json"));
        Assert.Equal(["10 B", "100 B", "1 kB", "10 kB", "100 kB", "1 MB"],
            Regex.Matches(Grid(new HtmlReport().Make(new ReportModel(run))), "<th scope=\"col\">([^<]*)</th>")
                .Select(match => match.Groups[1].Value));
    }

    [Fact]
    public void The_caption_of_a_picture_says_which_direction_is_better_and_its_label_says_the_result()
    {
        var captions = Regex.Matches(Page, "<p class=\"cap\">([^<]*)</p>\n<div class=\"panels\">")
            .Select(match => match.Groups[1].Value).ToList();
        Assert.Equal(4, captions.Count); // ratio, throughput, CPU, latency
        Assert.All(captions, caption => Assert.Matches("^(Shorter|Longer|Lower|Higher|Further right) is better", caption));
        Assert.Matches(@"aria-label=""[^""]*unix, 1 MB: −1\d % \[−", MadeUp);
        Assert.DoesNotContain("Hodges", Page[..Page.IndexOf("<svg", StringComparison.Ordinal)], StringComparison.Ordinal);
    }

    [Fact]
    public void The_picture_of_ratios_compares_only_transports_and_marks_intervals_that_end_outside()
    {
        Assert.DoesNotContain("arrowhead", MadeUp, StringComparison.Ordinal);
        var (caption, pictures) = Ratios(Page);
        Assert.Contains("unix grpc-dotnet", pictures, StringComparison.Ordinal);
        Assert.DoesNotContain("tcp grpc-dotnet", pictures, StringComparison.Ordinal);

        // One arm is four times as fast in half of the rounds, and a quarter as fast in the others.
        var record = Quick.Files[0].Run.Record;
        var wide = record.Cells.ToList().FindIndex(cell => cell.Key is { Transport: "unix", Client: "grpc-dotnet" });
        var rounds = record.Rounds.Select(round => round.Cell != wide ? round
            : round with { Slices = null, Credited = round.Number % 2 == 0 ? round.Credited / 4 : round.Credited * 4 }).ToList();
        (caption, pictures) = Ratios(new HtmlReport().Make(new ReportModel(record with { Rounds = rounds })));
        Assert.Contains("An arrowhead marks an interval that ends outside the picture.", caption, StringComparison.Ordinal);
        Assert.Equal(2, Regex.Count(pictures, "<polyline"));
        Assert.DoesNotContain(">+100 %<", pictures, StringComparison.Ordinal);
    }

    // The caption and the pictures below it.
    private static (string Caption, string Pictures) Ratios(string page)
    {
        var found = Regex.Match(page,
            "<h2>Requests per second against tcp of the same client</h2>\n<p class=\"cap\">([^<]*)</p>(.*?)(?=<h2>|$)",
            RegexOptions.Singleline);
        Assert.True(found.Success, "there is no such picture");
        return (found.Groups[1].Value, string.Concat(Regex.Matches(found.Groups[2].Value, "<svg.*?</svg>", RegexOptions.Singleline)));
    }

    [Fact]
    public void Tables_have_captions_and_row_headers()
    {
        var tables = Regex.Matches(Page, "<table.*?</table>", RegexOptions.Singleline).Select(match => match.Value).ToList();
        Assert.True(tables.Count > 5);
        Assert.All(tables, table => Assert.Contains("<caption>", table, StringComparison.Ordinal));
        Assert.All(tables, table => Assert.Equal(Regex.Count(table, "<tr"), 1 + Regex.Count(table, "<th scope=\"row\"")));
    }

    [Theory]
    [InlineData(":root{--bg:#fff", "card")]
    [InlineData("(prefers-color-scheme:dark){:root{--bg", "card")]
    public void Bars_have_a_contrast_of_at_least_3_to_1_with_the_page(string scheme, string background)
    {
        var css = Page[Page.IndexOf(scheme, StringComparison.Ordinal)..];
        foreach (var bar in new[] { "k0", "k1", "k2", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9", "c10", "c11" })
            Assert.True(Contrast(Colour(css, bar), Colour(css, background)) >= 3, bar);
    }

    private static string Grid(string page) => Regex.Match(page, "<table class=\"grid\">.*?</table>", RegexOptions.Singleline).Value;

    private static double[] Colour(string css, string name)
    {
        var digits = Regex.Match(css, $"--{name}:#([0-9a-f]+)").Groups[1].Value;
        if (digits.Length == 3)
            digits = string.Concat(digits.Select(digit => $"{digit}{digit}"));
        return [.. Enumerable.Range(0, 3).Select(i =>
            int.Parse(digits.AsSpan(2 * i, 2), NumberStyles.HexNumber, CultureInfo.InvariantCulture) / 255.0)];
    }

    // WCAG 2.2, relative luminance and contrast ratio.
    private static double Contrast(double[] one, double[] other)
    {
        static double Luminance(double[] colour) => colour.Zip([0.2126, 0.7152, 0.0722], (value, weight) =>
            weight * (value <= 0.04045 ? value / 12.92 : Math.Pow((value + 0.055) / 1.055, 2.4))).Sum();
        var (a, b) = (Luminance(one), Luminance(other));
        return (Math.Max(a, b) + 0.05) / (Math.Min(a, b) + 0.05);
    }
}
