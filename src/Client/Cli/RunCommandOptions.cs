using System.CommandLine;
using IpcBench.Analysis.Renderers;
using IpcBench.Client.Loads;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;

namespace IpcBench.Client.Cli;

/// <summary>The options of all commands that measure. -c, -d, -t, -R, -m and -n mean the same as in wrk, wrk2 or h2load.</summary>
/// <param name="preset">The command's defaults and help texts, and the options that the command does not offer.</param>
/// <param name="list">Receives the options, in the order of the help.</param>
internal sealed class RunCommandOptions(Preset preset, OptionList list)
{
    public RunCommandOptions(Preset preset)
        : this(preset, new OptionList())
    {
    }

    public Preset Preset => preset;

    public Option<string[]> Url { get; } = list.Many(HelpPlace.What, "-U", "URL",
        preset.Help("-U",
            "server to measure, repeatable: http://host:port, https://host:port, unix:/path, unix-abstract:name (Linux), pipe:/name, "
            + "'stdio:COMMAND'; without -U: start a server and compare its transports"), "--url");

    public Option<string> Sizes { get; } = list.Text(HelpPlace.What, "-s", "LIST",
        preset.Help("-s", "payload sizes: 10,1k,1M; k and M are decimal, KiB and MiB binary")
            + $" (default: {(preset.Shapes.Count > 0 ? "those of --shape, else " : "")}{preset.Sizes})", "--sizes");

    public Option<string> Shape { get; } = CompletionCommand.Suggesting(list.Text(HelpPlace.What, "--shape", "LIST",
        "loads instead of -c and -m: " + string.Join(", ", Plan.Shape.All.Select(shape => shape.Name))
            + " (default: all)"),
        [.. Plan.Shape.All.Select(shape => shape.Name)]);

    public Option<string> Connections { get; } = list.Text(HelpPlace.What, "-c", "LIST",
        preset.Shapes.Count == 0 ? preset.Help("-c", "number of open connections", preset.Connections)
            : $"number of open connections (default: those of --shape, else {preset.Connections})", "--connections");

    public Option<string> Streams { get; } = list.Text(HelpPlace.What, "-m", "LIST",
        preset.Shapes.Count == 0 ? preset.Help("-m", "concurrent calls on each connection", preset.Streams)
            : $"concurrent calls on each connection (default: those of --shape, else {preset.Streams})", "--streams");

    public Option<string> Mode { get; } = CompletionCommand.Suggesting(list.Text(HelpPlace.What, "--mode", "LIST",
        "what a call is: unary (default), upload, ping-pong, push, pull"),
        [.. CallMode.All, "unary,upload"]);

    public Option<string> Protocol { get; } = CompletionCommand.Suggesting(
        list.Text(HelpPlace.What.Rarely, "--protocol", "LIST",
        "protocols of the started server to compare: grpc (default), jsonrpc (one JSON message per line, as in MCP), "
            + "jsonrpc-lsp (with Content-Length, as in LSP)"),
        [.. ProtocolTable.OfMain, "grpc,jsonrpc"]);

    public Option<string> Messages { get; } = list.Text(HelpPlace.What.Rarely, "--messages", "COUNT",
        "messages per stream; then a new stream is opened (default: one stream for the whole load); for --mode ping-pong, push "
            + "and pull, and for --call of a method that takes a stream");

    public Option<string> Chunk { get; } = list.Text(HelpPlace.What.Rarely, "--chunk", "LIST",
        "with --mode pull: cut each payload into messages of this size, e.g. 64KiB; 0,64KiB: compare whole and cut payloads");

    public Option<string> Client { get; } = CompletionCommand.Suggesting(
        list.Text(HelpPlace.What.Rarely, "--client", "LIST",
        $"client implementations to compare: {preset.Client} (default), grpc-dotnet"),
        ProtocolTable.Wire, ProtocolTable.GrpcDotnet);

    public Option<string> Reference { get; } = CompletionCommand.Suggesting(
        list.Text(HelpPlace.What.Rarely, "--reference", "ARM",
        $"compare the other arms with this arm (default: {ReferenceArm.Usual})"), [.. preset.OfferedTransports]);

    public Option<string> Delta { get; } = list.Text(HelpPlace.What.Rarely, "--delta", "SHARE",
        preset.Help("--delta", "a difference smaller than this does not matter", preset.Delta), "--ignore-below");

