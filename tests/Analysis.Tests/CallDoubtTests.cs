using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using IpcBench.Analysis.Statistics;
using static IpcBench.Analysis.Tests.Doubting;

namespace IpcBench.Analysis.Tests;

/// <summary>Checks the doubts about calls: their number by Little's law, how they ended, and whether they were sent.</summary>
public sealed class CallDoubtTests
{
    [Fact]
    public void Dropped_samples_raise_the_doubt_about_Littles_law() =>
        Raises("little", "but 400 were in flight: a difference of 5.0 %",
            Second(round => round with { Completed = round.Completed * 95 / 100 }));

    [Theory]
    [InlineData(0.95, 0.95, true)] // lost in every round
    [InlineData(0.95, 1.05, false)] // calls across edges of slices: missing in one round, added in the next
    public void The_doubt_about_Littles_law_uses_the_mean_over_all_rounds_if_rounds_have_slices(double odd, double even, bool isRaised)
    {
        var run = Second(round => round with
        {
            Completed = (long)(round.Completed * (round.Number % 2 == 0 ? even : odd)),
            Slices = new SliceReadings { PlannedSeconds = 0.05, Rates = [1], Order = [0] },
        });
        Assert.Equal(isRaised, Find(run, "little") is not null);
        if (isRaised)
            Raises("little", "on average by Little's law (requests/s × mean latency), but 400 were in flight: a difference of 5.0 %", run);
    }

    [Theory]
    [InlineData(0.95, false)] // one standstill of 20 ms in 400 ms
    [InlineData(0.90, true)]
    public void A_standstill_of_the_client_between_two_calls_is_not_reported_as_lost_samples(double share, bool isRaised)
    {
        var run = new SampleRuns { Transports = ["tcp", "unix"], Sizes = [10], Connections = [1] }.Make();
        run = run with
        {
            Rounds = [.. run.Rounds.Select(round => round with
            {
                WindowNs = 400_000_000,
                Completed = 1000,
                Credited = round.Number == 3 ? 1000 * share : 1000,
                Ok = 1000,
                Started = 1000,
                CutOff = 0,
                LatencySumNs = 400_000_000,
                Latency = Of(1000, 400_000),
                ThreadCalls = [1000],
            })],
        };
        Assert.Equal(isRaised, Find(run, "little") is not null);

        static string Of(int calls, long ns)
        {
            var histogram = new LatencyHistogram();
            histogram.Record(ns, calls);
            return histogram.Encode();
        }
    }

    [Fact]
    public void A_window_that_is_recorded_too_short_raises_the_doubt_about_Littles_law() =>
        Raises("little", "calls in flight by Little's law", Second(round => round with { WindowNs = round.WindowNs * 93 / 100 }));

    [Theory]
    [InlineData("push", true)]
    [InlineData("ping-pong", false)]
    public void Messages_between_two_clocks_raise_the_doubt_other_clock_and_not_the_doubt_lost_samples(string mode, bool isOneWay)
    {
        var run = Second(round => round with { Latency = "", LatencySumNs = 0 });
        run = run with { Cells = [.. run.Cells.Select(cell => cell with { Key = cell.Key with { Mode = mode } })] };
        Assert.Equal(isOneWay, Find(run, "other-clock")?.Doubt.Contains("from different clocks", StringComparison.Ordinal) ?? false);
        Assert.Equal(isOneWay, Find(run, "lost-samples") is null);
        Assert.Null(Find(Each(round => round), "other-clock"));
        Assert.All(new MeasuredRun(run).Cells[0].Rounds,
            round => Assert.Equal(round.Record.Latency.Length == 0, Metric.Mean.Value(round) is null));
        // For a user's own method this is a note of the cell instead of a doubt.
        run = run with { Cells = [.. run.Cells.Select(cell => cell with { Key = cell.Key with { Method = "a.B/C" } })] };
        Assert.Equal((false, isOneWay), (Find(run, "other-clock") is not null, Find(run, "lost-samples") is null));
    }

