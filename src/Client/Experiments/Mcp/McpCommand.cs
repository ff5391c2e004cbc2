using System.CommandLine;
using System.Text.Json;
using IpcBench.Client.Cli;
using IpcBench.Client.Plan;
using IpcBench.Client.Protocols;
using IpcBench.Client.Run;

namespace IpcBench.Client.Experiments.Mcp;

/// <summary>
/// <c>mcp [SERVER…] [-- COMMAND]</c>: calls a tool of servers of the Model Context Protocol, over standard input and output, sockets and
/// HTTP, and compares the servers.
/// </summary>
internal sealed class McpCommand
{
    public static Preset Preset { get; } = Preset.OneLoad with
    {
        Name = "mcp",
        Description = "Calls a tool of any MCP server and compares servers: started by a command (stdio), over HTTP, or on a socket. "
            + "About 2 minutes.",
        Examples = """
            Examples:
              GrpcBench mcp --list -- node server.js      the tools of a server
              GrpcBench mcp --tool add --data '{"a":1,"b":2}' -- node server.js
              GrpcBench mcp --tool add --data '{"a":1,"b":2}' 'js=stdio:node server.js' 'cs=stdio:./Server'
              GrpcBench mcp --tool add --data '{"a":1,"b":2}' http://localhost:3000/mcp -- node server.js
              GrpcBench mcp --data '{"size":10}' -- GrpcBench serve --mcp   this project's own server

            """,
        OffersChildren = false,
        Protocols = [ProtocolTable.JsonRpc],
        Sizes = new("0"), // the size is taken from the first reply
        Connections = new("1"),
        NotOffered =
        [
            .. Preset.CallOptions, .. Preset.ServerKnobs,
            "-U", "--transports", "-s", "--client", "--aa", "--connect-per-call", "--crank", "--server-cpus", "--server-pids",
            "--http2-window", "--client-sockets",
        ],
        Words = new Dictionary<string, string>
        {
            ["-c"] = "connections; a server that is started by a command has a process for each, at most 8",
        },
    };

    private readonly RunCommandOptions options;
    private readonly OptionList list = new();
    private readonly Argument<string[]> servers = new("SERVER")
    {
        Description = "[NAME=]stdio:COMMAND, http://host:port/path, tcp://host:port, unix:/path or pipe:/name; after --: a command; all "
            + "are compared. The command is split into words as in a shell, but no shell runs",
        Arity = ArgumentArity.ZeroOrMore,
    };

    private readonly Option<string> tool, data;
    private readonly Option<bool> show;

    private McpCommand()
    {
        tool = list.Text(HelpPlace.What, "--tool", "NAME", "tool to call (default: the only tool of the server)");
        data = list.Text(HelpPlace.What, "--data", "JSON", "arguments of each call: a JSON object, or @FILE (default: {})");
        show = list.Flag(HelpPlace.What, "--list", "print the tools of the servers, and measure nothing");
        options = new(Preset);
    }

    public static Command Create(IReadOnlyList<string> commandLine, Resume? resume)
    {
        var mcp = new McpCommand();
        var command = new MeasuringCommand(Preset);
        command.Arguments.Add(mcp.servers);
        foreach (var option in mcp.list.All.Concat(mcp.options.Offered))
            command.Options.Add(option);
        command.SetAction(async (typed, _) =>
        {
            var asked = mcp.Read(typed, commandLine);
            return typed.GetValue(mcp.show) ? await ToolTargets.ShowAsync(asked)
                : await RunCommand.MeasureAsync(asked, commandLine, resume);
        });
        return command;
    }

    /// <summary>Reads the command line into the options of the run.</summary>
    /// <param name="commandLine">All words as typed. The words after <c>--</c> are a command.</param>
    /// <exception cref="UsageException">An option or a server is invalid.</exception>
    internal RunOptions Read(ParseResult typed, IReadOnlyList<string> commandLine)
    {
        var words = commandLine.SkipWhile(word => word != "--").Skip(1).ToList();
        var texts = typed.GetValue(servers) ?? [];
        var arms = McpServer.All(texts.SkipLast(words.Count), words);
        var read = new RunOptionsReader(options, typed, given: [.. arms.Select(arm => arm.Address)]).Read();
        if (arms.Any(arm => arm.Path is not null) && read.Topologies.Any(topology => topology.Streams > 1))
            throw new UsageException("-m would need HTTP/1.1 pipelining, which this tool does not measure: use more connections (-c)");
        return read with { Tools = arms, Tool = new AskedTool(typed.GetValue(tool), Arguments(typed.GetValue(data) ?? "{}")) };
    }

    /// <summary>Returns the arguments on one line, since a newline ends a message.</summary>
    private static string Arguments(string text)
    {
        try
        {
            var bytes = text is ['@', .. var file] ? Parsers.File(file, $"--data '{text}'") : System.Text.Encoding.UTF8.GetBytes(text);
            using var json = JsonDocument.Parse(bytes);
            if (json.RootElement.ValueKind != JsonValueKind.Object)
                throw new UsageException("--data must be a JSON object like '{\"a\":1}'");
            using var compact = new MemoryStream();
            using (var writer = new Utf8JsonWriter(compact))
                json.WriteTo(writer);
            return System.Text.Encoding.UTF8.GetString(compact.ToArray());
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException) // InvalidOperationException: an invalid escape
        {
            throw new UsageException($"--data is no JSON: {e.Message}");
        }
    }
}
