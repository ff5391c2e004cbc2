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
    [InlineData(
        "-U: 'ftp://x' is no address: write http://host:port, https://host:port, unix:/path, unix-abstract:name or pipe:/name",
        "-U", "ftp://x")]
    [InlineData("-U 'http://localhost:0' needs a port to connect to", "-U", "http://localhost:0")]
    [InlineData("-U names the same server twice", "-U", "unix:/a", "-U", "unix:/a")]
    [InlineData("--transports is for the server this tool starts; with -U the addresses decide", "-U", "unix:/a", "--transports", "tcp")]
    [InlineData(
        "--backlog is a setting of the server, and with -U the server is not ours: give it to that server, or leave out -U",
        "-U", "unix:/a", "--backlog", "10")]
    [InlineData(
        "--server-cpus moves the server this tool starts; with -U use taskset or start /affinity on yours",
        "-U", "unix:/a", "--server-cpus", "0")]
    [InlineData(
        "--transports: there is no transport 'carrier-pigeon': it is one of tcp, tls, unix, pipe",
        "--transports", "carrier-pigeon")]
    [InlineData("--transports 'tcp,tcp' names the same value twice", "--transports", "tcp,tcp")]
    [InlineData("-c '0' must be between 1 and 1000000", "-c", "0")]
    [InlineData("-m '0' must be between 1 and 1000000", "-m", "0")]
    [InlineData("-t '0' must be between 1 and 1024", "-t", "0")]
    [InlineData("-r '0' must be between 1 and 1000000", "-r", "0")]
    [InlineData("-d must be at least 1ms", "-d", "0")]
    [InlineData("-s '-1' is no whole number such as 10, 1k, 64KiB or 1M", "-s", "-1")]
    [InlineData("-s is limited to 1 GiB: one gRPC message is one length-prefixed buffer", "-s", "2G")]
    [InlineData("--arrivals shapes an open loop: add -R 20k or --load 50%", "--arrivals", "poisson")]
    [InlineData("--arrivals 'sometimes' is none of constant, poisson", "--arrivals", "sometimes", "-R", "5")]
    [InlineData("-R and --load both set the rate: give one of them", "-R", "5", "--load", "50%")]
    [InlineData("-o names a results file and --no-save wants none: give one of them", "-o", "x.json", "--no-save")]
    [InlineData("--client: there is no client 'curl': it is wire or grpc-dotnet", "--client", "curl")]
    [InlineData("--socket-buffer '0' must be between 1 and 1073741824", "--socket-buffer", "0")]
    [InlineData("--nagle 'maybe' is none of on, off", "--nagle", "maybe")]
    public void What_cannot_be_is_refused_with_one_sentence(string sentence, params string[] arguments) =>
        Assert.Equal(sentence, Refused(arguments));

    [Fact]
    public void An_authority_that_cannot_be_read_is_refused_with_its_file() =>
        Assert.StartsWith(
            "--cacert '/no/such/file.pem' cannot be used: ", Refused("--cacert", "/no/such/file.pem"), StringComparison.Ordinal);

    [Fact]
    public void Every_knob_is_an_option()
    {
        var options = Read("--socket-buffer", "256k", "--nagle", "on", "--http2-window", "64KiB", "--backlog", "100", "--io-queues", "2",
            "--inline", "on", "--server-gc", "workstation");
        var knobs = options.Variants.Single().Knobs;
        Assert.Equal(
            new Knobs
            {
                SocketBuffer = 256_000,
                Nagle = true,
                Http2Window = 65_536,
                Backlog = 100,
                IoQueues = 2,
                Inline = true,
                ServerGc = "workstation"
            },
            knobs);
        Assert.Equal(
            (false, 256_000), (knobs.Connector(options.Connector).NoDelay, knobs.Connector(options.Connector).SocketBuffer!.Value));
    }

    private static string Refused(params string[] arguments) => Typed.Refused(Presets.Main, arguments);

    private static RunOptions Read(params string[] arguments) => Typed.Read(Presets.Main, arguments);
}