    [Theory]
    [InlineData("pull", 2, false)]
    [InlineData("pull", 0.5, true)]
    [InlineData("push", 2, true)]
    public void Pulled_messages_that_did_not_arrive_raise_no_doubt(string mode, double share, bool isRaised)
    {
        var run = Second(round => round with
        {
            Connections = round.Connections with { ClientCalls = 100_000, ServerCalls = (long)(share * 100_000) },
        });
        run = run with { Cells = [.. run.Cells.Select(cell => cell with { Key = cell.Key with { Mode = mode } })] };
        Assert.Equal(isRaised, Find(run, "connections") is not null);
    }

    [Fact]
    public void Calls_without_a_free_local_port_raise_a_doubt() =>
        Raises("ports", "calls found no free local port",
            Second(round => round with { Started = round.Started + 7, Failed = new Dictionary<string, long> { ["no local port"] = 7 } }));

    [Fact]
    public void A_connection_for_every_call_raises_no_doubt_about_Littles_law()
    {
        var run = Second(round => round with
        {
            Completed = round.Completed * 95 / 100,
            Connections = round.Connections with { OpenedInAll = round.Started }
        });
        Assert.Null(Find(run, "little"));
    }

    [Fact]
    public void A_stall_at_the_edge_of_a_window_raises_no_doubt_about_Littles_law()
    {
        var run = Second(round =>
        {
            var (counts, histogram) = (LatencyCounts.Decode(round.Latency), new LatencyHistogram());
            foreach (var (_, count) in counts)
                histogram.Record(counts.ValueAtRank(histogram.Count + 1), count);
            histogram.Record(100_000_000, 400);
            return round with
            {
                Latency = histogram.Encode(),
                LatencySumNs = round.LatencySumNs
                + 400 * 100_000_000L,
                Started = round.Started + 400,
                Ok = round.Ok + 400
            };
        });
        Assert.Null(Find(run, "little"));
    }

    [Theory]
    [InlineData(0, true)]
    [InlineData(2000, false)]
    public void A_round_of_n_calls_raises_no_doubt_about_Littles_law(long calls, bool isRaised)
    {
        // The first half of the streams makes all calls before the second half begins.
        var run = Second(round => round with { Completed = round.Completed / 2 });
        Assert.Equal(isRaised, Find(run with { Options = run.Options with { Calls = calls } }, "little") is not null);
    }

    [Fact]
    public void The_doubt_about_failures_lists_each_kind_of_failure_with_its_count() =>
        Raises("failures", "reset: 8, no answer in time: 16",
            Second(round => round with
            {
                Failed = new Dictionary<string, long> { ["reset"] = 1 },
                CutOff = 2,
                Started = round.Started + 3
            }));

    [Fact]
    public void A_missed_rate_raises_a_doubt() =>
        Raises("rate-missed", "20,000 calls/s were requested and 19,100 were sent",
            Second(round => round with
            {
                AskedRate = 20_000,
                Started = (long)(19_100 * round.WindowNs / 1e9),
                Ok = (long)(19_100 * round.WindowNs / 1e9)
            }));

    [Fact]
    public void A_rate_that_is_no_whole_number_of_calls_in_a_window_is_not_missed() =>
        Assert.Null(Find(Second(round => round with { AskedRate = 47.9, WindowNs = 1_000_000_000, Started = 47, Ok = 47 }), "rate-missed"));

    [Fact]
    public void Unsent_calls_are_reported_even_if_more_calls_were_sent_than_requested()
    {
        var told = Find(Second(round => round with
        {
            AskedRate = 4_607,
            WindowNs = 1_000_000_000,
            Started = 4_784,
            Ok = 4_784,
            Completed = 4_784,
            NotSent = 299,
        }), "rate-missed")!.Doubt;
        Assert.Contains(": 299 of 5,083 calls that were due were not sent", told, StringComparison.Ordinal);
        Assert.DoesNotContain("4,784", told, StringComparison.Ordinal);
    }

