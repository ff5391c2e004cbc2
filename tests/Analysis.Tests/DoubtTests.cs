using IpcBench.Analysis.Doubts;
using IpcBench.Analysis.Metrics;
using IpcBench.Analysis.Results;
using static IpcBench.Analysis.Tests.Doubting;

namespace IpcBench.Analysis.Tests;

/// <summary>Checks the doubts about client, connections, machine and rounds.</summary>
public sealed class DoubtTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void A_healthy_run_raises_no_doubt(int seed) => Assert.Empty(Doubt.Find(new MeasuredRun(Healthy(seed))));

    [Fact]
    public void Load_before_the_run_raises_no_doubt_if_the_rounds_were_quiet()
    {
        Advice before = new() { Id = "foreign-load", Doubt = "Other programs use 40 % of the machine", Fix = "Stop them" };
        Assert.NotNull(Find(Healthy() with { Advice = [before] }, "foreign-load"));
        var told = Each(round => round with { Machine = round.Machine! with { OthersNs = 1_000_000 } });
        Assert.Null(Find(told with { Advice = [before] }, "foreign-load"));
    }

    [Fact]
    public void Other_processes_are_named_with_their_cpu_time() => Raises("foreign-load", "(burner 15 %)", Second(round => round with
    {
        Machine = round.Machine! with
        {
            OthersNs = round.Machine.CapacityNs / 5,
            Busiest = [new OtherProcess { Name = "burner", Pid = 7, CpuNs = round.Machine.CapacityNs * 15 / 100 }],
        },
    }));

    [Theory]
    [InlineData(0.04, 0, "Measure on a machine of your own")]
    [InlineData(0.04, 0.4, "Stop other programs")]
    [InlineData(0, 0.4, "Stop other programs")]
    public void Advice_to_stop_other_programs_appears_only_if_other_programs_ran(double stolen, double others, string fix) =>
        Assert.StartsWith(fix, Find(Second(round => round with
        {
            Spoiled = "the hypervisor gave 4.0 % of the CPU time to other machines; other programs used 40 % of the machine",
            Machine = round.Machine! with
            {
                StealNs = (long)(stolen * round.Machine.CapacityNs),
                OthersNs = (long)(others * round.Machine.CapacityNs),
            },
        }), "spoiled")!.Fix, StringComparison.Ordinal);

    [Fact]
    public void A_trend_inside_the_windows_raises_a_doubt()
    {
        Raises("not-steady", "calls per 100 ms rise by 10 %",
            Second(round => round with { Buckets = [.. round.Buckets.Select((calls, i) => (long)(calls * (1 + 0.1 * i / 19)))] }));
        Assert.Null(Find(Each(round => round with { Buckets = [.. round.Buckets, 3] }), "not-steady"));
    }

    [Fact]
    public void A_falling_rate_raises_no_doubt_if_the_server_died()
    {
        var falls = Second(round => round with
        {
            CutOff = 3,
            Buckets = [.. round.Buckets.Select((calls, i) => (long)(calls * (1 - 0.5 * i / 19)))],
        });
        Assert.NotNull(Find(falls, "not-steady"));
        Assert.Null(Find(falls with { Ending = "failed: the server ended" }, "not-steady"));
    }

    [Fact]
    public void A_trend_over_the_rounds_raises_a_doubt_but_random_rounds_do_not()
    {
        RunRecord With(Func<int, double> factor) => Second(round => round with
        {
            Completed = (long)(round.Completed * factor(round.Number)),
            Ok = (long)(round.Ok * factor(round.Number)),
        });
        Raises("trend", "requests/s fall by ", With(number => 1 - 0.08 * number));
        Assert.Null(Find(With(number => number % 2 == 0 ? 0.8 : 1), "trend"));
        // Six rounds are too few to show a trend.
        var few = With(number => 1 - 0.08 * number);
        Assert.Null(Find(few with { Rounds = [.. few.Rounds.Where(round => round.Number <= 6)] }, "trend"));
    }

    [Fact]
    public void A_client_that_still_compiles_raises_a_doubt() =>
        Raises("not-warm", "compiled 150 methods", Second(round => round with { MethodsCompiled = 150 }));

    [Fact]
    public void Rates_that_fall_into_two_groups_raise_the_doubt_placement() =>
        Raises("placement", "4 rounds are near",
            Second(round => round.Number % 2 == 0 ? round with { WindowNs = round.WindowNs * 3 / 2 } : round));

    [Fact]
    public void Plain_noise_is_not_reported_as_placement()
    {
        var (random, raised) = (new Random(5), 0);
        for (var i = 0; i < 500; i++)
        {
            double[] rates = [.. Enumerable.Range(0, 7).Select(_ => 1000 * Math.Exp(0.08 * Simulated.Gaussian(random)))];
            raised += Find(Simulated.Run([rates]), "placement") == null ? 0 : 1;
        }
        Assert.InRange(raised, 0, 10);
    }

    [Fact]
    public void The_doubt_client_limit_is_raised_only_if_the_client_used_nearly_all_of_its_CPUs()
    {
        var pinned = Second(round => round with
        {
            Client = round.Client with
            {
                CpuUserNs = round.WindowNs,
                CpuKernelNs = round.WindowNs * 85 / 100
            }
        });
        Raises("client-limit", "of the 2 CPUs that it may use", pinned with { Host = pinned.Host with { ClientCpus = "2-3" } });
        Raises("client-limit", "of the 1 CPU that it may use", pinned with { Host = pinned.Host with { ClientCpus = "2" } });
        Raises("client-limit", "of the 2 CPUs that it may use", pinned with { Host = pinned.Host with { CpuQuota = 2 } });
        Assert.Null(Find(pinned, "client-limit"));
    }

    // In one round of eight the client used 117 % of a CPU, in the others at most 34 %.
    [Fact]
    public void A_single_busy_round_does_not_raise_the_doubt_client_limit() =>
        Assert.Null(Find(ResultsFile.Load(Path.Combine(Repository.Root, "results/quick/run.json")), "client-limit"));

    [Fact]
    public void A_committed_run_of_Grpc_Net_Client_does_not_raise_the_doubt_client_limit() =>
        Assert.Null(Find(ResultsFile.Load(Path.Combine(Repository.Root, "results/findings/multiplexed-grpc-dotnet.json")),
            "client-limit"));

    [Fact]
    public void A_client_with_one_busy_connection_is_advised_to_open_more_connections()
    {
        var run = new SampleRuns { Transports = ["unix"], Sizes = [10], Connections = [1], Rounds = 3, SamplesPerRound = 20 }.Make();
        var busy = run with
        {
            Rounds = [.. run.Rounds.Select(round => round with
            {
                Client = round.Client with { CpuUserNs = round.WindowNs, CpuKernelNs = 0 },
                Machine = null,
            })],
        };
        Assert.Contains("open more connections (-c)", Find(busy, "client-limit")!.Fix, StringComparison.Ordinal);
        Assert.Contains("of its one thread", Find(busy, "client-limit")!.Doubt, StringComparison.Ordinal);
    }

    [Fact]
    public void Foreign_load_and_steal_raise_a_doubt()
    {
        Raises("foreign-load", "other processes used 1",
            Second(round => round with { Machine = round.Machine! with { BusyNs = round.Machine.BusyNs + round.WindowNs } }));
        Raises("steal", "took 5.0 % of",
            Second(round => round with { Machine = round.Machine! with { StealNs = round.Machine.CapacityNs / 20 } }));
        Raises("spoiled", "other programs used 40 %", Second(round => round with { Spoiled = "other programs used 40 % of the machine" }));
    }

    [Fact]
    public void A_much_slower_constant_loop_raises_the_throttling_doubt_and_a_slightly_slower_loop_does_not()
    {
        Raises("throttling", "Before 1 of 32 measurements a fixed loop took up to 7.00 ms",
            Second(round => round.Number == 3 ? round with { FixedLoopNs = 7_000_000 } : round));
        Assert.Null(Find(Each(round => round with { FixedLoopNs = 5_000_000 + 150_000 * (round.Number % 3) }), "throttling"));
    }

    [Fact]
    public void A_cache_that_other_processes_sometimes_fill_is_reported()
    {
        Raises("shared-cache", "took less than 20 ns per step, before another quarter more than 120.",
            Each(round => round with { MemoryStepNs = round.Number % 2 == 0 ? 20 : 120 }));
        Assert.Null(Find(Each(round => round with { MemoryStepNs = 100 + 10 * (round.Number % 4) }), "shared-cache"));
        Assert.Null(Find(Each(round => round with { MemoryStepNs = round.Number == 3 ? 200 : 20 }), "shared-cache"));
        Assert.Null(Find(Each(round => round), "shared-cache"));
    }

    [Theory]
    [InlineData(390, 400, null, "only 390 of 400 connections were open")]
    [InlineData(400, 400, 399, "the client counted 400 connections and the server 399")]
    [InlineData(400, 380, null, "only 380 of 400 connections carried calls")]
    public void A_number_of_connections_other_than_requested_raises_a_doubt(int opened, int active, int? server, string numbers) =>
        Raises("connections", numbers,
            Second(round => round with { Connections = round.Connections with { Opened = opened, Active = active, ServerOpen = server } }));

    [Fact]
    public void Calls_that_the_server_did_not_count_raise_the_doubt_connections() =>
        Raises("connections", "calls and the server 0",
            Second(round => round with { Connections = round.Connections with { ServerCalls = 0 } }));

    [Fact]
    public void Idle_threads_raise_a_doubt() =>
        Raises("threads", "5 threads were requested and 2 ran", Second(round => round with { ThreadCalls = [9, 9, 0, 0, 0] }));

    [Fact]
    public void More_threads_than_requested_raise_a_doubt_except_with_Grpc_Net_Client()
    {
        var run = Second(round => round with { ThreadCalls = [9, 9, 9, 9, 9, 9, 9] });
        Raises("threads", "5 threads were requested and 7 ran", run);
        var cells = run.Cells.Select(cell => cell with { Key = cell.Key with { Client = "grpc-dotnet" } });
        Assert.Null(Find(run with { Cells = [.. cells] }, "threads"));
    }

    [Fact]
    public void Garbage_collections_that_stop_the_client_raise_a_doubt() =>
        Raises("client-gc", "garbage collections stopped the client for 50.0 ms (3 collections)",
            Second(round => round with { Client = round.Client with { GcPauseNs = 50_000_000, GcCollections = [3, 0, 0] } }));

    [Fact]
    public void Unattributed_CPU_time_raises_a_doubt() =>
        Raises("unattributed-cpu", "belongs to neither client nor server",
            Second(round => round with { Server = round.Server! with { CpuUserNs = 0, CpuKernelNs = 0 } }));

    [Fact]
    public void Unattributed_CPU_time_is_not_given_per_call_without_ended_calls()
    {
        var run = Second(round => round with
        {
            Server = round.Server! with { CpuUserNs = 0, CpuKernelNs = 0, GcCollections = [] },
            Credited = 0,
            Completed = 0,
        });
        Raises("unattributed-cpu", "of the machine's busy time", run);
        Assert.DoesNotContain("a call", Find(run, "unattributed-cpu")!.Doubt, StringComparison.Ordinal);
    }

    [Fact]
    public void Unattributed_CPU_time_is_listed_by_its_sources() =>
        Raises("unattributed-cpu",
            "a call): other processes 10 %, kernel threads 5.0 %, soft interrupts 15 %, processes that cannot be seen 10 %",
            Second(round => round with
            {
                Client = round.Client with { CpuUserNs = 300_000_000, CpuKernelNs = 0 },
                Server = round.Server! with { CpuUserNs = 300_000_000, CpuKernelNs = 0 },
                Machine = new MachineUsage
                {
                    BusyNs = 1_000_000_000,
                    CapacityNs = 2_000_000_000,
                    SoftIrqNs = 150_000_000,
                    OthersNs = 100_000_000,
                    KernelThreadsNs = 50_000_000,
                },
            }));

    [Fact]
    public void TLS_compared_with_plaintext_raises_a_doubt_and_a_pipe_on_Linux_raises_another()
    {
        var run = new SampleRuns { Transports = ["tcp", "tls", "pipe"], Sizes = [10], Rounds = 1, SamplesPerRound = 20 }.Make();
        Raises("tls-compared", "cost of encryption", run);
        Raises("pipe-is-socket", "Unix socket behind .NET's pipe API", run);
        Assert.Null(Find(run with { Host = run.Host with { Os = "Microsoft Windows 11" } }, "pipe-is-socket"));
    }

    [Fact]
    public void A_killed_run_raises_a_doubt()
    {
        var killed = Healthy() with { Ending = "running", Finished = null };
        Raises("incomplete", "still runs, or was killed", killed);
        Raises("incomplete", "after 1 round of every cell",
            killed with { Rounds = [.. killed.Rounds.Where(round => round.Number == 1)] });
    }
}
