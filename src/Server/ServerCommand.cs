using System.CommandLine;
using System.CommandLine.Parsing;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Faults;
using IpcBench.Server.Hosting;
using IpcBench.Server.Options;
using IpcBench.Transports;
using IpcBench.Transports.Loop;

namespace IpcBench.Server;

/// <summary>The command line: options to <see cref="ServerOptions"/>, errors to a sentence and an exit code.</summary>
internal static class ServerCommand
{
    private const int UsageError = 1;
    private const int EnvironmentError = 2;

    private static readonly Option<Address[]> Listen = new("--listen", "-l")
    {
        Description = "An address to serve instead of the defaults; repeatable: http://host:port, https://host:port, unix:/path, "
            + "unix-abstract:name, pipe:/name. Port 0 is chosen by the system",
        HelpName = "ADDRESS",
        Arity = ArgumentArity.ZeroOrMore,
        CustomParser = ParseAddresses,
    };

    private static readonly Option<Address[]> Echo = new("--echo")
    {
        Description = "An address where every byte is returned as it comes, no gRPC; repeatable, beside --listen. "
            + "Without --listen nothing else is served",
        HelpName = "ADDRESS",
        Arity = ArgumentArity.ZeroOrMore,
        CustomParser = ParseAddresses,
    };

    private static readonly Option<int> MaxSize = Size("--max-size", "Largest payload that is served", 1, ByteSize.Most, 64 << 20);
    private static readonly Option<bool> Owned = new("--owned") { Description = "Ignore Ctrl-C; end when standard input closes" };
    private static readonly Option<string> Stack = MakeStack();
    private static readonly Option<int> Backlog = Number("--backlog", "Connections that may wait to be accepted", 1, 1 << 20, 4096);
    private static readonly Option<int?> IoQueues = Optional(
        "--io-queues", "Kestrel's I/O queues, 0 uses the thread pool; with --sockets loop event loops", 0, 1024);
    private static readonly Option<bool> Inline = new("--inline") { Description = "Socket completions run on the threads that poll" };

    private static readonly Option<SocketEngine?> Sockets = new("--sockets")
    {
        Description = "Whose sockets serve: loop (this program's event loop, Linux), dotnet (through Kestrel) or, for --echo alone, bare "
            + "(dotnet without Kestrel). Default: loop for --echo where there is epoll, dotnet for all else",
        HelpName = "loop|dotnet|bare",
        CustomParser = ParseEngine,
    };

    private static readonly Option<int?> SocketBuffer = OptionalSize(
        "--socket-buffer", "Send and receive buffer of each socket", 1 << 10, 1 << 30);
    private static readonly Option<bool> Nagle = new("--nagle") { Description = "Leave Nagle's algorithm on" };

    // Kestrel takes no window below the protocol's initial 65,535.
    private static readonly Option<int> Http2Window = Size(
        "--http2-window", "Bytes that a client may send ahead", 65_535, 1 << 30, 128 << 10);
    private static readonly Option<int> MaxStreams = Number("--max-streams", "Concurrent calls of one connection", 1, 1 << 16, 100);
    private static readonly Option<int> WriteChunk = Size(
        "--write-chunk", "Bytes of one write of a large reply", 4 << 10, 1 << 30, 128 << 10);
    private static readonly Option<int?> PipeBuffer = OptionalSize(
        "--pipe-buffer", "Windows: kernel buffer of a named pipe, each way", 0, 1 << 30);
    private static readonly Option<int?> PipeListeners = Optional(
        "--pipe-listeners", "Windows: named-pipe instances that wait for a client", 1, 1024);

    private static readonly Option<string[]> Work = new("--work")
    {
        Description = "CPU time that each call computes before it is answered, as a handler would: 30us, 1.5ms; "
            + "1=30us: of the second address alone",
        HelpName = "TIME",
        Arity = ArgumentArity.ZeroOrMore,
    };

    private static readonly Option<string[]> DelayUs = Hidden("--delay-us");
    private static readonly Option<string[]> Answers = Hidden("--fault");

    /// <summary>Parses, serves until told to stop, and returns the exit code.</summary>
    public static async Task<int> RunAsync(string[] args)
    {
        var parsed = Create().Parse(args, new ParserConfiguration { ResponseFileTokenReplacer = null });
        if (parsed.Errors.Count > 0)
        {
            await Console.Error.WriteLineAsync(string.Join(
                Environment.NewLine, parsed.Errors.Select(error => error.Message).Append("GrpcBenchServer --help lists the options")));
            return UsageError;
        }
        // No handler of its own for signals: this program has one, and it must remove socket files.
        return await parsed.InvokeAsync(new InvocationConfiguration { ProcessTerminationTimeout = null });
    }

