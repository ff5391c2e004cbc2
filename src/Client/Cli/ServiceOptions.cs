using System.CommandLine;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Schema.Types;

namespace IpcBench.Client.Cli;

/// <summary>The options of the main command that print the user's services and types, or call a method.</summary>
internal sealed class ServiceOptions(OptionList list)
{
    public ServiceOptions()
        : this(new OptionList())
    {
    }

    public Option<string> Call { get; } = list.Text(HelpPlace.What, "--call", "METHOD",
        "measure this method (package.Service/Method, see --list)");

    public Option<string> Data { get; } = list.Text(HelpPlace.What, "--data", "JSON",
        "with --call: the request as JSON, @file.json, @file.jsonl (one request per line, sent in turn), - for standard "
            + "input (default: {})");

    public Option<string> Authority { get; } = list.Text(HelpPlace.What.Rarely, "--authority", "NAME",
        "with --call: the server's name in requests (:authority; default: host and port, or localhost)");

    public Option<string> Deadline { get; } = list.Text(HelpPlace.What.Rarely, "--deadline", "TIME",
        "with --call: sent as grpc-timeout; a later reply counts as a failure (DEADLINE_EXCEEDED)");

    public Option<string> Expect { get; } = list.Text(HelpPlace.What.Rarely, "--expect", "JSON",
        "with --call: the fields that the first reply of each connection must have");

    public Option<string> DataBinary { get; } = list.Text(HelpPlace.What.Rarely, "--data-binary", "@FILE",
        "with --call: a file with the encoded request message; needs no types");

    public Option<bool> List { get; } = list.Flag(HelpPlace.Service, "--list",
        "print the services and methods of the server at -U, by reflection");

    public Option<string> Describe { get; } = list.Text(HelpPlace.Service.Rarely, "--describe", "NAME",
        "print a service, message or enum of the server at -U with all types that it uses");

    public Option<string> Protoset { get; } = list.Text(HelpPlace.Service.Rarely, "--protoset", "FILE",
        "types from a FileDescriptorSet (protoc --include_imports -o FILE, buf build -o FILE) instead of reflection");

    public Option<string> Proto { get; } = list.Text(HelpPlace.Service.Rarely, "--proto", "FILE",
        "types from a .proto file instead of reflection, compiled by protoc on the PATH or in NuGet's Grpc.Tools");

    public Option<string[]> Include { get; } = list.Many(HelpPlace.Service.Rarely, "-I", "FOLDER",
        "with --proto: a folder for imports, repeatable");

    public Option<string[]> Header { get; } = list.Many(HelpPlace.Service.Rarely, "-H", "'NAME: VALUE'",
        "metadata of every call and of reflection, repeatable, never printed; base64 if the name ends in -bin; @FILE or "
            + "'$VARIABLE' holds metadata, one header per line", "--header");

    /// <summary>The options in the order of the help.</summary>
    public IEnumerable<Option> Offered => list.All;

    /// <summary>The options for commands that call a method: all except the options that print services or types.</summary>
    public IEnumerable<Option> ToCall => list.All.Except([List, Describe]);

    /// <summary>True when the user wants services or types printed. Nothing is measured then.</summary>
    public bool IsAsked(ParseResult typed) => typed.GetValue(List) || typed.GetValue(Describe) is not null;

    /// <summary>Reads the method to call. Null when the user named no method.</summary>
    /// <exception cref="UsageException">The options contradict each other, or an option needs a method but no method was named.</exception>
    public AskedCall? Read(ParseResult typed)
    {
        string? Get(Option<string> option) => typed.GetValue(option);

        if (Get(Call) is not { } method)
        {
            Option[] alone = [Data, DataBinary, Expect, Deadline, Authority];
            if (Array.Find(alone, IsTyped) is { } lost)
                throw new UsageException($"{lost.Name} belongs to --call: add --call METHOD, or leave out {lost.Name}");
            if (!IsAsked(typed) && Offered.FirstOrDefault(IsTyped) is { } idle)
                throw new UsageException($"{idle.Name} belongs to --call, --list or --describe: add one of these three, or leave out "
                    + $"{idle.Name}");
            return null;
        }
        if (IsAsked(typed))
            throw new UsageException("--call measures a method, --list and --describe print types: use only one of these options");
        if (Get(Data) is not null && Get(DataBinary) is not null)
            throw new UsageException("--data and --data-binary both give the request: use only one of the two");
        var (service, name) = MethodName.Split(method);
        return new AskedCall
        {
            Method = $"{service}/{name}",
            Data = Get(Data),
            Binary = Get(DataBinary),
            Expect = Get(Expect),
            Deadline = Get(Deadline) is { } deadline ? Parsers.Positive(deadline, "--deadline") : null,
            Authority = Get(Authority) is { } authority ? Parsers.Authority(authority) : null,
            Types = Source(typed),
        };

        bool IsTyped(Option option) => typed.GetResult(option) is { Implicit: false };
    }

    /// <summary>Prints the services or types.</summary>
    /// <exception cref="UsageException">The options contradict each other.</exception>
    public async Task<int> ShowAsync(ParseResult typed, RunOptions options)
    {
        var (list, name) = (typed.GetValue(List), typed.GetValue(Describe));
        if (list && name is not null)
            throw new UsageException("--list and --describe print different things: use only one of the two");
        var source = Source(typed);
        if (!source.IsFile && options.Addresses.Count == 0)
        {
            throw new UsageException(
                $"{(list ? "--list" : "--describe")} asks a server: name the server with -U, or give the types with --protoset or --proto");
        }
        if (!source.IsFile && options.HasChildren)
            throw new UsageException("--list and --describe start no command: name a server that listens, or use --protoset or --proto");
        source = source with { Server = source.IsFile ? null : options.Addresses[0], Connector = options.Connector };
        var output = typed.InvocationConfiguration.Output;
        using var interruption = new Interruption();
        try
        {
            if (name is not null)
            {
                await output.WriteLineAsync((await ServiceTypes.DescribeAsync(source, name, interruption.Token)).TrimEnd());
                return ExitCode.Ok;
            }
            var services = await ServiceTypes.ListAsync(source, typed.InvocationConfiguration.Error, interruption.Token);
            foreach (var line in services.Lines)
                await output.WriteLineAsync(line);
            return services.AnyDescribed ? ExitCode.Ok : ExitCode.Environment;
        }
        catch (OperationCanceledException) when (interruption.Token.IsCancellationRequested)
        {
            return ExitCode.Interrupted;
        }
    }

    private TypeSource Source(ParseResult typed)
    {
        var (protoset, proto, include) = (typed.GetValue(Protoset), typed.GetValue(Proto), typed.GetValue(Include) ?? []);
        if (protoset is not null && proto is not null)
            throw new UsageException("--protoset and --proto both give the types: use only one of the two");
        if (include.Length > 0 && proto is null)
            throw new UsageException("-I names folders for the imports of --proto: add --proto, or leave out -I");
        return new TypeSource
        {
            Protoset = protoset,
            Proto = proto,
            Include = include,
            Authority = typed.GetValue(Authority),
            Metadata = MetadataEntry.ParseAll(HeaderTexts.Read(typed.GetValue(Header) ?? [])),
        };
    }
}
