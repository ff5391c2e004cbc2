using System.CommandLine;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Tests.Cli;

public class RunOptionsReaderTests
{
    [Fact]
    public void Without_a_server_the_main_job_is_seven_rounds_of_two_seconds_on_three_transports()
    {
        var options = Read();
        Assert.True(options.OwnServer);
        Assert.Equal(["tcp", "unix", "pipe"], options.Transports);
        Assert.Equal((7, 2.0, 5), (options.Rounds, options.Duration.TotalSeconds, options.Threads));
        Assert.Equal([10L, 100, 1_000, 10_000, 100_000, 1_000_000], options.Sizes);
        Assert.Equal([new Topology(400, 1)], options.Topologies);
    }

    [Fact]
    public void With_a_server_the_defaults_are_three_rounds_of_twenty_seconds()
    {
        var options = Read("-U", "unix:/tmp/greeter.sock");
        Assert.False(options.OwnServer);
        Assert.Equal((3, 20.0, 2.0), (options.Rounds, options.Duration.TotalSeconds, options.Warmup.TotalSeconds));
    }

    [Fact]
    public void Quick_is_six_rounds_of_one_second_and_three_sizes()
    {
        var options = Read("--quick");
        Assert.Equal((6, 1.0, 3), (options.Rounds, options.Duration.TotalSeconds, options.Sizes.Count));
    }

    [Fact]
    public void Default_threads_shrink_to_the_connections_and_explicit_ones_do_not()
    {
        Assert.Equal(2, Read("-c", "2").Threads);
        Assert.Contains("-t 5", Refused("-c", "2", "-t", "5"), StringComparison.Ordinal);
        Assert.Equal(2, Read("-c", "2", "-t", "2").Threads);
    }

    [Theory]
    [InlineData("-U", "ftp://x")]
    [InlineData("-U", "http://localhost:0")]
    [InlineData("-U", "unix:/a", "-U", "unix:/a")]
    [InlineData("-U", "unix:/a", "--transports", "tcp")]
    [InlineData("-U", "unix:/a", "--backlog", "10")]
    [InlineData("-U", "unix:/a", "--server-cpus", "0")]
    [InlineData("--transports", "carrier-pigeon")]
    [InlineData("--transports", "tcp,tcp")]
    [InlineData("-c", "0")]
    [InlineData("-m", "0")]
    [InlineData("-t", "0")]
    [InlineData("-r", "0")]
    [InlineData("-d", "0")]
    [InlineData("-s", "-1")]
    [InlineData("-s", "2G")]
    [InlineData("--arrivals", "poisson")]
    [InlineData("--arrivals", "sometimes", "-R", "5")]
    [InlineData("-R", "5", "--load", "50%")]
    [InlineData("--cacert", "/no/such/file.pem")]
    [InlineData("-o", "x.json", "--no-save")]
    [InlineData("--client", "curl")]
    [InlineData("--socket-buffer", "0")]
    [InlineData("--nagle", "maybe")]
    public void What_cannot_be_is_refused_with_one_sentence(params string[] arguments)
    {
        var message = Refused(arguments);
        Assert.NotEmpty(message);
        Assert.DoesNotContain('\n', message);
    }

    [Fact]
    public void Every_knob_is_an_option()
    {
        var options = Read("--socket-buffer", "256k", "--nagle", "on", "--http2-window", "64KiB", "--backlog", "100", "--io-queues", "2", "--inline", "on", "--server-gc", "workstation");
        var knobs = options.Variants.Single().Knobs;
        Assert.Equal(
            new Knobs { SocketBuffer = 256_000, Nagle = true, Http2Window = 65_536, Backlog = 100, IoQueues = 2, Inline = true, ServerGc = "workstation" },
            knobs);
        Assert.Equal((false, 256_000), (knobs.Connector(options.Connector).NoDelay, knobs.Connector(options.Connector).SocketBuffer!.Value));
    }

    private static string Refused(params string[] arguments) => Assert.Throws<UsageException>(() => Read(arguments)).Message;

    private static RunOptions Read(params string[] arguments)
    {
        var declared = new RunCommandOptions();
        var command = new RootCommand();
        foreach (var option in declared.All)
            command.Options.Add(option);
        var typed = command.Parse(arguments);
        Assert.Empty(typed.Errors);
        return new RunOptionsReader(declared, typed).Read();
    }
}
