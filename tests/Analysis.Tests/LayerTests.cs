using System.Text.RegularExpressions;
using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Layers;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

public class LayerTests
{
    private static readonly double[] Tcp = [7.5, 11, 20, 40, 55];

    [Fact]
    public void The_times_of_the_layers_are_computed_and_their_sum_is_the_time_of_the_call()
    {
        var budget = Budget(LayerRuns.Make(9, Tcp));

        Assert.True(budget.IsTime);
        Assert.Equal([7.5, 3.5, 9, 20, 15], budget.Steps.Select(step => Math.Round(step.Part.Ns / 1000, 1)));
        Assert.Equal(["kernel", ".NET sockets", "Kestrel", "HTTP/2", "gRPC"], budget.Steps.Select(step => step.Layer.Short));
        Assert.Equal(budget.Total.Ns, budget.Steps.Sum(step => step.Part.Ns), 100.0);
        Assert.All(budget.Steps, step => Assert.True(step.Part.IsDecided));
    }

    [Fact]
    public void The_answer_states_the_cost_of_each_layer_and_which_layers_reduce_a_transports_saving()
    {
        // The kernel saves 2.4 µs of 7.5, .NET's sockets take 1.9 µs of the saving back, and gRPC saves 1.0 µs more.
        var sentences = Answers.For(new MeasuredRun(LayerRuns.Make(9, Tcp, [5.1, 10.5, 19.5, 39.5, 53.5])));

        Assert.Equal("10 B, tcp: of 55.0 µs a call the kernel 7.5, .NET's sockets 3.5, Kestrel's connection 9.0, HTTP/2 20.0 and "
            + "gRPC 15.0.", sentences[0]);
        Assert.Equal("10 B, unix: in the kernel unix saves 2.4 µs of tcp's 7.5; .NET's sockets cost 1.9 more; gRPC saves 1.0 more; for "
            + "the whole call (55.0 on tcp), unix saves 1.5; not decided: Kestrel's connection and HTTP/2.", sentences[1]);
        Assert.Equal(2, sentences.Count);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void The_saving_of_a_transport_is_stated_and_equal_transports_save_nothing(bool isFaster)
    {
        double[] unix = isFaster ? [5.1, 10.5, 19.5, 39.5, 53.5] : Tcp;
        var sentence = Answers.For(new MeasuredRun(LayerRuns.Make(8, Tcp, unix, random: new Random(1))))[1];

        Assert.Equal(isFaster, sentence.StartsWith("10 B, unix: in the kernel unix saves 2.4 µs of tcp's 7.5;", StringComparison.Ordinal));
        Assert.Equal(!isFaster, sentence == "10 B, unix: the difference to tcp is undecided in every layer and for the whole call.");
    }

    [Fact]
    public void Joint_intervals_are_at_least_as_wide_as_single_intervals_and_decide_fewer_parts()
    {
        var run = LayerRuns.Make(10, Tcp, [5.1, 10.5, 19.5, 39.5, 53.5], 0.1, random: new Random(1));
        var budgets = LayerBudget.Compute(new MeasuredRun(run));
        var parts = budgets.SelectMany(budget => budget.Steps.Concat(budget.Savings)).Select(step => step.Part).ToList();
        Interval Alone(LayerPart part) => MaxT.Compute([part.Series], Joint.Alpha)[0]!.Value;
        Assert.All(parts, part => Assert.True(part.Interval!.Value.High - part.Interval.Value.Low
            >= Alone(part).High - Alone(part).Low));
        Assert.Contains(parts, part => !part.IsDecided && !Alone(part).Contains(0));
    }

    [Fact]
    public void A_call_without_a_decided_layer_is_one_sentence()
    {
        var run = LayerRuns.Make(6, Tcp);
        run = run with
        {
            Rounds = [.. run.Rounds.Select(round => round with { LatencySumNs = round.LatencySumNs * (round.Number % 3 == 0 ? 400 : 1) })],
        };
        Assert.Matches(@"^10 B, tcp: no layer of [0-9,.]+ [µm]s a call is decided\.$", Answers.For(new MeasuredRun(run))[0]);
    }

    [Fact]
    public void Calls_are_compared_by_the_layers_that_both_have_in_either_direction()
    {
        var run = OfSharedMemory();
        var budget = LayerBudget.Compute(new MeasuredRun(run))[1];
        Assert.Equal(["kernel", "Kestrel", "HTTP/2", "gRPC"], budget.Steps.Select(step => step.Layer.Short));
        Assert.Equal([2.4, -1.9, 0, 1], budget.Savings.Select(step => Math.Round(step.Part.Ns / 1000, 1)));
        Assert.Equal([7.5, 12.5, 20, 15], budget.Reference!.Steps.Select(step => Math.Round(step.Part.Ns / 1000, 1)));

        var other = LayerBudget.Compute(new MeasuredRun(run with { Options = run.Options with { Reference = "shm" } }))[0];
        Assert.Equal(5, other.Steps.Count);
        Assert.Equal([-2.4, 1.9, 0, -1], other.Savings.Select(step => Math.Round(step.Part.Ns / 1000, 1)));
        Assert.Equal(-1.5, Math.Round(other.Saving!.Ns / 1000, 1));
    }

    [Fact]
    public void The_answer_about_shared_memory_names_the_ring_and_the_layers_that_are_counted_together() => Assert.StartsWith(
        "10 B, shm futex: in the lowest layer (the ring of shm, else the kernel) shm futex saves 2.4 µs of tcp's 7.5; Kestrel's "
            + "connection (with .NET's sockets) costs 1.9 more; gRPC saves 1.0 more; for the whole call (55.0 on tcp), shm futex saves 1.5",
        Answers.For(new MeasuredRun(OfSharedMemory()))[1], StringComparison.Ordinal);

    [Fact]
    public void Shared_memory_is_compared_with_the_same_protocol_over_the_reference()
    {
        var run = new MeasuredRun(OfSharedMemory());
        Assert.All(run.Cells.Where(cell => cell.Key.Transport == "shm"),
            cell => Assert.Equal(cell.Key.Protocol, run.ReferenceOf(cell)!.Key.Protocol));
    }

    /// <summary>TCP, and shared memory, which lacks the layer of .NET's sockets.</summary>
    private static RunRecord OfSharedMemory()
    {
        var run = LayerRuns.Make(9, Tcp, [5.1, 9, 19.5, 39.5, 53.5]);
        CellKey Of(CellKey key) => key.Transport != "unix" ? key : key with
        {
            Transport = key.Variant == "sockets=bare" ? "left out" : "shm",
            Variant = $"wait=futex {key.Variant}".Trim(),
        };
        return run with { Cells = [.. run.Cells.Select(cell => cell with { Key = Of(cell.Key) })] };
    }

    [Theory]
    [InlineData("free", 56, true)]
    [InlineData("0", 56, false)]
    [InlineData("free", 7.5, false)]
    public void A_kernel_layer_slower_than_the_next_layer_is_explained_unless_the_server_is_pinned(string cpus, double floor, bool isSaid)
    {
        var run = LayerRuns.Make(9, [floor, 11, 20, 40, 55]);
        run = run with { Host = run.Host with { ServerCpus = cpus } };

        Assert.Equal(isSaid, Answers.For(new MeasuredRun(run)).Contains("The kernel's part includes the wake-up of a CPU for each message: "
            + "the echo's only thread sleeps between messages, but the threads of the layers above look for work before they sleep. "
            + "--client-cpus 0 "
            + "--server-cpus 0 avoids these wake-ups."));
    }

    [Fact]
    public void The_bars_stay_inside_the_picture_if_one_layer_takes_longer_than_the_whole_call()
    {
        // The kernel's part is longer than the call, because the layer above is 45 µs faster.
        var model = new ReportModel(LayerRuns.Make(9, [56, 11, 20, 40, 55]));
        var bars = Reports.Find("text")!.Make(model).Split('\n').Where(line => line.StartsWith("  10 B  ", StringComparison.Ordinal)
            && line.Contains('▒')).ToList();
        Assert.Equal(2, bars.Count);
        Assert.All(bars, bar => Assert.InRange(bar.Count("█▓▒░:".Contains), 50, 56));
        var ends = Regex.Matches(new SvgReport("layers").Make(model), "<rect class=.b k[0-9]. x=.([0-9.]+). y=.[0-9.]+. width=.([0-9.]+)")
            .Select(rectangle => Number(rectangle.Groups[1]) + Number(rectangle.Groups[2]));
        Assert.InRange(ends.Max(), 300, 480);

        static double Number(Group group) => double.Parse(group.Value, System.Globalization.CultureInfo.InvariantCulture);
    }

    [Fact]
    public void A_decided_difference_is_never_shown_as_0()
    {
        var run = LayerRuns.Make(9, [7.5, 7.53, 20, 40, 55], noise: 1e-5);
        Assert.Matches(@"\.NET sockets +0\.03 \[0\.03, 0\.03\]", Reports.Find("text")!.Make(new ReportModel(run)));
    }

    [Fact]
    public void The_pictures_of_two_files_have_the_names_of_their_files()
    {
        var run = LayerRuns.Make(9, Tcp);
        var svg = new SvgReport("layers").Make(new ReportModel([("one.json", run), ("two.json", run)]));
        Assert.Matches("(?s)>one\\.json</text>.*>two\\.json</text>",
            svg[svg.IndexOf("Layers of a gRPC call</text>", StringComparison.Ordinal)..]);
    }

    [Fact]
    public void The_answer_states_how_much_more_each_layer_of_a_slower_transport_costs()
    {
        var sentence = Answers.For(new MeasuredRun(LayerRuns.Make(9, Tcp, [8.5, 14, 23, 43, 58])))[1];

        Assert.StartsWith("10 B, unix: in the kernel unix costs 1.0 µs more than tcp's 7.5; .NET's sockets cost 2.0 more; for the "
            + "whole call (55.0 on tcp), unix costs 3.0 more", sentence, StringComparison.Ordinal);
    }

    [Fact]
    public void For_overlapping_calls_the_layers_show_CPU_time_and_not_elapsed_time()
    {
        var run = LayerRuns.Make(9, Tcp, connections: 8);

        Assert.False(Budget(run).IsTime);
        Assert.Equal(55, Math.Round(Budget(run).Total.Ns / 1000));
        var text = Reports.Find("text")!.Make(new ReportModel(run));
        Assert.DoesNotContain("overlap", text, StringComparison.Ordinal);
        Assert.Contains("CPU time of both sides per call", text, StringComparison.Ordinal);
        Assert.DoesNotContain("faster than", text, StringComparison.Ordinal);
    }

    [Fact]
    public void A_step_whose_interval_contains_0_is_undecided_and_never_negative()
    {
        var run = LayerRuns.Make(9, [7.5, 11, 20, 40, 40.1], noise: 0.1);

        Assert.False(Budget(run).Steps[^1].Part.IsDecided);
        Assert.Contains("not decided: gRPC", Answers.For(new MeasuredRun(run))[0], StringComparison.Ordinal);
        Assert.Matches(@"not decided, ≤ [0-9.]+\s", Reports.Find("text")!.Make(new ReportModel(run)));
    }

    [Fact]
    public void Two_rounds_give_an_explanation_instead_of_an_interval()
    {
        var run = LayerRuns.Make(2, Tcp);
        Assert.Null(Budget(run).Total.Interval);
        Assert.Equal("10 B, tcp: 2 rounds are too few for an interval: the layers of this call are unknown.",
            Answers.For(new MeasuredRun(run))[0]);
    }

    [Fact]
    public void A_file_with_only_one_of_the_echoes_shows_no_layers_below_this_echo()
    {
        var run = LayerRuns.Make(9, [20, 40, 55]);

        Assert.Equal(["Kestrel", "HTTP/2", "gRPC"], Budget(run).Steps.Select(step => step.Layer.Short));
        Assert.StartsWith("10 B, tcp: of 55.0 µs a call everything up to Kestrel's connection 20.0, HTTP/2 20.0 and gRPC 15.0",
            Answers.For(new MeasuredRun(run))[0], StringComparison.Ordinal);
        Assert.DoesNotContain("kernel", Reports.Find("text")!.Make(new ReportModel(run)).Split("Layers of")[1].Split("Doubts")[0],
            StringComparison.Ordinal);
    }

    [Fact]
    public void A_layer_budget_needs_the_measurements_of_all_protocols()
    {
        var run = LayerRuns.Make(6, Tcp);
        Assert.Empty(LayerBudget.Compute(new MeasuredRun(
            run with { Rounds = [.. run.Rounds.Where(round => run.Cells[round.Cell].Key.Protocol != "http2")] })));
        Assert.Empty(LayerBudget.Compute(new MeasuredRun(new SampleRuns { Rounds = 2, SamplesPerRound = 20 }.Make())));
    }

    [Theory]
    [InlineData("text")]
    [InlineData("markdown")]
    [InlineData("html")]
    [InlineData("svg")]
    public void The_report_of_a_layers_run_equals_its_approved_snapshot(string format) =>
        Snapshot.Verify($"layers.{format}", () =>
            Reports.Find(format)!.Make(new ReportModel(LayerRuns.Make(9, Tcp, [5.1, 10.5, 19.5, 39.5, 53.5]))));

    [Theory]
    [InlineData("text")]
    [InlineData("markdown")]
    [InlineData("html")]
    [InlineData("svg")]
    [InlineData("wide-csv")]
    [InlineData("runs-csv")]
    public void The_report_of_an_echo_run_equals_its_approved_snapshot(string format) =>
        Snapshot.Verify($"echo.{format}", () => Reports.Find(format)!.Make(new ReportModel(PublishedRuns.EchoRun())));

    [Fact]
    public void Each_way_of_waiting_has_a_row_with_the_CPU_time_of_client_and_server_in_80_columns()
    {
        var screen = new TextReport(new TextLayout(Width: 80, IsBrief: true)).Make(new ReportModel(PublishedRuns.WaitRun()));
        Assert.All(screen.Split('\n'), line => Assert.True(line.Length <= 80));
        Assert.Matches("size +transport +round trip +ratio +client CPU +server CPU\n", screen);
        foreach (var wait in new[] { "futex", "spin" })
            Assert.Matches($@"\n64 B +shm, {wait} +[\d.]+ [µn]s +−\d\d % .* [\d.]+ [µn]s +[\d.]+ [µn]s\n", screen);
        Assert.Contains("shm spin echo", screen, StringComparison.Ordinal);
    }

    [Fact]
    public void Only_runs_of_echoes_have_the_plot_of_round_trips()
    {
        var svg = new SvgReport("round-trip").Make(new ReportModel(new SampleRuns { Rounds = 2, SamplesPerRound = 20 }.Make()));
        Assert.DoesNotContain("<polyline", svg, StringComparison.Ordinal);
    }

    private static LayerBudget Budget(RunRecord run) =>
        LayerBudget.Compute(new MeasuredRun(run)).First(budget => budget.Call.Key.Transport == "tcp");
}