    private static RootCommand Create()
    {
        var root = new RootCommand("Serves the Bench and Control services on every local transport at once.")
        {
            Listen, Echo, MaxSize, Owned, Stack, Backlog, IoQueues, Inline, Sockets, SocketBuffer, Nagle, Http2Window, MaxStreams,
            WriteChunk, PipeBuffer, PipeListeners, Work, DelayUs, Answers,
        };
        root.SetAction((parsed, _) => ServeAsync(OptionsOf(parsed)));
        return root;
    }

    private static async Task<int> ServeAsync(ServerOptions options)
    {
        // Before anything else is loaded: each part of the program is an open file.
        if (KestrelLimits.TooFewFiles() is { } tooFew)
        {
            await Console.Error.WriteLineAsync(tooFew);
            return EnvironmentError;
        }
        try
        {
            return await ServerProcess.RunAsync(options);
        }
        catch (CannotListenException e)
        {
            await Console.Error.WriteLineAsync(e.Message);
            return EnvironmentError;
        }
        catch (FormatException e)
        {
            await Console.Error.WriteLineAsync(e.Message);
            return UsageError;
        }
    }

    private static ServerOptions OptionsOf(ParseResult parsed) => new()
    {
        Listen = (parsed.GetValue(Listen), parsed.GetValue(Echo)) switch
        {
            ({ Length: > 0 } given, _) => given,
            (_, { Length: > 0 }) => [],
            _ => ServerOptions.DefaultAddresses,
        },
        Echo = parsed.GetValue(Echo) ?? [],
        MaxSize = parsed.GetValue(MaxSize),
        Owned = parsed.GetValue(Owned),
        Stack = parsed.GetValue(Stack),
        Backlog = parsed.GetValue(Backlog),
        IoQueues = parsed.GetValue(IoQueues),
        Inline = parsed.GetValue(Inline),
        Sockets = parsed.GetValue(Sockets),
        SocketBuffer = parsed.GetValue(SocketBuffer),
        Nagle = parsed.GetValue(Nagle),
        Http2Window = parsed.GetValue(Http2Window),
        MaxStreams = parsed.GetValue(MaxStreams),
        WriteChunk = parsed.GetValue(WriteChunk),
        PipeBuffer = parsed.GetValue(PipeBuffer),
        PipeListeners = parsed.GetValue(PipeListeners),
        Faults = new FaultOptions
        {
            Work = parsed.GetValue(Work) ?? [],
            DelayUs = parsed.GetValue(DelayUs) ?? [],
            Answers = parsed.GetValue(Answers) ?? [],
        },
    };

    private static Address[] ParseAddresses(ArgumentResult result)
    {
        var addresses = new List<Address>();
        foreach (var token in result.Tokens)
        {
            if (Address.TryParse(token.Value, out var address, out var error))
                addresses.Add(address);
            else
                result.AddError(error);
        }
        return [.. addresses];
    }

    private static SocketEngine? ParseEngine(ArgumentResult result)
    {
        switch (result.Tokens[0].Value)
        {
            case "dotnet":
                return SocketEngine.DotNet;
            case "bare":
                return SocketEngine.Bare;
            case "loop" when EventLoop.IsSupported:
                return SocketEngine.Loop;
            case "loop":
                result.AddError("--sockets loop needs epoll, which this system has not: leave it out or write dotnet");
                return null;
            default:
                result.AddError($"'{result.Tokens[0].Value}' is no value for --sockets: write loop, dotnet or bare");
                return null;
        }
    }

    private static Option<string> MakeStack()
    {
        var option = new Option<string>("--stack")
        {
            Description = "The gRPC implementation that answers",
            DefaultValueFactory = _ => Stacks.Default,
        };
        option.CompletionSources.Add([.. Stacks.Names]);
        option.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<string>() is { } name && !Stacks.Names.Contains(name))
                result.AddError(Stacks.Unknown(name));
        });
        return option;
    }

    private static Option<int> Number(string name, string description, int least, int most, int otherwise) =>
        new(name)
        {
            Description = description,
            DefaultValueFactory = _ => otherwise,
            CustomParser = result => ByteSize.Number(result, least, most),
        };

    private static Option<int?> Optional(string name, string description, int least, int most) =>
        new(name) { Description = description, CustomParser = result => ByteSize.Number(result, least, most) };

    private static Option<int> Size(string name, string description, int least, int most, int otherwise) =>
        new(name)
        {
            Description = description,
            HelpName = "BYTES",
            DefaultValueFactory = _ => otherwise,
            CustomParser = result => ByteSize.Size(result, least, most),
        };

    private static Option<int?> OptionalSize(string name, string description, int least, int most) =>
        new(name) { Description = description, HelpName = "BYTES", CustomParser = result => ByteSize.Size(result, least, most) };

    private static Option<string[]> Hidden(string name) => new(name) { Hidden = true, Arity = ArgumentArity.ZeroOrMore };
}
