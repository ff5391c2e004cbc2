using IpcBench.Client.Cli;
using IpcBench.Client.Commands;
using IpcBench.Client.Loads.Find;
using IpcBench.Client.Loads.Given;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Cli;

public class RunOptionsReaderTests
{
    [Fact]
    public void Three_transports_are_compared_in_every_shape_without_a_given_server()
    {
        var options = Read();
        Assert.True(options.OwnServer);
        Assert.Equal(["tcp", "unix", "pipe"], options.Transports);
        Assert.Equal((10, 0.3, 5), (options.Rounds, options.Duration.TotalSeconds, options.Threads));
        Assert.Equal([10L, 100, 1_000, 10_000, 100_000, 1_000_000], options.Sizes);
        Assert.Equal([new Topology(1, 1), new Topology(5, 80), new Topology(400, 1)], options.Topologies);
        Assert.Equal([ProtocolTable.Wire, ProtocolTable.Wire, ProtocolTable.Wire, ProtocolTable.GrpcDotnet],
            options.Shapes.SelectMany(shape => shape.Clients));
    }

    [Theory]
    [InlineData("--load", "50%")]
    [InlineData("--my-rate", "5k")]
    [InlineData("--work", "0,30us")]
    [InlineData("--sockets", "dotnet,loop")]
    [InlineData("--connect-per-call", "both")]
    public void Three_sizes_are_measured_with_options_that_multiply_the_cells_and_one_with_quick(params string[] typed)
    {
        Assert.Equal([10L, 10_000, 1_000_000], Read(typed).Sizes);
        Assert.Equal([10L], Read(["--quick", .. typed]).Sizes);
    }

    [Fact]
    public void A_quick_run_of_a_given_load_lasts_at_most_two_minutes() =>
        Assert.InRange(PlanOf(Read("--quick", "--load", "50%")).Estimate!.Value.TotalSeconds, 30, 120);

    [Fact]
    public void A_single_given_server_has_three_rounds_of_twenty_seconds_by_default()
    {
        var options = Read("-U", "unix:/tmp/greeter.sock");
        Assert.False(options.OwnServer);
        Assert.Equal((3, 20.0, 2.0), (options.Rounds, options.Duration.TotalSeconds, options.Warmup.TotalSeconds));
    }

    [Theory]
    [InlineData("--delta", "--aa")]
    [InlineData("--ignore-below", "--against-itself")]
    public void Both_spellings_of_delta_and_of_aa_are_accepted(string least, string itself)
    {
        var options = Read(least, "7%", itself);
        Assert.Equal((0.07, true), (options.Delta, options.AgainstItself));
    }

    [Theory]
    [InlineData(10, 0.3, "-U", "unix:/a", "-U", "http://localhost:1")]
    [InlineData(10, 20.0, "-U", "unix:/a", "-U", "http://localhost:1", "-d", "20s")]
    [InlineData(4, 0.3, "-U", "unix:/a", "-U", "http://localhost:1", "-r", "4")]
    [InlineData(10, 0.3, "--transports", "tcp,tls,unix,pipe")]
    [InlineData(12, 1.0, "--transports", "tcp,tls,unix,pipe", "-c", "1,4,400")]
    [InlineData(3, 2.0, "-c", "1", "-r", "3", "-d", "2s")]
    public void Default_rounds_suffice_to_name_a_winner_and_given_rounds_are_kept(int rounds, double seconds, params string[] typed)
    {
        var plan = PlanOf(Read(typed));
        Assert.Equal((rounds, seconds), (plan.Options.Rounds, plan.Options.Duration.TotalSeconds));
    }

    [Fact]
    public void The_option_quick_measures_two_sizes_in_ten_short_rounds_with_a_new_server_per_round()
    {
        var options = Read("--quick");
        Assert.Equal((10, 0.3, true), (options.Rounds, options.Duration.TotalSeconds, options.FreshServers));
        Assert.Equal([10L, 1_000_000], options.Sizes);
        Assert.InRange(PlanOf(options).Estimate!.Value.TotalSeconds, 80, 130);
        Assert.InRange(PlanOf(Read()).Estimate!.Value.TotalMinutes, 3, 6);
    }