    public Option<string> ConnectPerCall { get; } = CompletionCommand.Suggesting(
        list.OptionalText(HelpPlace.What.Rarely, "--connect-per-call", "both",
            "open and close a connection for every call, as part of the call; "
                + "both: compare with connections that stay open"), "both");

    public Option<string> CaCert { get; } = list.Text(HelpPlace.What.Rarely, "--cacert", "FILE",
        "PEM file of the authority that issued the server's certificate");
    public Option<bool> Insecure { get; } = list.Flag(HelpPlace.What.Rarely, "--insecure",
        "accept any TLS certificate (implied for loopback)");
    public Option<string> Cert { get; } = list.Text(HelpPlace.What.Rarely, "--cert", "FILE",
        "PEM file of the client's certificate, for TLS servers that ask for one");
    public Option<string> Key { get; } = list.Text(HelpPlace.What.Rarely, "--key", "FILE",
        "PEM file of the private key of --cert (default: the file of --cert)");

    public Option<string> Sni { get; } = list.Text(HelpPlace.What.Rarely, "--sni", "NAME",
        "name that the certificate of a TLS server must have (default: the host of the address)");

    public Option<bool> Quick { get; } = list.Flag(HelpPlace.Time, "--quick", preset.QuickHelp);

    public Option<string> Duration { get; } = list.Text(HelpPlace.Time, "-d", "TIME",
        preset.Calls is null ? preset.Help("-d", "measured time per cell", preset.ShapeDuration, preset.Duration)
            : preset.Help("-d", "measured time per cell"), "--duration");

    public Option<string> Rounds { get; } = CompletionCommand.Suggesting(list.Text(HelpPlace.Time, "-r", "N",
        preset.Help("-r", "rounds of every cell; auto: measure until every comparison is decided",
            preset.ShapeRounds, preset.Rounds), "--rounds"), "auto");

    public Option<string> Slice { get; } = list.Text(HelpPlace.Time.Rarely, "--slice", "TIME",
        preset.Help("--slice", "compared cells take turns of this length; 0: no turns", preset.Slice));

    public Option<string> Calls { get; } = list.Text(HelpPlace.Time.Rarely, "-n", "COUNT",
        preset.Help("-n", "calls per measurement instead of a time", preset.Calls), "--calls");

    public Option<string> Warmup { get; } = list.Text(HelpPlace.Time.Rarely, "--warmup", "TIME", preset.WarmupHelp);

    public Option<string> Timeout { get; } = list.Text(HelpPlace.Time.Rarely, "--timeout", "TIME",
        preset.Help("--timeout", "a call that takes longer is cut off", preset.Timeout));

    public Option<string> MaxTime { get; } = list.Text(HelpPlace.Time.Rarely, "--max-time", "TIME",
        preset.Help("--max-time", "start no round that would end after this time, except the first at each kind of load")
            + (preset.Shapes.Count > 0 ? $" (default: {preset.MaxTime} with -r auto, {preset.QuickLimit} with --quick)"
                : $" (default: {preset.MaxTime} with -r auto)"));

    /// <summary>
    /// The option --resume. Only the main command has this option, since the results file names the command of the saved run.
    /// </summary>
    public Option<string> Resume { get; } = list.Text(HelpPlace.Time.Rarely, "--resume", "FILE",
        $"add rounds to the run in this file: -r +N (default: {Cli.Resume.Usual}); the other options come from the file; the intervals "
            + "are corrected for the additional look at the results, as with --rounds auto");

    public Option<string> Seed { get; } = list.Text(HelpPlace.Time.Rarely, "--seed", "N",
        "order of the cells in each round (default: random, printed)");
    public Option<string> Rate { get; } = list.Text(HelpPlace.Load, "-R", "RATE",
        "open loop: calls per second over all connections, e.g. 20k", "--rate");

    /// <summary>One option for each entry of <see cref="LoadTable.All"/>.</summary>
    public IReadOnlyList<(LoadOption Load, Option<string> Option)> Loads { get; } =
        [.. LoadTable.All.Select(load => (load, list.Text(HelpPlace.Load, load.Option, load.Value, load.Help)))];

