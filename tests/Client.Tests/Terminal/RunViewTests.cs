using System.Globalization;
using IpcBench.Analysis.Results;
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

    [Fact]
    public void A_line_of_a_cell_that_is_wider_than_the_terminal_is_wrapped_between_words()
    {
        var options = Typed.Read(Preset.Main, "-s", "10", "-c", "1", "-r", "1", "-v");
        var plan = new BenchPlan(options, [new Target(new Address.Unix("/run/app.sock"), options.Variants[0])]);
        using var output = new StringWriter { NewLine = "\n" };
        using var view = new RunView(options, output, TextWriter.Null, new Screen(true, 50));
        view.CellFinished(plan.Cells[0], Run.MadeUp.Round(1, calls: 100), Record(plan));

        Assert.All(output.ToString().Split('\n'), line => Assert.InRange(line.Length, 0, 50));
        Assert.Contains("Requests/sec: 100\n", output.ToString(), StringComparison.Ordinal);
    }

    private static RunRecord Record(BenchPlan plan) => new()
    {
        ToolVersion = "test",
        Started = DateTimeOffset.UnixEpoch,
        CommandLine = [],
        Seed = 1,
        Options = new RunOptionsRecord { Rounds = 1, DurationNs = 1_000_000_000, WarmupNs = 0, TimeoutNs = 1, Threads = 1 },
        Host = new HostInfo(),
        Cells = [.. plan.Cells.Select(cell => cell.Record)],
    };

    private static string Said(Screen screen)
    {
        using var error = new StringWriter { NewLine = "\n" };
        using var view = new RunView(Typed.Read(Preset.Main), TextWriter.Null, error, screen);
        view.Note(Sentence);
        return error.ToString();
    }
}
