using System.CommandLine;
using IpcBench.Client.Plan;

namespace IpcBench.Client.Cli;

/// <summary><c>article</c>: gRPC as the 2023 article measured it, beside what it meant to measure, in one interleaved run.</summary>
internal static class ArticleCommand
{
    /// <summary>What the article ran, and what it says it ran.</summary>
    private static readonly IReadOnlyList<Topology> Topologies = [new(5, 80), new(400, 1)];

    public static Command Create(IReadOnlyList<string> commandLine)
    {
        var options = new RunCommandOptions();
        var command = new Command("article",
            "gRPC as a 2023 article measured it (5 connections of 80 streams, TLS on TCP alone) beside the same in plaintext and with 400 connections: "
            + "which part of its 15 % and 50 % is the transport? About 18 minutes; --quick 3.");
        options.Quick.Description = "a first answer within three minutes: 6 rounds of 1s, sizes 10,1M";
        options.Duration.Description = "measured time of one cell: 500ms, 20s, 2m (default: 2s)";
        options.Rounds.Description = "rounds of every cell, or auto: until every verdict is decided (default: 7)";
        options.Warmup.Description = "load before every measurement that is thrown away (default: 1s)";
        RunCommand.AddTo(command, options, Fitting(options), (typed, read) => Shape(read, typed.GetValue(options.Sizes) is not null, typed.GetValue(options.Quick)), commandLine);
        return command;
    }

    /// <summary>The article's cells in place of the main command's.</summary>
    internal static RunOptions Shape(RunOptions read, bool sizesTyped, bool quick) => read with
    {
        Scenario = "article",
        Transports = ["tcp", "tls", "unix", "pipe"],
        Topologies = Topologies,
        Sizes = quick && !sizesTyped ? [10, 1_000_000] : read.Sizes,
        Threads = read.Threads <= Topologies[0].Connections
            ? read.Threads
            : throw new UsageException($"-t {read.Threads} needs at least as many connections, and the article has {Topologies[0].Connections}: a connection lives on one thread"),
    };

    // Whose server, how many connections and which load the article decides.
    private static IEnumerable<Option> Fitting(RunCommandOptions options)
    {
        Option[] decided =
        [
            options.Url, options.Transports, options.Connections, options.Streams, options.Rate, options.Arrivals, options.Load, options.AgainstItself,
            options.Insecure, options.CaCert, options.Crank,
        ];
        return options.All.Except(decided);
    }
}
