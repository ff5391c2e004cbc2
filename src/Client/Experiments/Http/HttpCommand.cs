using System.CommandLine;
using IpcBench.Client.Cli;
using IpcBench.Client.Protocols;

namespace IpcBench.Client.Experiments.Http;

/// <summary><c>http URL…</c>: measures HTTP/1.1 servers that already run, as the main command measures gRPC servers.</summary>
internal static class HttpCommand
{
    public static Preset Preset { get; } = Preset.OneLoad with
    {
        OffersChildren = false,
        Protocols = [ProtocolTable.Http1],
        Sizes = new("0"), // the size is taken from the first reply
        Duration = new(Preset.Main.Duration.Given!),
        Rounds = new(Preset.Main.Rounds.Given!),
        Warmup = new(Preset.Main.Warmup.Given!),
        NotOffered =
        [
            .. Preset.CallOptions, .. Preset.ServerKnobs,
            "-U", "--transports", "-s", "--quick", "--client", "--aa", "--server-cpus", "--http2-window", "--client-sockets",
        ],
    };

    public static Command Create(IReadOnlyList<string> commandLine, Resume? resume)
    {
        var options = new HttpCommandOptions();
        var command = new MeasuringCommand("http",
            "Measures HTTP/1.1 servers as wrk and ab do, over TCP, TLS, Unix sockets and pipes, and compares them.");
        command.Arguments.Add(options.Urls);
        options.Run.Streams.Hidden = true; // parsed only to be refused with a reason
        foreach (var option in options.Offered)
            command.Options.Add(option);
        command.SetAction(async (typed, _) =>
            await RunCommand.MeasureAsync(new HttpOptionsReader(options, typed).Read(), commandLine, resume));
        return command;
    }
}
