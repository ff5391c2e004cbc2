using System.CommandLine;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;

namespace IpcBench.Client.Cli;

/// <summary>What the main command takes to look at somebody's own service.</summary>
internal sealed class ServiceOptions
{
    public Option<bool> List { get; } = new("--list")
    {
        Description = "print the services and methods of the server at -U, as its reflection tells them",
    };

    public Option<string> Describe { get; } = new("--describe")
    {
        HelpName = "NAME",
        Description = "print a service, message or enum of the server at -U and all it refers to, as .proto text",
    };

    public Option<string> Protoset { get; } = new("--protoset")
    {
        HelpName = "FILE",
        Description = "types from a FileDescriptorSet (protoc --include_imports -o FILE, buf build -o FILE) instead of reflection",
    };

    public Option<string> Proto { get; } = new("--proto")
    {
        HelpName = "FILE",
        Description = "types from a .proto instead of reflection, compiled by the protoc on the PATH",
    };

    public Option<string[]> Include { get; } = new("-I")
    {
        HelpName = "FOLDER",
        Description = "with --proto: where it finds imports, repeatable",
    };

    public Option<string[]> Header { get; } = new("-H", "--header")
    {
        HelpName = "'NAME: VALUE'",
        Description = "metadata of a question to the server, repeatable; bytes in base64 where the name ends in -bin",
    };

    /// <summary>In the order of the help.</summary>
    public IEnumerable<Option> Offered => [List, Describe, Protoset, Proto, Include, Header];

    /// <summary>Whether the services are to be shown and nothing is to be measured.</summary>
    /// <exception cref="UsageException">There is nothing to show, and an option says how to.</exception>
    public bool IsAsked(ParseResult typed)
    {
        var isAsked = typed.GetValue(List) || typed.GetValue(Describe) is not null;
        if (!isAsked && Offered.FirstOrDefault(option => typed.GetResult(option) is { Implicit: false }) is { } idle)
            throw new UsageException($"{idle.Name} is for --list and --describe: name one of them, or leave it out");
        return isAsked;
    }

    /// <summary>Prints what was asked for.</summary>
    /// <exception cref="UsageException">The options contradict each other.</exception>
    public async Task<int> ShowAsync(ParseResult typed, RunOptions options)
    {
        var (list, name) = (typed.GetValue(List), typed.GetValue(Describe));
        if (list && name is not null)
            throw new UsageException("--list and --describe are two questions: give one of them");
        var what = list ? "--list" : "--describe";
        var source = Source(typed, options, what);
        var output = typed.InvocationConfiguration.Output;
        using var interruption = new Interruption();
        try
        {
            if (name is not null)
            {
                await output.WriteLineAsync((await ServiceTypes.DescribeAsync(source, name, interruption.Token)).TrimEnd());
                return ExitCode.Ok;
            }
            foreach (var line in await ServiceTypes.ListAsync(source, typed.InvocationConfiguration.Error, interruption.Token))
                await output.WriteLineAsync(line);
            return ExitCode.Ok;
        }
        catch (OperationCanceledException) when (interruption.Token.IsCancellationRequested)
        {
            return ExitCode.Interrupted;
        }
    }

    private TypeSource Source(ParseResult typed, RunOptions options, string what)
    {
        var (protoset, proto, include) = (typed.GetValue(Protoset), typed.GetValue(Proto), typed.GetValue(Include) ?? []);
        if (protoset is not null && proto is not null)
            throw new UsageException("--protoset and --proto both give the types: give one of them");
        if (include.Length > 0 && proto is null)
            throw new UsageException("-I names folders for the imports of --proto: give that too, or leave -I out");
        var isFile = protoset is not null || proto is not null;
        if (!isFile && options.Addresses.Count != 1)
            throw new UsageException($"{what} asks one server: name it with -U, or give the types with --protoset or --proto");
        return new TypeSource
        {
            Protoset = protoset,
            Proto = proto,
            Include = include,
            Server = isFile ? null : options.Addresses[0],
            Connector = options.Connector,
            Metadata = [.. (typed.GetValue(Header) ?? []).Select(MetadataEntry.Parse)],
        };
    }
}
