using System.CommandLine;
using IpcBench.Analysis.Renderers;
using IpcBench.Client.Loads;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Transports;

namespace IpcBench.Client.Cli;

/// <summary>The options of all commands that measure. Their letters are the same as in wrk, wrk2 and h2load.</summary>
/// <param name="preset">The command's defaults and help texts. The command may lack some options.</param>
internal sealed class RunCommandOptions(Preset preset)
{
    public Preset Preset => preset;

    public Option<string[]> Url { get; } = new("-U", "--url")
    {
        HelpName = "URL",
        Description = preset.Help("-U",
            "server to measure, repeatable: http://host:port, https://host:port, unix:/path, unix-abstract:name (Linux), pipe:/name; "
            + "without -U: start one and compare its transports"),
    };

    public Option<string> Transports { get; } = CompletionCommand.Suggesting(Text("--transports", "LIST",
        preset.Help("--transports", $"transports of the started server: {string.Join(", ", Address.Own.Keys)}", preset.Transports)),
        [.. Address.Own.Keys, "tcp,unix,pipe"]);

    public Option<string> Sizes { get; } = Text("-s", "LIST",
        preset.Help("-s", "payload sizes: 10,1k,1M; k and M are decimal, KiB and MiB binary", preset.Sizes), "--sizes");

    public Option<string> Connections { get; } = Text("-c", "LIST",
        preset.Shapes.Count == 0 ? preset.Help("-c", "connections, really opened", preset.Connections)
            : $"connections, really opened (default: those of --shape, else {preset.Connections})", "--connections");

    public Option<string> Shape { get; } = CompletionCommand.Suggesting(Text("--shape", "LIST",
        "loads in place of -c and -m: " + string.Join(", ", Plan.Shape.All.Select(shape => shape.Name))
            + " (default: all)"),
        [.. Plan.Shape.All.Select(shape => shape.Name)]);

    public Option<string> Threads { get; } = Text("-t", "N",
        $"threads that run completions (default: {preset.Threads}, fewer when there are fewer connections)", "--threads");

    public Option<string> Streams { get; } = Text("-m", "LIST",
        preset.Help("-m", "concurrent calls of one connection", preset.Streams), "--streams");

    public Option<string> Duration { get; } = Text("-d", "TIME",
        preset.Help("-d", "measured time of a cell: 500ms, 2m", preset.Calls is null ? preset.Duration : null), "--duration");

    public Option<string> Slice { get; } = Text("--slice", "TIME",
        preset.Help("--slice", "cells that are compared take turns of this length; 0: one after the other", preset.Slice));

    public Option<string> Calls { get; } = Text("-n", "COUNT",
        preset.Help("-n", "calls per measurement instead of a time", preset.Calls), "--calls");

    public Option<string> ConnectPerCall { get; } = CompletionCommand.Suggesting(new Option<string>("--connect-per-call")
    {
        HelpName = "both",
        Description = "open a connection for every call and close it afterwards, as part of the call; "
            + "both: compare that with connections that stay open",
        Arity = ArgumentArity.ZeroOrOne,
    }, "both");

    public Option<string> Rounds { get; } = CompletionCommand.Suggesting(Text("-r", "N",
        preset.Help("-r", "rounds of every cell, or auto: until every comparison is decided",
            preset.Rounds), "--rounds"), "auto");

    public Option<bool> Quick { get; } = Flag("--quick", preset.QuickHelp);
    public Option<string> Warmup { get; } = Text("--warmup", "TIME", preset.WarmupHelp);

    public Option<string> Timeout { get; } = Text("--timeout", "TIME",
        preset.Help("--timeout", "a call that takes longer is cut off", preset.Timeout));

    public Option<string> Seed { get; } = Text("--seed", "N", "order of the cells in each round (default: random, printed)");
    public Option<string> Rate { get; } = Text("-R", "RATE", "open loop: calls per second over all connections, e.g. 20k", "--rate");
    public Option<string> Arrivals { get; } = CompletionCommand.Suggesting(
        Text("--arrivals", "KIND", "spacing of an open loop: constant (default) or poisson"), "constant", "poisson");

    /// <summary>One option for each entry of the table.</summary>
    public IReadOnlyList<(LoadOption Load, Option<string> Option)> Loads { get; } =
        [.. LoadTable.All.Select(load => (load, Text(load.Option, load.Value, load.Help)))];

    public Option<string> Client { get; } = CompletionCommand.Suggesting(Text("--client", "LIST",
        $"client implementations to compare: {preset.Client} (default), grpc-dotnet where it is built in"),
        ProtocolTable.Wire, ProtocolTable.GrpcDotnet);

    public Option<string> Mode { get; } = CompletionCommand.Suggesting(Text("--mode", "LIST",
        "what a call is: unary (default), upload, ping-pong, push, pull"),
        [.. CallMode.All, "unary,upload"]);

    public Option<string> Messages { get; } = Text("--messages", "COUNT",
        "with --mode ping-pong, push, pull, or --call of a method that takes a stream: messages per stream, after which a new stream is "
            + "opened (default: one stream as long as the load)");

