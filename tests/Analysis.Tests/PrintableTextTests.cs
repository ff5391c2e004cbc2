using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Wording;

namespace IpcBench.Analysis.Tests;

public sealed class PrintableTextTests
{
    // Escape, C1's CSI, the bidi controls of Unicode TR9, a zero-width space, a line separator, a carriage return.
    private const string Hostile = "\u001b[2J\u009b2J\u202e\u202a\u2066\u2069\u200f\u061c\u200b\u2028\r\a";

    [Fact]
    public void Control_characters_are_left_out_and_line_breaks_stay() =>
        Assert.Equal("a[2J2J\nb ü 日本 🙂", PrintableText.Of("a" + Hostile + "\nb ü 日本 🙂"));

    [Fact]
    public void Hidden_characters_beyond_the_first_65536_are_left_out_or_escaped_too()
    {
        const string hidden = "a\U000E0041\U000E007F\U0001D173b"; // tag characters and a format character of musical notation
        Assert.Equal("ab", PrintableText.Of(hidden));
        Assert.Equal("ab", PrintableText.OfScreen(hidden));
        Assert.Equal("a   b", PrintableText.OfLine(hidden));
        Assert.Equal("\"a\\udb40\\udc41b\"", PrintableText.OfJson("\"a\U000E0041b\""));
    }

    [Theory]
    [InlineData("\u001b[1mbold\u001b[0m\n", "\u001b[1mbold\u001b[0m\n")]
    [InlineData("\u001b[3F\u001b[0Jx\ty\r\n", "\u001b[3F\u001b[0Jx\ty\r\n")]
    [InlineData("\u001b[2J\u001b]0;title\a\rx", "[2J]0;titlex")]
    [InlineData("\u009b0J\u202ex", "0Jx")]
    public void Colours_and_cursor_movements_of_a_screen_are_kept_and_other_control_codes_are_removed(string text, string shown) =>
        Assert.Equal(shown, PrintableText.OfScreen(text));

    public static TheoryData<string> Formats => [.. Reports.All.Select(report => report.Format)];

    [Theory]
    [MemberData(nameof(Formats))]
    public void No_report_passes_on_control_characters_of_a_file(string format)
    {
        var run = new SampleRuns { Sizes = [10], Rounds = 2, SamplesPerRound = 50 }.Make();
        run = run with
        {
            Label = "label" + Hostile,
            Host = run.Host with { Os = "os" + Hostile, CpuModel = "cpu" + Hostile },
            Cells = [.. run.Cells.Select(cell => cell with
            {
                Address = cell.Address + Hostile,
                Key = cell.Key with { Variant = "v" + Hostile, Transport = cell.Key.Transport + Hostile },
            })],
        };
        var made = Reports.Find(format)!.Make(new ReportModel([(Name: "run" + Hostile, run)]));
        Assert.Equal(PrintableText.Of(made), made);
    }
}
