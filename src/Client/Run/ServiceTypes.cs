using Google.Protobuf.Reflection;
using IpcBench.Analysis.Results;
using IpcBench.Client.Engine;
using IpcBench.Client.Plan;
using IpcBench.Host;
using IpcBench.Http2;
using IpcBench.Schema;
using IpcBench.Schema.ServerReflection;
using IpcBench.Schema.Text;
using IpcBench.Schema.Types;

namespace IpcBench.Client.Run;

/// <summary>Lists the services of a server or file and describes their types, for people to read. Finds the types of a method.</summary>
internal static class ServiceTypes
{
    /// <summary>Returns one line for each method, such as <c>shop.Cart/Add (shop.Item) returns (shop.Total)</c>.</summary>
    /// <param name="warnings">Receives a line for each service whose methods the server does not describe.</param>
    /// <exception cref="InputException">A file is unusable.</exception>
    /// <exception cref="SchemaException">The server offers no reflection, or the reflection failed.</exception>
    /// <exception cref="EnvironmentException">No server answers.</exception>
    public static async Task<ServiceList> ListAsync(TypeSource source, TextWriter warnings, CancellationToken cancellation)
    {
        if (await OfFileAsync(source, cancellation) is { } types)
        {
            return types.Services.Any() ? new ServiceList([.. types.Services.SelectMany(Lines)], AnyDescribed: true)
                : throw new InputException($"{source.Protoset ?? source.Proto} has no service");
        }
        return await AskAsync(source, client => ListAsync(client, source, warnings, cancellation));
    }

    /// <summary>
    /// Describes a service, message or enum, with all types that it uses. For a method, written as <c>--list</c> prints
    /// it, describes the service of the method.
    /// </summary>
    /// <exception cref="InputException">A file is unusable.</exception>
    /// <exception cref="SchemaException">The name is unknown, or reflection is missing or failed.</exception>
    /// <exception cref="EnvironmentException">No server answers.</exception>
    public static async Task<string> DescribeAsync(TypeSource source, string name, CancellationToken cancellation)
    {
        var isMethod = name.Contains('/', StringComparison.Ordinal);
        var symbol = isMethod ? MethodName.Split(name).Service : name;
        var types = await OfFileAsync(source, cancellation)
            ?? await AskAsync(source, client => client.TypesAsync([symbol], cancellation));
        if (isMethod)
            types.Method(name);
        return Description.Make(types, symbol);
    }

    /// <summary>Finds a method with the types that it needs.</summary>
    /// <exception cref="InputException">A file is unusable.</exception>
    /// <exception cref="SchemaException">The method is unknown, or reflection is missing or failed.</exception>
    /// <exception cref="EnvironmentException">No server answers.</exception>
    public static async Task<(MethodDescriptor Method, MethodTypes Types)> OfMethodAsync(
        TypeSource source, string name, CancellationToken cancellation)
    {
        var types = await OfFileAsync(source, cancellation)
            ?? await AskAsync(source, client => client.TypesAsync([MethodName.Split(name).Service], cancellation));
        try
        {
            return (types.Method(name), types);
        }
        catch (SchemaException e) when (source.IsFile)
        {
            throw new InputException(e.Message, e); // an error in the user's input, not of the server
        }
    }

    private static async Task<MethodTypes?> OfFileAsync(TypeSource source, CancellationToken cancellation)
    {
        if (source.Proto is { } proto && FileKind.IsStream(proto))
            throw new InputException($"{proto} is a device or pipe, which protoc cannot compile: give a file to --proto");
        return source switch
        {
            // The file may be a pipe, whose read may never end. So the file is read in a task, which Ctrl-C can abandon.
            { Protoset: { } file } => await Task.Run(() => Protoset.Read(file), cancellation).WaitAsync(cancellation),
            { Proto: { } file } => await Protoc.CompileAsync(file, source.Include, cancel: cancellation),
            _ => null,
        };
    }

    private static async Task<T> AskAsync<T>(TypeSource source, Func<ReflectionClient, Task<T>> ask)
    {
        using var caller = new GrpcCaller(source.Server!, source.Connector, source.Metadata, source.Authority);
        try
        {
            ReflectionExchange exchange = (path, request, cancel) => ExchangeAsync(caller, path, request, cancel);
            return await ask(new ReflectionClient(exchange, $"{source.Server}"));
        }
        catch (SchemaException e)
        {
            throw new SchemaException(Said(source, e.Message), e);
        }
        catch (IOException e)
        {
            throw new EnvironmentException(GrpcCaller.Advised(e, ". Is a gRPC server running there?"), e);
        }
    }

    private static async Task<ReflectionReply> ExchangeAsync(GrpcCaller caller, string path, byte[] request, CancellationToken cancel)
    {
        var answer = await caller.CallAsync(path, request, cancel);
        // HTTP 404 is UNIMPLEMENTED (https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md).
        var status = answer.HttpStatus switch { 200 => (int?)answer.Status ?? -1, 404 => (int)GrpcStatusCode.Unimplemented, _ => -1 };
        return new ReflectionReply(status, answer.StatusText, answer.Message?.ToArray());
    }

    private static string Said(TypeSource source, string text) =>
        ServerWords.OneLine(text, ServerWords.Secrets(source.Metadata.Select(entry => entry.Value)), longest: 1000);

    private static async Task<ServiceList> ListAsync(
        ReflectionClient client, TypeSource source, TextWriter warnings, CancellationToken cancellation)
    {
        var (lines, described) = (new List<string>(), 0);
        var names = await client.ServicesAsync(cancellation);
        if (names.Count == 0)
            throw new SchemaException($"the reflection of {source.Server} lists no service");
        foreach (var name in names)
        {
            try
            {
                var types = await client.TypesAsync([name], cancellation);
                var service = types.Services.FirstOrDefault(service => service.FullName == name)
                    ?? throw new SchemaException($"the reflection of {source.Server} does not give the file of {name}");
                lines.AddRange(Lines(service));
                described++;
            }
            catch (SchemaException e)
            {
                // If one service cannot be described, the other services are still listed.
                lines.Add(Said(source, name));
                await warnings.WriteLineAsync(Said(source, e.Message));
            }
        }
        return new ServiceList(lines, AnyDescribed: described > 0);
    }

    private static IEnumerable<string> Lines(ServiceDescriptor service) => service.Methods
        .Select(method =>
        {
            var (asks, answers) = (method.IsClientStreaming ? "stream " : "", method.IsServerStreaming ? "stream " : "");
            return $"{service.FullName}/{method.Name} ({asks}{method.InputType.FullName}) returns ({answers}{method.OutputType.FullName})";
        })
        .DefaultIfEmpty(service.FullName);
}

/// <param name="Lines">A line for each method. A service whose methods are unknown has one line with its name.</param>
/// <param name="AnyDescribed">True when the methods of at least one service are known.</param>
internal sealed record ServiceList(IReadOnlyList<string> Lines, bool AnyDescribed);
