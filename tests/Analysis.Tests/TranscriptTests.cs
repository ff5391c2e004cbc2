using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Renderers;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;

namespace IpcBench.Analysis.Tests;

public sealed class TranscriptTests
{
    private static RunRecord Article()
    {
        var run = new SampleRuns { Transports = ["unix"], Sizes = [10], Rounds = 1, SamplesPerRound = 10 }.Make();
        var histogram = new LatencyHistogram();
        for (var i = 0; i < 3_093_920; i++)
            histogram.Record(2_590_000);
        var round = run.Rounds[0] with
        {
            WindowNs = 20_000_012_345,
            Started = 3_093_920,
            Ok = 3_093_920,
            Completed = 3_093_920,
            PayloadBytes = 30_939_200,
            LatencySumNs = 3_093_920L * 2_590_000,
            Latency = histogram.Encode(),
        };
        return run with { Options = run.Options with { DurationNs = 20_000_000_000 }, Rounds = [round] };
    }

    [Fact]
    public void A_single_thread_or_connection_is_written_in_the_singular_and_few_bytes_in_MB()
    {
        var run = Article();
        var cell = run.Cells[0] with { Key = run.Cells[0].Key with { Connections = 1 } };
        var text = Transcript.Cell(run with { Cells = [cell] }, run.Rounds[0] with { PayloadBytes = 3 << 20 });
        Assert.Contains("1 thread and 1 connection\n", text, StringComparison.Ordinal);
        Assert.Contains(" requests in 20s, 3.00MB read\n", text, StringComparison.Ordinal);
    }

    [Fact]
    public void The_transcript_of_a_cell_begins_with_the_lines_of_wrk_and_has_all_percentiles()
    {
        var text = Transcript.Cell(Article(), Article().Rounds[0]);
        Assert.StartsWith("""
            Running 20s test @ unix:/tmp/greeter.sock with size 10
            5 threads and 400 connections
            3093920 requests in 20s, 0.03GB read
            Requests/sec: 154696
            Average Latency: 2.59ms

            """.ReplaceLineEndings("\n"), text, StringComparison.Ordinal);
        Assert.Contains("\nLatency: p50 2.59 ms  p90 2.59 ms  p95 2.59 ms  p99 2.59 ms  p99.9 2.59 ms  max 2.59 ms\n", text,
            StringComparison.Ordinal);
        Assert.DoesNotContain("Failed", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Failures_and_calls_cut_off_are_printed_by_kind()
    {
        var (run, cutOff) = (Article(), new LatencyHistogram());
        cutOff.Record(10_000_000_000);
        var round = run.Rounds[0] with
        {
            Failed = new Dictionary<string, long> { ["reset"] = 2, ["status 13"] = 5 },
            CutOff = 1,
            CutOffLatency = cutOff.Encode(),
            Started = 3_093_928
        };
        var text = Transcript.CellResult(run, round);
        Assert.Contains("Failed: 7 of 3093928 (status 13 INTERNAL: 5, reset: 2)\n", text, StringComparison.Ordinal);
        Assert.Contains("Cut off: 1 of 3093928 had no answer in time\n", text, StringComparison.Ordinal);
        Assert.Contains("max ≥ 10.0 s", text, StringComparison.Ordinal);
        Assert.Contains("p99 2.59 ms", text, StringComparison.Ordinal);
    }

    [Fact]
    public void Unsent_calls_turn_affected_percentiles_into_lower_bounds()
    {
        var (run, waits) = (Article(), new LatencyHistogram());
        waits.Record(1_000_000, 1_000_000);
        var round = run.Rounds[0];
        var text = Transcript.CellResult(run,
            round with { AskedRate = round.Started * 1e9 / round.WindowNs + 50_000, NotSent = 1_000_000, NotSentLatency = waits.Encode() });
        Assert.Contains("1,000,000 calls were due and not sent, and count as waiting\n", text, StringComparison.Ordinal);
        Assert.Contains("p90 ≥ 2.59 ms  p95 ≥ 2.59 ms  p99 ≥ 2.59 ms", text, StringComparison.Ordinal);
        Assert.Contains("Latency: p50 2.59 ms", Transcript.CellResult(run, round), StringComparison.Ordinal);
        Assert.DoesNotContain("not sent", Transcript.CellResult(run, round), StringComparison.Ordinal);
    }

    [Fact]
    public void Each_round_has_a_heading_with_its_number() => Assert.Equal("===\nRound 1/3\n===\n", Transcript.RoundHeading(1, 3));

    [Fact]
    public void The_final_results_of_one_address_have_no_heading() =>
        Assert.Equal("Final results:\n10, 154696, 2.59\n", Transcript.FinalResults(Article()));

    [Fact]
    public void The_final_results_of_several_addresses_have_one_block_per_address()
    {
        var run = new SampleRuns { Sizes = [10, 1000], Rounds = 3, SamplesPerRound = 100 }.Make();
        var text = Transcript.FinalResults(run);
        Assert.Equal(3, text.Split("\n\n").Length - 1);
        Assert.Contains("\n\nunix:/tmp/greeter.sock\n10, ", text, StringComparison.Ordinal);
    }

    [Fact]
    public void A_round_without_a_successful_call_prints_no_latency()
    {
        var run = Article();
        var round = run.Rounds[0] with
        {
            Ok = 0,
            Completed = 0,
            PayloadBytes = 0,
            LatencySumNs = 0,
            Latency = "",
            Started = 4,
            Failed = new Dictionary<string, long> { ["connect"] = 4 }
        };
        var text = Transcript.CellResult(run, round);
        Assert.Contains("Requests/sec: 0.0\nAverage Latency: –\n", text, StringComparison.Ordinal);
        Assert.Contains("p50 not enough data", text, StringComparison.Ordinal);
    }

    [Fact]
    public void The_heading_of_a_run_with_a_number_of_calls_states_the_number()
    {
        var run = Article();
        run = run with { Options = run.Options with { DurationNs = 0, Calls = 1_000 } };
        Assert.StartsWith("Running 1000 requests test @ ", Transcript.CellHeading(run, run.Cells[0]), StringComparison.Ordinal);
    }

    [Fact]
    public void A_round_with_less_than_half_of_the_requested_calls_does_not_count()
    {
        var run = new SampleRuns { Sizes = [10], Rounds = 3, SamplesPerRound = 100 }.Make();
        var usual = run.Rounds.Min(round => round.Started);
        var cut = run.Rounds[^1] with { WindowNs = run.Rounds[^1].WindowNs, Started = usual / 3, Ok = usual / 3, Completed = usual / 3 };
        run = run with { Options = run.Options with { DurationNs = 0, Calls = usual }, Rounds = [.. run.Rounds.SkipLast(1), cut] };
        Assert.Equal([3, 3, 2], new MeasuredRun(run).Cells.Select(cell => cell.Rounds.Count));
    }
}