    public Option<string> Arrivals { get; } = CompletionCommand.Suggesting(
        list.Text(HelpPlace.Load.Rarely, "--arrivals", "KIND",
        "spacing of the calls of an open loop: constant (default) or poisson"), "constant", "poisson");

    public Option<string> Threads { get; } = list.Text(HelpPlace.Load.Rarely, "-t", "N",
        $"client threads that drive the connections (default: {preset.Threads}, fewer when there are fewer connections)", "--threads");

    public Option<string> Transports { get; } = CompletionCommand.Suggesting(
        list.Text(HelpPlace.Server, "--transports", "LIST",
        preset.Help("--transports", $"transports of the started server: {string.Join(", ", preset.OfferedTransports)}", preset.Transports)),
        [.. preset.OfferedTransports, "tcp,unix,pipe"]);

    public Option<string> ServerCpus { get; } = list.Text(HelpPlace.Server.Rarely, "--server-cpus", "SET",
        "CPUs of the started server: 0-1 (default: free)");

    /// <summary>
    /// One option for each entry of <see cref="Knob.All"/>, except knobs of a transport that this command does not offer.
    /// </summary>
    public IReadOnlyList<(Knob Knob, Option<string> Option)> Knobs { get; } =
        [.. Knob.All.Where(knob => preset.OfferedTransports.Contains(knob.Transport ?? preset.OfferedTransports[0]))
            .Select(knob => (knob, CompletionCommand.Suggesting(
            list.Text(PlaceOf(knob), knob.Option, "VALUE", preset.Help(knob.Option, knob.Help)), [.. knob.Values])))];

    public Option<string> ClientCpus { get; } = list.Text(HelpPlace.Machine.Rarely, "--client-cpus", "SET",
        "CPUs of the client: 2-3 (default: free)");

    public Option<string> ServerPids { get; } = CompletionCommand.Suggesting(
        list.Text(HelpPlace.Machine.Rarely, "--server-pids", "LIST",
        "with -U: count the CPU time of these processes and their descendants as the server's, e.g. 12,34 "
            + "(default: the process that listens at the address); none: no process"), "none");

    public Option<string[]> Watch { get; } = list.Many(HelpPlace.Machine.Rarely, "--watch", "NAME=ADDRESS",
        "count the connections of this listening address by state during each measurement, repeatable (Linux)");

    public Option<bool> Profile { get; } = list.Flag(HelpPlace.Machine.Rarely, "--profile",
        "afterwards sample the server (by perf(1) or its .NET runtime): where its time goes, from system calls to the handler");

    public Option<bool> AgainstItself { get; } = list.Flag(HelpPlace.Machine.Rarely, "--aa",
        "check the method: compare the reference with itself, at two endpoints", "--against-itself");

    public Option<bool> Verbose { get; } = list.Flag(HelpPlace.Output, "-v",
        "show every round, all tables and the advice on doubts", "--verbose");

    public Option<string[]> Output { get; } = list.Many(HelpPlace.Output, "-o", "FILE",
        "results file (.json), or a report by its extension (.html, .md, .csv …), repeatable "
            + "(default: a new file in results/)", "--output");

    public Option<string> Format { get; } = CompletionCommand.Suggesting(
        list.Text(HelpPlace.Output, "--format", "FORMAT",
        "print only this report on stdout: " + string.Join(", ", Reports.All.Select(report => report.Format))),
        [.. Reports.All.Select(report => report.Format)]);

    public Option<string> Label { get; } = list.Text(HelpPlace.Output.Rarely, "--label", "TEXT",
        "part of the results file's name");
    public Option<bool> NoSave { get; } = list.Flag(HelpPlace.Output.Rarely, "--no-save", "do not save a results file");
    public Option<bool> Crank { get; } = list.Flag(HelpPlace.Output.Rarely, "--crank",
        "for dotnet/crank: print crank's statistics block and nothing else");

    /// <summary>The options of the command, in the order of its help.</summary>
    public IEnumerable<Option> Offered => list.All.Where(option => option != Resume && !preset.NotOffered.Contains(option.Name)
        && (option != Shape || preset.Shapes.Count > 0));

    private static HelpPlace PlaceOf(Knob knob) =>
        (knob.Side == KnobSide.Server ? HelpPlace.Server : HelpPlace.Both) with { IsUsual = knob.IsUsual };
}