    [Fact]
    public void Several_chunk_sizes_are_arms_and_allow_automatic_rounds()
    {
        var options = Read("-U", "unix:/a", "--mode", "pull", "--chunk", "0,64KiB", "-r", "auto");
        Assert.True(options.RoundsAuto);
        Assert.Equal([0, 65_536], options.Chunks);
    }

    [Fact]
    public void The_rates_of_the_option_my_rate_are_added_to_the_shares_of_the_option_load() => Assert.Equal(
        [new ShareLoad(0.5), new RateLoad(5000), new RateLoad(20_000)], Read("--my-rate", "5k,20k", "--load", "50%").Loads);

    [Fact]
    public void The_option_find_adds_a_load_that_has_more_rounds_and_no_comparisons()
    {
        var options = Read("--find", "p99 < 1ms", "--transports", "tcp,unix", "-s", "10", "-r", "6");
        Assert.Equal("p99<1ms", Assert.Single(options.Loads).Name);
        Target On(Address address) => new(address, options.Variants[0]);
        var plan = new BenchPlan(options, [On(new Address.Tcp("localhost", 1)), On(new Address.Unix("/a"))]);
        Assert.Equal(["max", "max", "p99<1ms", "p99<1ms"], plan.Cells.Select(cell => cell.Record.Key.Load));
        Assert.Equal((2, 2), (plan.FirstPhase.Count(), plan.Cells.Count(cell => cell.Given is SearchLoad)));
        Assert.Equal((1, 2 * 6 + 2 * (6 + 8)), (plan.Claims, plan.Measurements));
    }

    [Theory]
    [InlineData(1, "-U", "unix:/a")]
    [InlineData(2, "-U", "unix:/a", "-U", "http://localhost:1")]
    [InlineData(2, "--quick", "--transports", "tcp,unix")]
    [InlineData(2, "--transports", "tcp,unix", "--load", "50%", "--my-rate", "5k")]
    [InlineData(2, "--transports", "tcp,unix", "-r", "auto")]
    [InlineData(8, "--transports", "tcp,unix", "--mode", "unary,upload,ping-pong,push")]
    [InlineData(4, "--transports", "tcp,unix", "--connect-per-call", "both")]
    [InlineData(4, "--transports", "tcp,unix", "--work", "0,10us")]
    [InlineData(4, "--transports", "tcp,unix", "--socket-buffer", "64k,1M")]
    [InlineData(4, "--transports", "tcp,unix", "-c", "1,50")]
    public void The_option_find_adds_a_search_for_every_kind_of_arm_and_measures_full_load_too(int cells, params string[] typed)
    {
        var options = Read([.. typed, "--find", "p99<1ms", "-s", "10"]);
        var addresses = options.OwnServer ? options.Transports.Select(kind => Address.Own[kind]("x")) : options.Addresses;
        var plan = new BenchPlan(
            options, [.. from variant in options.Variants from address in addresses select new Target(address, variant)]);
        Assert.Equal(cells, plan.Cells.Count(cell => cell.Given is SearchLoad));
        var others = plan.FirstPhase.Select(cell => cell.Record.Key).ToHashSet();
        Assert.All(plan.Cells.Where(cell => cell.Given is SearchLoad),
            cell => Assert.Contains(cell.Record.Key with { Load = "max" }, others));
    }

    [Theory]
    [InlineData(88, "--quick")]
    [InlineData(88, "--quick", "-U", "unix:/a", "-U", "http://localhost:1")]
    [InlineData(20, "--quick", "--max-time", "20s")]
    [InlineData(20, "-r", "5", "--max-time", "20s")]
    [InlineData(1800, "-r", "auto")]
    [InlineData(1800, "--quick", "-r", "auto")]
    [InlineData(0, "--quick", "-r", "20")]
    [InlineData(0, "--quick", "--load", "50%")]
    [InlineData(0)]
    public void The_option_quick_sets_a_time_limit_unless_another_option_lengthens_the_run(int seconds, params string[] typed) =>
        Assert.Equal(seconds == 0 ? TimeSpan.MaxValue : TimeSpan.FromSeconds(seconds), Read(typed).MaxTime);

