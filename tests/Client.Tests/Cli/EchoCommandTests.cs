using IpcBench.Client.Cli;
using IpcBench.Client.Experiments.Ab;
using IpcBench.Client.Experiments.Echo;
using IpcBench.Client.Experiments.Layers;
using IpcBench.Client.Plan;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Tests.Cli;

public class EchoCommandTests
{
    [Fact]
    public void The_command_echo_measures_the_published_comparison_by_default()
    {
        var asked = Echo();
        Assert.Equal(Enumerable.Range(0, 15).Select(power => 1L << power), asked.Sizes);
        Assert.Equal((100_000L, 11, 1), (asked.Calls, asked.Rounds, asked.Threads));
        Assert.Equal([new Topology(1, 1)], asked.Topologies);
        Assert.Equal(["echo"], asked.Protocols);
        Assert.Equal(["tcp", "unix", "pipe"], asked.Transports);
        Assert.Equal("echo", asked.Scenario);
    }

    [Fact]
    public void A_duration_replaces_the_number_of_packets()
    {
        Assert.Null(Echo("-d", "1s").Calls);
        Assert.Equal(500, Echo("-n", "500").Calls);
        Assert.Equal(10_000, Echo("--quick").Calls);
    }

    [Fact]
    public void A_run_of_few_packets_has_a_short_warm_up() =>
        Assert.True(
            Echo("-n", "100").Warmup < Echo("-n", "100k").Warmup && Echo("-n", "100", "--warmup", "1s").Warmup == TimeSpan.FromSeconds(1));

    [Theory]
    [InlineData("-s 0: a packet of an echo has at least one byte, so write -s 1 or more", "-s", "0")]
    [InlineData("-s 0: a packet of an echo has at least one byte, so write -s 1 or more", "-s", "10,0")]
    [InlineData(
        "-s 1000000000 with 2 packets in flight needs too much memory: all packets together may have 1 GiB", "-s", "1G", "-m", "2")]
    [InlineData(
        "-s 1000000 with 1100 packets in flight needs too much memory: all packets together may have 1 GiB",
        "-s", "1M", "-c", "1100")]
    [InlineData("-t 2 needs at least 2 connections, because each connection belongs to one thread, but -c has 1", "-t", "2")]
    [InlineData("-n must be at least 1", "-n", "0")]
    [InlineData("--connect-per-call would start a process for each call over stdio: leave out --connect-per-call",
        "--transports", "unix,stdio", "--connect-per-call")]
    [InlineData("--slice lets cells take turns, but echo measures a number of packets: add -d 1s", "--slice", "20ms")]
    [InlineData("--io-queues changes nothing for the server's sockets 'bare': write --sockets dotnet, or leave out --io-queues",
        "--io-queues", "2", "--sockets", "bare")]
    [InlineData("--inline changes nothing for the server's sockets 'loop': write --sockets dotnet, or leave out --inline",
        "--inline", "off,on", "--sockets", "loop")]
    [InlineData("--find measures windows of a given time, but echo measures a number of packets: add -d 1s", "--find", "p99<1ms")]
    [InlineData("--find measures windows of a given time, but -n gives a number of calls: leave out -n", "--find", "p99<1ms", "-n", "100")]
    [InlineData("-n 'many' is not a whole number such as 10, 1k, 64KiB or 1M", "-n", "many")]
    public void Impossible_options_are_rejected(string sentence, params string[] arguments) =>
        Assert.Equal(sentence, Typed.Refused(EchoExperiment.Preset, arguments));

    [Fact]
    public void The_command_ab_does_not_accept_the_transports_socketpair_and_stdio_and_shm()
    {
        string[] kinds = OperatingSystem.IsLinux() ? ["socketpair", "stdio", "shm"] : ["stdio", "shm"];
        Assert.Equal(kinds, Echo("--transports", string.Join(',', kinds)).Transports);
        Assert.Equal(["tcp", .. kinds], Typed.Read(Preset.Main, ["--transports", $"tcp,{string.Join(',', kinds)}", "-c", "1"]).Transports);
        Assert.Equal(
            "--transports: shm is a transport of GrpcBench, GrpcBench echo and GrpcBench layers, not of GrpcBench ab",
            Typed.Refused(AbCommand.Preset, ["--transports", "shm"]));
        Assert.Equal(
            "-U: no server listens at shm: only servers that this tool starts are measured over shm",
            Typed.Refused(EchoExperiment.Preset, ["-U", "shm:cat"]));
        Assert.Equal(
            "-U: no server listens at stdio: only servers that this tool starts are measured over stdio",
            Typed.Refused(AbCommand.Preset with { NotOffered = [] }, ["-U", "stdio:cat"]));
    }

    [Fact]
    public void A_command_may_have_at_most_8_connections()
    {
        var read = Typed.Read(Preset.Main, "-U", "stdio:./server 'a b'", "-U", "unix:/tmp/x");
        Assert.Equal([new Address.Child("stdio", "./server 'a b'"), new Address.Unix("/tmp/x")], read.Addresses);
        Assert.Equal((1, 0), (read.Topologies.Single().Connections, read.Shapes.Count));
        Assert.Equal("stdio starts a process for each connection, and at most 8: name the load, e.g. -c 1 -m 64",
            Typed.Refused(EchoExperiment.Preset, "-U", "stdio:cat", "-c", "9"));
        Assert.Equal("--connect-per-call would start a process for each call over stdio: leave out --connect-per-call",
            Typed.Refused(EchoExperiment.Preset, "-U", "stdio:cat", "--connect-per-call"));
        Assert.Equal("-U stdio: is empty: write the command that starts a server", Typed.Refused(Preset.Main, "-U", "stdio:"));
    }

