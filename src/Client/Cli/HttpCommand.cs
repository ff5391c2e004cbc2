using System.CommandLine;

namespace IpcBench.Client.Cli;

/// <summary><c>http URL…</c>: the same measurement with HTTP/1.1 against servers that are already there.</summary>
internal static class HttpCommand
{
    public static Command Create(IReadOnlyList<string> commandLine)
    {
        var options = new HttpCommandOptions();
        var command = new Command("http",
            "Measures HTTP/1.1 servers like wrk or ab, over TCP, TLS, Unix sockets and pipes, and compares them.") { options.Urls };
        options.Run.Streams.Hidden = true; // known only so that it can be refused with the reason
        foreach (var option in options.Offered)
            command.Options.Add(option);
        command.SetAction(async (typed, _) => await RunCommand.MeasureAsync(new HttpOptionsReader(options, typed).Read(), commandLine));
        return command;
    }
}
