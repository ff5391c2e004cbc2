using IpcBench.Analysis.Documents;
using IpcBench.Analysis.Layers;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;

namespace IpcBench.Analysis.Tests;

public class LayerTests
{
    [Fact]
    public void The_parts_of_a_call_are_known_and_add_up()
    {
        var budget = Budget(LayerRuns.Make(9, latency: 62, echo: 11, http2: 30, grpc: 38));
        Assert.Equal((11, 19, 8), (Round(budget.Transport), Round(budget.Http2), Round(budget.Grpc)));
        Assert.Equal((62, 24), (Round(budget.Total), Round(budget.Rest)));
        Assert.Equal(budget.Total.Ns, budget.Transport.Ns + budget.Http2.Ns + budget.Grpc.Ns + budget.Rest.Ns, 1e-6);
        Assert.Equal(62.0 / 51, budget.MostSpeedup!.Value, 0.01);
        Assert.All([budget.Transport, budget.Http2, budget.Grpc, budget.Rest], part => Assert.True(part.IsResolved));
    }

    [Fact]
    public void It_is_said_in_a_sentence_for_each_transport()
    {
        var sentences = Sentences(LayerRuns.Make(9, latency: 62, echo: 11, http2: 30, grpc: 38, noise: 0));
        Assert.Equal("10 B, tcp: of 62.0 µs per call the transport is 11.0, HTTP/2 19.0, gRPC 8.0, the rest (24.0) is wake-ups; "
            + "no transport can make it faster than 1.22 × unless it also spares waiting.", sentences[0]);
        Assert.StartsWith("10 B, unix: ", sentences[1], StringComparison.Ordinal);
        Assert.Equal(2, sentences.Count);
    }

    [Fact]
    public void Where_cpus_compute_at_once_no_share_of_the_latency_is_claimed()
    {
        var run = LayerRuns.Make(9, latency: 30, echo: 11, http2: 30, grpc: 40, connections: 8);
        var budget = Budget(run);
        Assert.True(budget.Overlaps);
        Assert.Null(budget.MostSpeedup);
        var sentence = Sentences(run)[0];
        Assert.Contains("the parts overlap", sentence, StringComparison.Ordinal);
        Assert.DoesNotContain("faster than", sentence, StringComparison.Ordinal);
        Assert.Contains(Answers.Of(new MeasuredRun(run)),
            line => line.StartsWith("With client and server on one CPU nothing overlaps", StringComparison.Ordinal));
        var pinned = run with { Host = run.Host with { ClientCpus = "0", ServerCpus = "0" } };
        Assert.DoesNotContain(Answers.Of(new MeasuredRun(pinned)), line => line.StartsWith("With client", StringComparison.Ordinal));
    }

    [Fact]
    public void Where_nobody_waits_nothing_is_left_over()
    {
        var budget = Budget(LayerRuns.Make(9, latency: 38, echo: 11, http2: 30, grpc: 38.5));
        Assert.False(budget.Overlaps);
        Assert.Equal(38.0 / 27, budget.MostSpeedup!.Value, 0.02);
        Assert.Contains("nothing is left for waiting", Sentences(LayerRuns.Make(9, latency: 38, echo: 11, http2: 30, grpc: 38.5))[0],
            StringComparison.Ordinal);
    }

    [Fact]
    public void A_layer_lost_in_the_noise_is_not_resolved()
    {
        var budget = Budget(LayerRuns.Make(9, latency: 62, echo: 11, http2: 30, grpc: 30.1, noise: 0.2));
        Assert.False(budget.Grpc.IsResolved);
        Assert.Contains("; not resolved: ", Sentences(LayerRuns.Make(9, latency: 62, echo: 11, http2: 30, grpc: 30.1, noise: 0.2))[0],
            StringComparison.Ordinal);
    }

    [Fact]
    public void Few_rounds_give_no_interval_and_say_so()
    {
        var run = LayerRuns.Make(2, latency: 62, echo: 11, http2: 30, grpc: 38);
        Assert.Null(Budget(run).Transport.Interval);
        Assert.Contains("2 rounds give no interval", Sentences(run)[0], StringComparison.Ordinal);
    }

    [Fact]
    public void Without_one_of_the_three_or_the_servers_cpu_there_is_no_budget()
    {
        var run = LayerRuns.Make(6, latency: 62, echo: 11, http2: 30, grpc: 38);
        Assert.Empty(LayerBudget.Of(new MeasuredRun(run with { Rounds = [.. run.Rounds.Select(round => round with { Server = null })] })));
        Assert.Empty(LayerBudget.Of(new MeasuredRun(
            run with { Rounds = [.. run.Rounds.Where(round => run.Cells[round.Cell].Key.Protocol != "http2")] })));
        Assert.Empty(Sentences(new SampleRuns { Rounds = 2, SamplesPerRound = 20 }.Make()));
    }

    [Theory]
    [InlineData("text")]
    [InlineData("markdown")]
    [InlineData("html")]
    [InlineData("svg")]
    public void A_run_of_layers_is_reported_as_approved(string format) =>
        Snapshot.Verify($"layers.{format}", () =>
            Reports.Find(format)!.Make(new ReportModel(LayerRuns.Make(7, latency: 62, echo: 11, http2: 30, grpc: 38))));

    [Theory]
    [InlineData("text")]
    [InlineData("markdown")]
    [InlineData("html")]
    [InlineData("svg")]
    [InlineData("wide-csv")]
    [InlineData("runs-csv")]
    public void A_run_of_echoes_is_reported_as_approved(string format) =>
        Snapshot.Verify($"echo.{format}", () => Reports.Find(format)!.Make(new ReportModel(PublishedRuns.EchoRun())));

    [Fact]
    public void Round_trips_are_no_plot_of_anything_but_an_echo()
    {
        var svg = new SvgReport("round-trip").Make(new ReportModel(new SampleRuns { Rounds = 2, SamplesPerRound = 20 }.Make()));
        Assert.DoesNotContain("<polyline", svg, StringComparison.Ordinal);
    }

    private static LayerBudget Budget(RunRecord run) =>
        LayerBudget.Of(new MeasuredRun(run)).First(budget => budget.Call.Key.Transport == "tcp");

    private static List<string> Sentences(RunRecord run) =>
        [.. Answers.Of(new MeasuredRun(run)).Where(answer => answer.Contains("HTTP/2 ", StringComparison.Ordinal))];

    private static int Round(LayerPart part) => (int)Math.Round(part.Ns / 1000);
}
