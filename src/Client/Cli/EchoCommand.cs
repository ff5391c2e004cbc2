using System.CommandLine;
using System.Globalization;
using IpcBench.Client.Callers;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Cli;

/// <summary><c>echo</c>: packets out and back with no protocol at all, as the oldest published comparison of local transports has it.</summary>
internal static class EchoCommand
{
    public const string Examples = """
        Examples:
          GrpcBench echo                              what was published in 2014: 15 sizes, 100,000 packets each, 10 rounds (a quarter of an hour or more)
          GrpcBench echo --quick                      a first answer
          GrpcBench echo -s 64 -c 1,64 -m 1,16        more than one packet out at a time
          GrpcBench echo -U tcp://127.0.0.1:7 -n 10k  somebody else's echo
          GrpcBench echo --format wide-csv            transport, size and milliseconds of every run

        """;

    // All packets that may be out at a time, in both directions' buffers.
    private const long MostBytesOut = 1L << 30;

    private static readonly TimeSpan FewCallsWarmup = TimeSpan.FromMilliseconds(50), UsualWarmup = TimeSpan.FromMilliseconds(200);

    public static Command Create(IReadOnlyList<string> commandLine)
    {
        var options = new RunCommandOptions();
        var command = new Command("echo", "Ping-pong without any protocol: every packet comes back and is compared. Ends with the time of a round trip and its ratio to TCP.");
        RunCommand.AddTo(
            command, options, Fitting(options),
            (typed, read) => Shape(read, option => typed.GetValue(option) is not null, options, typed.GetValue(options.Quick)), commandLine);
        return command;
    }

    /// <summary>The defaults of an echo in place of the main command's.</summary>
    internal static RunOptions Shape(RunOptions read, Func<Option<string>, bool> isTyped, RunCommandOptions options, bool quick)
    {
        var topologies = isTyped(options.Connections) ? read.Topologies : Topology.All([1], [.. read.Topologies.Select(topology => topology.Streams).Distinct()]);
        var count = read.Calls ?? (isTyped(options.Duration) ? (long?)null : quick ? 10_000 : 100_000);
        var asked = read with
        {
            Scenario = "echo",
            Protocols = [Catalogue.Echo],
            Topologies = topologies,
            Threads = ThreadsOf(read, isTyped(options.Threads), topologies),
            Sizes = isTyped(options.Sizes) ? read.Sizes : quick ? [1, 64, 1024, 16384] : [.. Enumerable.Range(0, 15).Select(power => 1L << power)],
            Calls = count,
            Rounds = isTyped(options.Rounds) || quick ? read.Rounds : 10,
            Warmup = isTyped(options.Warmup) ? read.Warmup : count < 10_000 ? FewCallsWarmup : UsualWarmup,
            Calibrate = false,
        };
        CheckSizes(asked);
        return asked;
    }

    internal static int ThreadsOf(RunOptions read, bool typed, IReadOnlyList<Topology> topologies)
    {
        var fewest = topologies.Min(topology => topology.Connections);
        return typed && read.Threads > fewest
            ? throw new UsageException($"-t {read.Threads} needs at least as many connections, and -c has {fewest}: a connection lives on one thread")
            : Math.Min(read.Threads, fewest);
    }

    /// <summary>Packets that can come back: at least a byte each, and no more at a time than fit the memory.</summary>
    /// <exception cref="UsageException">They cannot.</exception>
    internal static void CheckSizes(RunOptions asked)
    {
        if (asked.Sizes.Min() < 1)
            throw new UsageException("-s 0 has nothing to send back: a packet has at least one byte");
        var most = asked.Topologies.Max(topology => (long)topology.Connections * topology.Streams);
        if (asked.Sizes.Max() > MostBytesOut / most)
        {
            throw new UsageException(string.Create(CultureInfo.InvariantCulture,
                $"-s {asked.Sizes.Max()} with {most} packets out at a time would fill the memory: all of them together may have 1 GiB"));
        }
    }

    // gRPC's own settings mean nothing here, and there is one client.
    private static IEnumerable<Option> Fitting(RunCommandOptions options)
    {
        options.Url.Description = "echo server to measure, repeatable: tcp://host:port, https://host:port, unix:/path, unix-abstract:name (Linux), pipe:/name; none: start one and compare its transports";
        options.Sizes.Description = "bytes of a packet (default: 1,2,4,…,16384)";
        options.Connections.Description = "connections (default: 1)";
        options.Threads.Description = "threads that run completions (default: 5, fewer when there are fewer connections)";
        options.Streams.Description = "packets out at a time on one connection (default: 1)";
        options.Calls.Description = "packets of one measurement (default: 100k)";
        options.Duration.Description = "measured time of one cell instead of a number of packets: 500ms, 20s";
        options.Rounds.Description = "rounds of every cell, or auto: until every verdict is decided (default: 10)";
        options.Warmup.Description = "load before every measurement that is thrown away (default: 200ms, or 50ms for fewer than 10,000 packets)";
        options.Quick.Description = "a first answer within a minute: 6 rounds of 10,000 packets, sizes 1,64,1024,16384";
        var foreign = options.Knobs.Where(one => one.Knob.Name is "http2-window" or "stack").Select(one => one.Option);
        return options.All.Except([options.Client, options.NoCalibration, options.Crank, .. foreign]);
    }
}
