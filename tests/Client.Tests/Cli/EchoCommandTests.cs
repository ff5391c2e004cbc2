using System.CommandLine;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Tests.Cli;

public class EchoCommandTests
{
    [Fact]
    public void By_default_it_is_what_was_published()
    {
        var asked = Echo();
        Assert.Equal(Enumerable.Range(0, 15).Select(power => 1L << power), asked.Sizes);
        Assert.Equal((100_000L, 10, 1), (asked.Calls, asked.Rounds, asked.Threads));
        Assert.Equal([new Topology(1, 1)], asked.Topologies);
        Assert.Equal(["echo"], asked.Protocols);
        Assert.Equal(["tcp", "unix", "pipe"], asked.Transports);
        Assert.Equal("echo", asked.Scenario);
    }

    [Fact]
    public void A_time_takes_the_place_of_the_number_of_packets()
    {
        Assert.Null(Echo("-d", "1s").Calls);
        Assert.Equal(500, Echo("-n", "500").Calls);
        Assert.Equal(10_000, Echo("--quick").Calls);
    }

    [Fact]
    public void Few_packets_are_warmed_up_for_a_short_time() =>
        Assert.True(Echo("-n", "100").Warmup < Echo("-n", "100k").Warmup && Echo("-n", "100", "--warmup", "1s").Warmup == TimeSpan.FromSeconds(1));

    [Theory]
    [InlineData("-s", "0")]
    [InlineData("-s", "10,0")]
    [InlineData("-s", "1G", "-m", "2")]
    [InlineData("-s", "1M", "-c", "1100")]
    [InlineData("-t", "2")]
    [InlineData("-n", "0")]
    [InlineData("-n", "many")]
    public void What_cannot_be_is_refused(params string[] arguments) => Assert.Throws<UsageException>(() => Echo(arguments));

    [Fact]
    public void Layers_are_three_protocols_on_the_same_transports()
    {
        var (options, typed) = Parse();
        var asked = LayersCommand.Shape(new RunOptionsReader(options, typed).Read(), option => typed.GetValue(option) is not null, options, quick: false);
        Assert.Equal(["echo", "http2", "grpc"], asked.Protocols);
        Assert.Equal([10L, 10_000], asked.Sizes);
        Assert.Equal([new Topology(1, 1)], asked.Topologies);
    }

    private static RunOptions Echo(params string[] arguments)
    {
        var (options, typed) = Parse(arguments);
        return EchoCommand.Shape(new RunOptionsReader(options, typed).Read(), option => typed.GetValue(option) is not null, options, typed.GetValue(options.Quick));
    }

    private static (RunCommandOptions Options, ParseResult Typed) Parse(params string[] arguments)
    {
        var options = new RunCommandOptions();
        var command = new RootCommand();
        foreach (var option in options.All)
            command.Options.Add(option);
        return (options, command.Parse(arguments));
    }
}
