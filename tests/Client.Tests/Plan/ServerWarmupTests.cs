using IpcBench.Client.Plan;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Plan;

public class ServerWarmupTests
{
    private static readonly Address Tcp = Address.Parse("http://localhost:1"), Unix = Address.Parse("unix:/tmp/a");
    private static readonly Address Other = Address.Parse("http://localhost:2");

    [Fact]
    public void Every_endpoint_has_its_share_of_the_warm_up_mostly_at_the_smallest_size()
    {
        var planned = Plan(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2), [Tcp, Unix], [10, 100, 1_000_000]);
        Assert.Equal(
            [(Tcp, 10L, 1.875), (Unix, 10L, 1.875), (Tcp, 1_000_000L, 0.625), (Unix, 1_000_000L, 0.625)],
            planned.Select(one => (one.Cell.Load.Address, one.Cell.Load.Size, one.Time.TotalSeconds)));
    }

    [Fact]
    public void Each_chunk_size_has_its_share_of_the_warm_up()
    {
        var options = Options(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2), [Tcp], [10], fresh: false);
        options = options with { Modes = ["pull"], Chunks = [100, 1000] };
        var plan = new BenchPlan(options, [new Target(Tcp, options.Variants[0])]);
        Assert.Equal([(100L, 2.5), (1000L, 2.5)],
            ServerWarmup.Plan(options, plan.FirstPhase, _ => "one").Select(one => (one.Cell.Load.Chunk, one.Time.TotalSeconds)));
    }

    [Fact]
    public void All_shapes_warm_up_the_smallest_size_and_the_busiest_shape_also_the_largest_size()
    {
        var options = Options(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2), [Tcp], [10, 1_000_000], fresh: false);
        options = options with { Topologies = [.. options.Topologies, new Topology(1, 1)] };
        var plan = new BenchPlan(options, [new Target(Tcp, options.Variants[0])]);
        Assert.Equal([(4, 10L, 1.875), (1, 10L, 1.875), (4, 1_000_000L, 1.25)], ServerWarmup.Plan(options, plan.FirstPhase, _ => "one")
            .Select(one => (one.Cell.Load.Connections, one.Cell.Load.Size, one.Time.TotalSeconds)));
    }

    [Fact]
    public void Every_server_gets_the_full_time_of_the_warm_up()
    {
        var planned = Plan(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2), [Tcp, Other], [10], address => address.ToString());
        Assert.Equal([(Tcp, 5.0), (Other, 5.0)], planned.Select(one => (one.Cell.Load.Address, one.Time.TotalSeconds)));
    }

    [Fact]
    public void A_server_for_one_round_is_warmed_up_in_full_in_every_round()
    {
        var planned = Plan(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2), [Tcp], [10], fresh: true);
        Assert.Equal(5, planned.Sum(one => one.Time.TotalSeconds));
        TimeSpan Estimate(bool fresh, params string[] modes)
        {
            var options = Options(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2), [], [10], fresh) with { Modes = modes };
            return new BenchPlan(options, [new Target(Tcp, options.Variants[0])]).Estimate!.Value;
        }
        Assert.Equal((2 + 0.6) * 3 - 2.6, (Estimate(true, "unary") - Estimate(false, "unary")).TotalSeconds, 3);
        // The warm-up is also counted for each mode.
        Assert.Equal((4 + 0.6) * 3 - 4.6, (Estimate(true, "unary", "push") - Estimate(false, "unary", "push")).TotalSeconds, 3);
    }

    [Fact]
    public void The_warm_up_of_a_server_of_this_tool_is_shorter_and_is_divided_among_its_clients()
    {
        var options = Options(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2), [], [10], fresh: true) with
        {
            Transports = ["tcp"],
            Clients = ["wire", "grpc-dotnet"],
        };
        var plan = new BenchPlan(options, [new Target(Tcp, options.Variants[0])]);
        Assert.Equal([("wire", 1.0), ("grpc-dotnet", 1.0)],
            ServerWarmup.Plan(options, plan.FirstPhase, _ => "one").Select(one => (one.Cell.Load.Client, one.Time.TotalSeconds)));
        // A server that was compiled ahead compiles nothing.
        options = options with { Variants = [options.Variants[0] with { Knobs = new Knobs { ServerBuild = "aot" } }] };
        Assert.Equal(0.5, ServerWarmup.Plan(options, plan.FirstPhase, _ => "one").Sum(one => one.Time.TotalSeconds));
        // A server that a user's command starts takes the full time.
        options = options with { Variants = [options.Variants[0] with { Command = ["x"] }] };
        Assert.Equal(5, ServerWarmup.Plan(options, plan.FirstPhase, _ => "one").Sum(one => one.Time.TotalSeconds));
    }

    [Theory]
    [InlineData(0, 2000, 0)]
    [InlineData(20, 2000, 400)]
    [InlineData(300, 1000, 5000)]
    [InlineData(1000, 200, 1000)]
    public void The_warm_up_of_a_short_run_is_short(int warmupMs, int durationMs, int expectedMs) => Assert.Equal(
        expectedMs, Plan(TimeSpan.FromMilliseconds(warmupMs), TimeSpan.FromMilliseconds(durationMs), [Tcp], [10])
            .Sum(one => one.Time.TotalMilliseconds));

    private static IReadOnlyList<(PlannedCell Cell, TimeSpan Time)> Plan(
        TimeSpan warmup, TimeSpan duration, Address[] addresses, long[] sizes, Func<Address, object>? serverOf = null, bool fresh = false)
    {
        var options = Options(warmup, duration, addresses, sizes, fresh);
        var plan = new BenchPlan(options, [.. addresses.Select(address => new Target(address, options.Variants[0]))]);
        return ServerWarmup.Plan(options, plan.FirstPhase, cell => serverOf?.Invoke(cell.Load.Address) ?? "one");
    }

    private static RunOptions Options(TimeSpan warmup, TimeSpan duration, Address[] addresses, long[] sizes, bool fresh) => new()
    {
        FreshServers = fresh,
        Addresses = addresses,
        Transports = [],
        Sizes = sizes,
        Topologies = [new Topology(4, 1)],
        Threads = 1,
        Duration = duration,
        Warmup = warmup,
        Timeout = TimeSpan.FromSeconds(1),
        Rounds = 3,
        Seed = 1,
        Variants = [new Variant("", new Knobs())],
        Connector = new ConnectorOptions(),
        Output = new OutputOptions(),
    };
}