    [Theory]
    [InlineData("stdio starts a process for each connection, and at most 8: name the load, e.g. -c 1 -m 64", "stdio", "-c", "9")]
    [InlineData("shm starts a process for each connection, and at most 8: name the load, e.g. -c 1 -m 64", "tcp,shm", "-c", "9")]
    [InlineData("--connect-per-call would start a process for each call over shm: leave out --connect-per-call",
        "shm", "-c", "1", "--connect-per-call")]
    [InlineData("--sockets loop does not apply to stdio: leave out one of the two", "stdio", "-c", "1", "--sockets", "dotnet,loop")]
    public void Loads_that_children_with_gRPC_cannot_have_are_rejected(string sentence, string kinds, params string[] more) =>
        Assert.Equal(sentence, Typed.Refused(Preset.Main, ["--transports", kinds, .. more]));

    [Fact]
    public void Settings_of_Kestrels_sockets_need_Kestrel_in_an_echo()
    {
        Assert.Equal(EventLoop.IsSupported, Record.Exception(() => Echo("--inline", "on")) is UsageException);
        Assert.Equal(2, Echo("--inline", "on", "--sockets", "dotnet,loop").Variants.Count);
        Assert.Single(Echo("--inline", "on", "--sockets", "bare").Variants);
        Assert.Single(Echo("--io-queues", "2", "--transports", "tcp,tls").Variants);
    }

    [Fact]
    public void Each_value_of_the_option_wait_is_an_arm_and_only_of_the_transport_shm()
    {
        var asked = Echo("--transports", "tcp,shm", "--wait", "spin,spin=50us");
        (string Name, string? Wait, string[] Transports)[] arms =
            [("", null, ["tcp"]), ("wait=spin", "spin", ["shm"]), ("wait=spin=50us", "spin=50us", ["shm"])];
        Assert.Equal(arms.Select(arm => (arm.Name, arm.Wait)), asked.Variants.Select(variant => (variant.Name, variant.Knobs.Wait)));
        Assert.Equal(arms.Select(arm => arm.Transports), asked.Variants.Select(variant => variant.TransportsOf(asked)));
        Assert.Equal(
            RingWait.Usual.Split(',').Select(wait => "wait=" + wait), Echo("--transports", "shm").Variants.Select(variant => variant.Name));
        Assert.Single(Echo().Variants);
    }

    [Theory]
    [InlineData("--wait changes shm alone: add shm to --transports", "--wait", "spin")]
    [InlineData("--wait changes shm alone: add shm to --transports", "--wait", "spin", "-U", "tcp://127.0.0.1:7")]
    public void The_option_wait_without_the_transport_shm_is_rejected(string sentence, params string[] arguments) =>
        Assert.Equal(sentence, Typed.Refused(EchoExperiment.Preset, arguments));

    [Fact]
    public void The_error_of_an_unknown_value_of_wait_lists_the_values_that_this_system_supports() => Assert.Equal(
        $"--wait 'sleep' is unknown: write one of {string.Join(", ", RingWait.Values)}",
        Typed.Refused(EchoExperiment.Preset, "--transports", "shm", "--wait", "spin,sleep"));

    [Fact]
    public void Arms_are_not_measured_in_slices_if_an_idle_connection_of_one_arm_keeps_a_CPU_busy()
    {
        Assert.True(HasSlices("spin=20us"));
        Assert.False(HasSlices("spin=20us,spin"));
    }

    [Fact]
    public void The_command_layers_measures_three_protocols_and_raw_echoes_on_the_same_transports()
    {
        var asked = Typed.Read(LayersExperiment.Preset);
        (string, string?, bool)[] below = OperatingSystem.IsLinux()
            ? [("sockets=bare", "bare", true), ("sockets=loop", "loop", true)] : [("sockets=bare", "bare", true)];
        Assert.Equal([("", "dotnet", false), .. below],
            asked.Variants.Select(variant => (variant.Name, variant.Knobs.Sockets, variant.EchoAlone)));
        Assert.Equal(["echo", "http2", "grpc"], asked.Protocols);
        Assert.Equal([10L, 10_000], asked.Sizes);
        Assert.Equal([new Topology(1, 1)], asked.Topologies);
    }

    [Fact]
    public void The_command_layers_measures_no_sockets_below_shared_memory()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "there is no event loop on this system");
        var asked = Typed.Read(LayersExperiment.Preset, "--transports", "unix,stdio,shm", "--wait", "futex");
        Assert.Equal(["", "sockets=bare", "sockets=loop", "wait=futex", "wait=futex sockets=loop"],
            asked.Variants.Select(variant => variant.Name).Order(StringComparer.Ordinal));
        Assert.All(asked.Variants, variant => Assert.Equal(variant.Name.StartsWith("wait", StringComparison.Ordinal) ? ["shm"]
            : (string[])["unix", "stdio"], variant.TransportsOf(asked)));
    }

    [Fact]
    public void The_value_bare_of_the_option_sockets_is_accepted_only_by_the_command_echo()
    {
        Assert.Equal("--sockets bare serves only raw echoes: use bare with GrpcBench echo, or write dotnet or loop",
            Typed.Refused(Preset.Main, "--sockets", "dotnet,bare"));
        Assert.Equal(["bare", "loop"], Echo("--sockets", "bare,loop").Variants.Select(variant => variant.Knobs.Sockets!));
    }

    private static bool HasSlices(string waits)
    {
        var options = Echo("-d", "1s", "--transports", "tcp,shm", "--wait", waits);
        return new BenchPlan(options, [.. from variant in options.Variants from kind in variant.TransportsOf(options)
                                          select new Target(Address.Own[kind]("test"), variant, Protocol: "echo")]).HasSlices;
    }

    private static RunOptions Echo(params string[] arguments) => Typed.Read(EchoExperiment.Preset, arguments);
}