    [Theory]
    [InlineData(4)]
    [InlineData(4, "--quick")]
    [InlineData(4, "--transports", "tcp,unix", "-s", "10,10k")]
    [InlineData(4, "--transports", "unix,pipe")]
    [InlineData(4, "-U", "unix:/a", "-U", "http://localhost:1")]
    [InlineData(3, "--client", "wire")]
    [InlineData(1, "--shape", "channel")]
    [InlineData(2, "--shape", "one,app", "-U", "unix:/a")]
    [InlineData(0, "-c", "400")]
    [InlineData(0, "-m", "2")]
    [InlineData(0, "-U", "unix:/a")]
    [InlineData(0, "-R", "5k")]
    [InlineData(0, "--load", "50%")]
    [InlineData(0, "--my-rate", "5k")]
    [InlineData(0, "--find", "p99<1ms")]
    [InlineData(0, "--socket-buffer", "64k,1M")]
    public void A_comparison_of_transports_measures_every_shape_by_default(
        int shapes, params string[] typed) => Assert.Equal(shapes, Read(typed).Shapes.Count);

    [Theory]
    [InlineData("-U", "unix:/a")]
    [InlineData("-U", "unix:/a", "-U", "http://localhost:1")]
    public void A_method_is_measured_in_every_shape_even_at_one_address(params string[] servers)
    {
        var options = Typed.ReadCall([.. servers, "--call", "a.B/C"]);
        (int, int)[] shapes = [(1, 1), (5, 80), (400, 1)];
        Assert.Equal(shapes, options.Topologies.Select(topology => (topology.Connections, topology.Streams)));
        Assert.Equal(servers.Length == 2 ? 5 : 0.3, options.Duration.TotalSeconds);
        Assert.Empty(Typed.ReadCall([.. servers, "--call", "a.B/C", "-c", "16"]).Shapes);
    }

    [Fact]
    public void Shapes_and_connections_cannot_both_be_given() =>
        Assert.Contains("leave out --shape, or -c and -m", Assert.Throws<UsageException>(() => Read("--shape", "one", "-c", "4")).Message);

    [Fact]
    public void An_unknown_shape_is_rejected_with_the_known_shapes() =>
        Assert.Contains("one, channel, clients, app", Assert.Throws<UsageException>(() => Read("--shape", "two")).Message);

    [Fact]
    public void The_option_quick_compares_a_Unix_socket_with_TCP_in_five_cells_each()
    {
        var plan = PlanOf(Read("--quick", "--transports", "tcp,unix"));
        Assert.Equal(
            [("tcp", 1, 10L, "wire"), ("unix", 1, 10L, "wire"), ("tcp", 1, 1_000_000L, "wire"), ("unix", 1, 1_000_000L, "wire"),
                ("tcp", 5, 10L, "wire"), ("unix", 5, 10L, "wire"), ("tcp", 400, 10L, "wire"), ("unix", 400, 10L, "wire"),
                ("tcp", 5, 10L, "grpc-dotnet"), ("unix", 5, 10L, "grpc-dotnet")],
            plan.Cells.Select(cell => (cell.Record.Key.Transport, cell.Load.Connections, cell.Load.Size, cell.Load.Client)));
    }