    [Fact]
    public void Unsent_calls_raise_a_doubt_with_any_arrivals()
    {
        var run = Second(round => round with { AskedRate = round.Started * 1e9 / round.WindowNs, NotSent = round.Started / 50 });
        Raises("rate-missed", " calls that were due ",
            run with { Options = run.Options with { Knobs = new Dictionary<string, string> { ["arrivals"] = "poisson" } } });
        Assert.Null(Find(Second(round => round with { AskedRate = round.Started * 1e9 / round.WindowNs, NotSent = round.Started / 200 }),
            "rate-missed"));
    }

    [Fact]
    public void Streams_above_the_servers_limit_raise_a_doubt_and_do_not_count_as_in_flight()
    {
        var run = Healthy();
        run = run with
        {
            Cells = [.. run.Cells.Select((cell, i) => i == 1
            ? cell with { Key = cell.Key with { Connections = 4, Streams = 200 } } : cell)]
        };
        RunRecord With(long? allowed) => run with
        {
            Rounds = [.. run.Rounds.Select(round => round.Cell == 1
                ? round with { Connections = round.Connections with { Requested = 4, Opened = 4, Active = 4, StreamsAllowed = allowed } }
                : round)],
        };
        Raises("streams-limit", "the server allows 100 streams per connection: of 200 calls (-m), 100 waited in the client", With(100));
        Assert.Null(Find(With(100), "little"));
        Assert.Null(Find(With(null), "streams-limit"));
        Raises("little", "but 800 were", With(null));
    }

    [Fact]
    public void Windows_with_few_calls_raise_a_doubt()
    {
        var few = Second(round => round with { Completed = 8_000 });
        Raises("edge-bias", "up to 5.0 %", few);
        var histogram = new LatencyHistogram();
        histogram.Record(1_000_000, 500);
        Raises("few-samples", "calls fewer than 100 lie beyond p99, so p99 is not shown",
            Second(round => round with { Latency = histogram.Encode(), Ok = 500, Started = 500 }));
        Raises("lost-samples", "and recorded 500 latencies", Second(round => round with { Latency = histogram.Encode() }));
    }

    [Fact]
    public void The_doubt_about_bytes_in_flight_names_only_cells_with_more_bytes_than_the_cache_holds()
    {
        var cached = Healthy() is var run ? run with
        {
            Host = run.Host with { Settings = new Dictionary<string, string> { ["cpu/cpu0/cache/index3/size"] = "300K" } },
        } : run;
        var doubt = Find(cached, "bytes-in-flight"); // 400 calls, of 1,000 or of 10 bytes
        Assert.Contains("400 kB are in flight at a time", doubt!.Doubt, StringComparison.Ordinal);
        Assert.All(doubt.Cells, cell => Assert.Equal(1000, cached.Cells[cell].Key.Size));
        Assert.Null(Find(Healthy(), "bytes-in-flight"));
    }

    [Fact]
    public void Connections_reopened_every_few_calls_raise_a_doubt()
    {
        var calls = Healthy().Rounds.First(round => round.Cell == 1).Completed;
        Raises("reopened", $"connections were opened again {calls / 6} times", With((int)(calls / 6)));
        Assert.Null(Find(With((int)(calls / 1000)), "reopened"));

        static RunRecord With(int reopened) =>
            Second(round => round with { Connections = round.Connections with { Reopened = reopened } });
    }

    [Fact]
    public void Late_sends_raise_a_doubt_at_10_percent_of_the_latency_and_not_at_4_percent()
    {
        Raises("late-sends", "10 % of the median latency", Second(round => Late(round, 0.1)));
        Assert.Null(Find(Second(round => Late(round, 0.04)), "late-sends"));

        static Measurement Late(Measurement round, double share)
        {
            var (latency, lateness, service) = (new LatencyHistogram(), new LatencyHistogram(), new LatencyHistogram());
            latency.Record(1_000_000, round.Ok);
            lateness.Record((long)(1_000_000 * share), round.Ok);
            service.Record((long)(1_000_000 * (1 - share)), round.Ok);
            return round with
            {
                AskedRate = round.Started / (round.WindowNs / 1e9),
                Latency = latency.Encode(),
                SendLateness = lateness.Encode(),
                ServiceTime = service.Encode(),
            };
        }
    }
}
