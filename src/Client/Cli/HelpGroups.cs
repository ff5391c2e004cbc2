namespace IpcBench.Client.Cli;

/// <summary>
/// Which options stand together in the help of a command that measures, by their first names: those that most runs need, and the others,
/// which <c>--help all</c> shows. A new option is named here; until then it stands among the others at the end.
/// </summary>
/// <param name="Title">Above them.</param>
/// <param name="Usual">In the short help too.</param>
/// <param name="Others">In the long one alone.</param>
internal sealed record HelpGroup(string Title, IReadOnlyList<string> Usual, IReadOnlyList<string> Others)
{
    public static IReadOnlyList<HelpGroup> All { get; } =
    [
        new("What to measure", ["-U", "--vary", "--call", "--data", "--path", "-s", "-c", "-m"],
            ["--client", "--reference", "--delta", "--connect-per-call", "--method", "--body", "--expect-status", "--varying-length",
                "-l", "--authority", "--deadline", "--expect", "--data-binary", "--cacert", "--insecure", "--cert", "--key", "--sni"]),
        new("How long", ["--quick", "-d", "-r"], ["-n", "--warmup", "--timeout", "--max-time", "--resume", "--seed"]),
        new("Load", ["-R", "--load"], ["--arrivals", "-t"]),
        new("The server it starts", ["--transports", "--sockets"],
            ["--stack", "--server-cpus", "--server-gc", "--backlog", "--io-queues", "--inline"]),
        new("Settings of both sides", [], ["--socket-buffer", "--nagle", "--http2-window"]),
        new("Somebody's service", ["--list"], ["--describe", "--protoset", "--proto", "-I", "-H"]),
        new("Machine and method", [], ["--client-cpus", "--server-pids", "--watch", "--no-calibration", "--aa"]),
        new("Output", ["-v", "-o", "--format"], ["--label", "--no-save", "--crank"]),
    ];

    /// <summary>What the words of reports mean.</summary>
    public static IReadOnlyList<(string Word, string Meaning)> Words { get; } =
    [
        ("arm", "one way of doing the same: a transport, a client, a value of a setting"),
        ("cell", "an arm at one size, number of connections and load: what is measured"),
        ("round", "every cell measured once, in an order of its own; ratios come from pairs of the same round"),
        ("unattributed", "busy time of the machine that neither client nor server claims"),
        ("doubt", "what speaks against a number, with what to do about it"),
    ];
}
