using System.Globalization;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;
using IpcBench.Client.Terminal;
using IpcBench.Client.Tests.Cli;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Terminal;

public class RunViewTests
{
    private const string Sentence = "unix, 1 MB, 400 connections: a call takes 0.52 s, "
        + "so windows are 2.1 s instead of 1 s (give -d to keep the length)";

    [Fact]
    public void A_note_on_a_terminal_is_wrapped_between_words()
    {
        var lines = Said(new Screen(true, 40)).TrimEnd('\n').Split('\n');

        Assert.True(lines.Length > 2, string.Join('|', lines));
        Assert.All(lines, line => Assert.InRange(line.Length, 1, 40));
        Assert.All(lines.Skip(1), line => Assert.StartsWith("  ", line, StringComparison.Ordinal));
        Assert.Equal(Sentence, string.Join(' ', lines.Select(line => line.Trim())));
    }

    [Fact]
    public void A_note_in_a_file_is_one_line() => Assert.Equal(Sentence + "\n", Said(new Screen(false)));

    [Theory]
    [InlineData(400, "unix, 10 B, 400 connections")]
    [InlineData(1, "unix, 10 B, 1 connection")]
    public void A_cell_is_named_by_arm_and_size_and_connections(int connections, string name)
    {
        var options = Typed.Read(Preset.Main, "-s", "10", "-c", connections.ToString(CultureInfo.InvariantCulture), "-r", "1");
        var plan = new BenchPlan(options, [new Target(new Address.Unix("/run/app.sock"), options.Variants[0])]);

        Assert.Equal(name, plan.Cells[0].Name);
    }

    private static string Said(Screen screen)
    {
        using var error = new StringWriter { NewLine = "\n" };
        using var view = new RunView(Typed.Read(Preset.Main), TextWriter.Null, error, screen);
        view.Note(Sentence);
        return error.ToString();
    }
}
