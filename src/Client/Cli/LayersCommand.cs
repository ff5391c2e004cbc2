using System.CommandLine;
using IpcBench.Client.Callers;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Cli;

/// <summary><c>layers</c>: raw echo, bare HTTP/2 and gRPC on the same transports in one interleaved run, so that a call can be taken apart.</summary>
internal static class LayersCommand
{
    public const string Examples = """
        Examples:
          GrpcBench layers --quick                    TCP, Unix socket and pipe, 10 B and 10 kB
          GrpcBench layers --transports tcp,tls,unix  what encryption adds, and to which layer
          GrpcBench report results/….json --plot layers --format svg -o layers.svg

        """;

    public static Command Create(IReadOnlyList<string> commandLine)
    {
        var options = new RunCommandOptions();
        var command = new Command("layers",
            "Which part of a gRPC call is the transport at all? Raw echo, bare HTTP/2 and gRPC on each transport, and what each layer adds. About 7 minutes; --quick 2.");
        RunCommand.AddTo(
            command, options, Fitting(options),
            (typed, read) => Shape(read, option => typed.GetValue(option) is not null, options, typed.GetValue(options.Quick)), commandLine);
        return command;
    }

    /// <summary>The defaults of the layers in place of the main command's.</summary>
    internal static RunOptions Shape(RunOptions read, Func<Option<string>, bool> isTyped, RunCommandOptions options, bool quick)
    {
        var topologies = isTyped(options.Connections) ? read.Topologies : Topology.All([1], [.. read.Topologies.Select(topology => topology.Streams).Distinct()]);
        var asked = read with
        {
            Scenario = "layers",
            Protocols = [Catalogue.Echo, Catalogue.Http2, Catalogue.Grpc],
            Topologies = topologies,
            Threads = EchoCommand.ThreadsOf(read, isTyped(options.Threads), topologies),
            Sizes = isTyped(options.Sizes) ? read.Sizes : [10, 10_000],
            Duration = quick && !isTyped(options.Duration) ? TimeSpan.FromMilliseconds(500) : read.Duration,
            Calibrate = false,
        };
        EchoCommand.CheckSizes(asked);
        return asked;
    }

    // One client, closed loop, servers of our own: the layers are parts of the same calls on the same endpoints.
    private static IEnumerable<Option> Fitting(RunCommandOptions options)
    {
        options.Sizes.Description = "payload sizes (default: 10,10k)";
        options.Connections.Description = "connections (default: 1)";
        options.Duration.Description = "measured time of one cell (default: 2s)";
        options.Rounds.Description = "rounds of every cell, or auto: until every verdict is decided (default: 7)";
        options.Warmup.Description = "load before every measurement that is thrown away (default: 1s)";
        options.Quick.Description = "a first answer within two minutes: 6 rounds of 500ms";
        Option[] foreign = [options.Url, options.Calls, options.Client, options.NoCalibration, options.Crank, options.Rate, options.Arrivals, options.Load, options.AgainstItself, options.Insecure, options.CaCert];
        return options.All.Except(foreign);
    }
}