    public Option<string> Chunk { get; } = Text("--chunk", "LIST",
        "with --mode pull: cut each payload into messages of this size, e.g. 64KiB; 0,64KiB: compare uncut and cut");

    public Option<string> Reference { get; } = CompletionCommand.Suggesting(
        Text("--reference", "ARM", $"the arm that ratios refer to (default: {ReferenceArm.Usual})"), [.. Address.Own.Keys]);

    public Option<string> Delta { get; } = Text("--delta", "SHARE",
        preset.Help("--delta", "a difference smaller than this does not matter", preset.Delta), "--ignore-below");

    public Option<string> MaxTime { get; } = Text("--max-time", "TIME",
        preset.Help("--max-time", "start no round that would end later")
            + (preset.Shapes.Count > 0 ? $" (default: {preset.MaxTime} with -r auto, {preset.QuickLimit} with --quick)"
                : $" (default: {preset.MaxTime} with -r auto)"));

    /// <summary>The option --resume. Only the main command has it, since the file knows its command.</summary>
    public Option<string> Resume { get; } = Text("--resume", "FILE",
        $"add rounds to a saved run: -r +N (default: {Cli.Resume.Usual}); plan and options are read from the file, which is "
            + "extended; intervals are corrected for the additional look, as with --rounds auto");

    public Option<bool> AgainstItself { get; } = new("--aa", "--against-itself")
    {
        Description = "measure the reference twice, as two endpoints: does the method find a difference where there is none?",
    };

    public Option<string> ClientCpus { get; } = Text("--client-cpus", "SET", "CPUs of the client: 2-3 (default: free)");
    public Option<string> ServerCpus { get; } = Text("--server-cpus", "SET", "CPUs of the started server: 0-1 (default: free)");

    public Option<string> ServerPids { get; } = CompletionCommand.Suggesting(Text("--server-pids", "LIST",
        "processes whose CPU time, with their descendants', counts as the server's with -U, e.g. 12,34 "
            + "(default: the process that listens there); none: no process"), "none");

    public Option<string[]> Watch { get; } = new("--watch")
    {
        HelpName = "NAME=ADDRESS",
        Description = "count the connections of this listening endpoint by state while it runs, repeatable (Linux)",
    };

    public Option<bool> Insecure { get; } = Flag("--insecure", "accept any TLS certificate (implied for loopback)");
    public Option<string> CaCert { get; } = Text("--cacert", "FILE", "PEM file of the authority behind a TLS server's certificate");
    public Option<string> Cert { get; } = Text("--cert", "FILE", "PEM file of the client's certificate, for TLS servers that ask for one");
    public Option<string> Key { get; } = Text("--key", "FILE", "PEM file of its private key (default: in --cert)");

    public Option<string> Sni { get; } = Text("--sni", "NAME",
        "name that a TLS server's certificate must have (default: the host of its address)");

    public Option<string[]> Output { get; } = new("-o", "--output")
    {
        HelpName = "FILE",
        Description = "results file (.json), or a report by its extension (.html, .md, .csv …), repeatable "
            + "(default: a new file in results/)",
    };

    public Option<string> Label { get; } = Text("--label", "TEXT", "part of the results file's name");
    public Option<bool> NoSave { get; } = Flag("--no-save", "do not save a results file");

    public Option<string> Format { get; } = CompletionCommand.Suggesting(Text("--format", "FORMAT",
        "print only this report on stdout: " + string.Join(", ", Reports.All.Select(report => report.Format))),
        [.. Reports.All.Select(report => report.Format)]);

    public Option<bool> Verbose { get; } = new("-v", "--verbose")
    {
        Description = "every round, all tables, and what to do about doubts",
    };

    public Option<bool> Crank { get; } = Flag("--crank", "for dotnet/crank: print its statistics block and nothing else");

    /// <summary>One option for each knob of the table.</summary>
    public IReadOnlyList<(Knob Knob, Option<string> Option)> Knobs { get; } =
        [.. Knob.All.Select(knob => (knob, CompletionCommand.Suggesting(
            Text(knob.Option, "VALUE", preset.Help(knob.Option, knob.Help)), [.. knob.Values])))];

    /// <summary>The options of the command, in the order of its help.</summary>
    public IEnumerable<Option> Offered => All.Where(option => !preset.NotOffered.Contains(option.Name)
        && (option != Shape || preset.Shapes.Count > 0));

    private IEnumerable<Option> All =>
    [
        Url, Transports, Sizes, Shape, Connections, Threads, Streams, Duration, Slice, Calls, ConnectPerCall, Rounds, Quick, Warmup,
        Timeout, Seed,
        Rate, Arrivals, .. Loads.Select(load => load.Option), Client, Mode, Messages, Chunk, Reference, Delta, MaxTime, AgainstItself,
        ClientCpus, ServerCpus, ServerPids, Watch, Insecure, CaCert, Cert, Key, Sni, Output, Label, NoSave, Format, Verbose, Crank,
        .. Knobs.Select(knob => knob.Option),
    ];

    private static Option<string> Text(string name, string value, string help, params string[] aliases) =>
        new(name, aliases) { HelpName = value, Description = help };

    private static Option<bool> Flag(string name, string help) => new(name) { Description = help };
}