    [Fact]
    public void On_Linux_the_pipe_is_measured_in_one_shape()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "a pipe of Windows is measured in every shape");
        var pipes = PlanOf(Read()).Cells.Where(cell => cell.Target.Address.Kind == "pipe");
        Assert.Equal([400], pipes.Select(cell => cell.Load.Connections).Distinct());
    }

    private static BenchPlan PlanOf(RunOptions options) =>
        new(options, [.. (options.OwnServer ? options.Transports.Select(kind => Address.Own[kind]("x")) : options.Addresses)
            .Select(address => new Target(address, options.Variants[0]))]);

    [Fact]
    public void With_few_connections_the_default_number_of_threads_is_reduced_and_a_given_one_rejected()
    {
        Assert.Equal(2, Read("-c", "2").Threads);
        Assert.Equal(5, Read("-c", "1,400").Threads);
        Assert.Equal(
            "-t 5 needs at least 5 connections, because each connection belongs to one thread, but -c has 2",
            Refused("-c", "2", "-t", "5"));
        Assert.Equal(2, Read("-c", "2", "-t", "2").Threads);
    }

    [Theory]
    [InlineData(
        "-U: 'ftp://x' is not an address: write http://host:port, https://host:port, unix:/path, unix-abstract:name or pipe:/name",
        "-U", "ftp://x")]
    [InlineData("-U 'http://localhost:0' needs a port, as in http://localhost:5000", "-U", "http://localhost:0")]
    [InlineData("-U names the same server twice", "-U", "unix:/a", "-U", "unix:/a")]
    [InlineData("--transports is for a server that this tool starts: leave out --transports, because -U names the "
        + "addresses", "-U", "unix:/a", "--transports", "tcp")]
    [InlineData(
        "--backlog is a setting of the server, but with -U this tool does not start the server: make this setting in your server, or "
            + "leave out -U",
        "-U", "unix:/a", "--backlog", "10")]
    [InlineData(
        "--server-cpus is for a server that this tool starts: with -U, start your server under taskset (Windows: start /affinity)",
        "-U", "unix:/a", "--server-cpus", "0")]
    [InlineData("--transports 'tcp,tcp' names the same value twice", "--transports", "tcp,tcp")]
    [InlineData("-c '0' must be between 1 and 1000000", "-c", "0")]
    [InlineData("-m '0' must be between 1 and 65536", "-m", "0")]
    [InlineData("-m '70000' must be between 1 and 65536", "-m", "70000")]
    [InlineData("-t '0' must be between 1 and 1024", "-t", "0")]
    [InlineData("-r '0' must be between 1 and 1000000", "-r", "0")]
    [InlineData("-d must be at least 1ms", "-d", "0")]
    [InlineData("-s '-1' is not a whole number such as 10, 1k, 64KiB or 1M", "-s", "-1")]
    [InlineData("-s may be at most 1 GiB", "-s", "2G")]
    [InlineData("--arrivals needs an open loop: add -R 20k, --load 50% or --my-rate 5k", "--arrivals", "poisson")]
    [InlineData("--arrivals 'sometimes' is unknown: write one of constant, poisson", "--arrivals", "sometimes", "-R", "5")]
    [InlineData("-R and --load both set the rate: use only one of the two", "-R", "5", "--load", "50%")]
    [InlineData("-R and --my-rate both set the rate: use only one of the two", "-R", "5", "--my-rate", "5k")]
    [InlineData("-R and --find both set the rate: use only one of the two", "-R", "5", "--find", "p99<1ms")]
    [InlineData("--find measures windows of a given time, but -n gives a number of calls: leave out -n", "--find", "p99<1ms", "-n", "100")]
    [InlineData(
        "--find p99<1s needs a window of at least a hundred times this limit, because queues need time to build up: "
            + "add -d 100000ms or more",
        "--find", "p99<1s")]
    [InlineData("--find: 'failures<2' needs a share of all calls such as 0.1%", "--find", "p99<1ms,failures<2")]
    [InlineData("--find sends at random times, but with --mode pull the server sends at equal intervals: leave out one of the two",
        "--find", "p99<1ms", "--mode", "unary,pull")]
    [InlineData("--crank measures one cell, but --load, --my-rate and --find add cells: leave out these three, or write -R",
        "-U", "unix:/a", "-s", "10", "--crank", "--find", "p99<1ms")]
    [InlineData(BenchPlan.OneCell,
        "-U", "unix:/a", "-s", "10", "--crank", "--mode", "pull", "--chunk", "0,64KiB")]
    [InlineData("--my-rate '50%' is not a rate such as 500 or 20k", "--my-rate", "50%")]
    [InlineData("--my-rate '0' is not a rate such as 500 or 20k", "--my-rate", "0")]
    [InlineData("-o names a results file, but --no-save writes none: leave out one of the two", "-o", "x.json", "--no-save")]
    [InlineData("-o names two results files, but a run has one: give one file another extension, as in page.html",
        "-o", "a.json", "-o", "b.json")]
    [InlineData("-o a.png: the extension decides the format, but '.png' is unknown: write .json for the results file, which "
        + "report, compare and --resume read, or for a report one of "
        + ".txt, .md, .htm, .xml, .prom, .text, .markdown, .csv, .wide-csv, .runs-csv, .html, "
        + ".svg, .hgrm, .wrk, .published, .aa, .junit, .bencher, .github-action-benchmark, .prometheus, .speedscope", "-o", "a.png")]
    [InlineData("-o run: the extension decides the format, but the file has no extension: write .json for the results file, which "
        + "report, compare and --resume read, or for a report one of "
        + ".txt, .md, .htm, .xml, .prom, .text, .markdown, .csv, .wide-csv, .runs-csv, .html, .svg, "
        + ".hgrm, .wrk, .published, .aa, .junit, .bencher, .github-action-benchmark, .prometheus, .speedscope", "-o", "run")]
    [InlineData("--client: there is no client 'curl': write wire or grpc-dotnet", "--client", "curl")]
    [InlineData("--mode 'sideways' is unknown: write one of unary, upload, ping-pong, push, pull", "--mode", "sideways")]
    [InlineData("--mode 'upload,upload' names the same value twice", "--mode", "upload,upload")]
    [InlineData("--messages is for streams: add --mode ping-pong, push or pull", "--messages", "5")]
    [InlineData("--arrivals poisson does not fit --mode pull, where the server sends at equal intervals: leave out one of the two",
        "--mode", "pull", "-R", "1k", "--arrivals", "poisson")]
    [InlineData("--chunk cuts the payloads of --mode pull: add --mode pull, or leave out --chunk", "--chunk", "64k", "--mode", "push")]
    [InlineData("--messages must be at least 1", "--messages", "0", "--mode", "ping-pong")]
    [InlineData(
        "--connect-per-call opens a connection for each call, but calls of --mode ping-pong share a stream: leave out one of the two",
        "--mode", "ping-pong", "--connect-per-call")]
    [InlineData("--server-pids is for a server that listens, but stdio starts a process for each connection: leave out --server-pids",
        "-U", "stdio:cat", "--server-pids", "1")]
    [InlineData("--sni is for TLS, but no address has TLS: leave out --sni", "-U", "http://localhost:1", "--sni", "x")]
    [InlineData("--slice lets cells take turns, but with -n each cell is measured in one window: leave out one of the two",
        "--slice", "20ms", "-n", "100")]
    [InlineData("--slice lets cells take turns, but with -R each cell is measured in one window: leave out one of the two",
        "--slice", "20ms", "-R", "100")]
    [InlineData("--crank prints crank's block and no report: leave out --format",
        "--crank", "--format", "json", "-U", "http://localhost:1", "-s", "10")]
    [InlineData("--nagle changes nothing over unix, pipe: measure tcp too, or leave out --nagle",
        "--nagle", "off,on", "--transports", "unix,pipe")]
    [InlineData("--socket-buffer changes nothing over stdio: measure tcp too, or leave out --socket-buffer",
        "--socket-buffer", "64k", "-U", "stdio:cat")]
    [InlineData("--eager-receive changes nothing for the server's sockets 'loop': write --sockets dotnet, or leave out --eager-receive",
        "--eager-receive", "on", "--sockets", "loop")]
    [InlineData("--socket-buffer '1023' must be between 1024 and 1073741824", "--socket-buffer", "1023")]
    [InlineData("--io-queues '1025' must be between 0 and 1024", "--io-queues", "1025")]
    [InlineData("--nagle 'maybe' is unknown: write one of on, off", "--nagle", "maybe")]
    [InlineData("--client-sockets 'bare' is unknown: write one of dotnet, loop", "--client-sockets", "bare")]
    public void Impossible_options_are_rejected_with_one_sentence(string sentence, params string[] arguments) =>
        Assert.Equal(sentence, Refused(arguments));

    [Theory]
    [InlineData("-U", "stdio:cat", "-U", "http://localhost:1", "--server-pids", "none")]
    [InlineData("--eager-receive", "on", "--sockets", "dotnet,loop")]
    [InlineData("--inline", "on", "--sockets", "loop")]
    [InlineData("--nagle", "on")]
    [InlineData("--nagle", "off", "--transports", "unix")]
    [InlineData("--slice", "0", "-n", "100")]
    public void Options_that_change_one_of_the_measured_arms_are_accepted(params string[] arguments) =>
        Assert.NotEmpty(Read(arguments).Variants);

    [Fact]
    public void Rates_and_shares_have_different_names_if_they_differ()
    {
        var loads = Read("--my-rate", "0.001,0.002,5k,1.1k", "--load", "0.001%,0.002%,33.3%").Loads;
        Assert.Equal(["0.001/s", "0.002/s", "5000/s", "1100/s", "0.001%", "0.002%", "33.3%"],
            loads.OrderBy(load => load.Option == "--load").Select(load => load.Name));
    }

    [Fact]
    public void The_error_of_an_unknown_transport_lists_those_of_this_system() => Assert.Equal(
        "--transports: there is no transport 'carrier-pigeon': write one of tcp, tls, unix, pipe, "
            + (OperatingSystem.IsLinux() ? "socketpair, stdio, shm" : "stdio, shm"),
        Refused("--transports", "carrier-pigeon"));

    [Fact]
    public void The_error_of_an_unreadable_authority_names_its_file() =>
        Assert.Equal(
            $"--cacert '/no/such/file.pem' cannot be used: {Record.Exception(() => File.ReadAllText("/no/such/file.pem"))!.Message}",
            Refused("--cacert", "/no/such/file.pem"));

    [Fact]
    public void The_option_client_sockets_needs_the_client_grpc_dotnet_and_epoll()
    {
        if (!OperatingSystem.IsLinux())
        {
            Assert.Equal("--client-sockets loop needs Linux's epoll, which this system does not have: leave out --client-sockets, or "
                + "write dotnet",
                Refused("--client-sockets", "loop"));
            return;
        }
        const string why = "--client-sockets needs --client grpc-dotnet: the option changes nothing for the client wire";
        Assert.Equal(why, Refused("--client-sockets", "loop"));
        Assert.Equal(why, Refused("--client-sockets", "dotnet,loop"));
        Assert.Equal(why, Refused("--client-sockets", "loop", "--client", "wire,grpc-dotnet"));
        var options = Read("--client-sockets", "dotnet,loop", "--client", "grpc-dotnet");
        var plan = new BenchPlan(options, [.. options.Variants.Select(variant => new Target(new Address.Tcp("localhost", 1), variant))]);
        Assert.Equal([false, true], plan.Cells.Select(cell => cell.Load.OnLoops).Distinct());
    }

    [Theory]
    [InlineData("1024")]
    [InlineData("64KiB,64MiB")]
    public void A_receive_window_that_grpc_dotnet_does_not_take_is_refused(string windows)
    {
        Assert.Equal("--http2-window: the client grpc-dotnet takes 65535 bytes to 16MiB, so write --client wire for other values",
            Refused("--http2-window", windows, "--client", "wire,grpc-dotnet"));
        Assert.NotEmpty(Read("--http2-window", windows, "--client", "wire").Variants);
    }

    [Fact]
    public void Every_knob_is_an_option()
    {
        var options = Read("--socket-buffer", "256k", "--nagle", "on", "--http2-window", "64KiB", "--backlog", "100", "--io-queues", "2",
            "--inline", "on", "--eager-receive", "on", "--server-gc", "workstation", "--work", "30us", "--server-window", "128KiB",
            "--server-build", "aot");
        var knobs = options.Variants.Single().Knobs;
        Assert.Equal(
            new Knobs
            {
                SocketBuffer = 256_000,
                Nagle = true,
                Http2Window = 65_536,
                ServerWindow = 131_072,
                Backlog = 100,
                IoQueues = 2,
                Inline = true,
                EagerReceive = true,
                ServerGc = "workstation",
                ServerBuild = "aot",
                Work = TimeSpan.FromMicroseconds(30),
            },
            knobs);
        Assert.Equal(
            (false, 256_000), (knobs.Connector(options.Connector).NoDelay, knobs.Connector(options.Connector).SocketBuffer!.Value));
    }

    [Fact]
    public void The_completion_for_shells_lists_the_values_of_every_option_with_few_values()
    {
        var command = CommandTree.Create([]);
        string[] Completed(string line) =>
            [.. command.Parse(line).GetCompletions(line.Length).Select(item => item.Label).Where(label => label[0] != '-')];
        foreach (var knob in Knob.All)
        {
            var refusal = Assert.Throws<UsageException>(() => knob.Apply(new Knobs(), "no such word")).Message;
            var words = refusal.Split(" is unknown: write one of ") is [_, var list] ? list.Split(", ") : [];
            Assert.Equal(words.Order(), Completed($"{(knob.Transport is null ? "" : "echo ")}{knob.Option} ").Order());
        }
        foreach (var (line, word) in new[] { ("--client ", "grpc-dotnet"), ("http --method ", "HEAD"), ("-r ", "auto"),
            ("--server-pids ", "none"), ("--connect-per-call ", "both"), ("--reference ", "unix"), ("sweep --vary ", "stack="),
            ("report --plot ", "objective"), ("compare --format ", "json"), ("echo --sockets ", "bare"), ("completion ", "fish") })
            Assert.Contains(word, Completed(line));
    }

    [Theory]
    [InlineData("--protocol is for a server that this tool starts: leave out -U, or leave out --protocol", "-U", "unix:/tmp/x")]
    [InlineData("--client grpc-dotnet speaks gRPC alone: leave out --client, or leave out --protocol", "--client", "wire,grpc-dotnet")]
    [InlineData("--mode push is a kind of gRPC call: leave out --mode, or leave out --protocol", "--mode", "unary,push")]
    public void The_option_protocol_is_refused_where_only_gRPC_can_be_measured(string sentence, params string[] more) =>
        Assert.Equal(sentence, Refused(["--protocol", "grpc,jsonrpc", .. more]));

    [Theory]
    [InlineData("--http2-window", "64KiB,1MiB")]
    [InlineData("--server-window", "128KiB")]
    [InlineData("--stack", "built-in")]
    public void A_setting_of_HTTP_2_is_refused_if_only_JSON_RPC_is_measured(string option, string value)
    {
        Assert.Equal($"{option} changes nothing for JSON-RPC: add grpc to --protocol, or leave the setting out",
            Refused("--protocol", "jsonrpc,jsonrpc-lsp", option, value));
        Assert.NotEmpty(Read("--protocol", "grpc,jsonrpc", option, value).Variants);
    }

    [Fact]
    public void Children_and_JSON_RPC_have_one_connection_by_default_and_no_shapes()
    {
        var read = Typed.Read(Preset.Main, "--protocol", "jsonrpc", "--transports", "tcp,unix");
        Assert.Equal((1, 1, 0), (read.Topologies.Single().Connections, read.Topologies.Single().Streams, read.Shapes.Count));
        read = Typed.Read(Preset.Main, "--transports", "unix,stdio");
        Assert.Equal((1, 1, 0), (read.Topologies.Single().Connections, read.Topologies.Single().Streams, read.Shapes.Count));
        Assert.True(Typed.Read(Preset.Main, "-r", "auto", "--transports", "unix", "--protocol", "grpc,jsonrpc").RoundsAuto);
        Assert.Equal(BenchPlan.OneCell,
            Refused("--crank", "--transports", "unix", "--protocol", "grpc,jsonrpc", "-s", "10"));
        Assert.Equal("--protocol 'json' is unknown: write one of grpc, jsonrpc, jsonrpc-lsp", Refused("--protocol", "json"));
    }

    private static string Refused(params string[] arguments) => Typed.Refused(Preset.Main, arguments);

    private static RunOptions Read(params string[] arguments) => Typed.Read(Preset.Main, arguments);
}
