using Google.Protobuf;
using Google.Protobuf.Reflection;
using IpcBench.Protocol.Reflection.V1;
using IpcBench.Schema.Types;
using Reply = IpcBench.Protocol.Reflection.V1.ServerReflectionResponse.MessageResponseOneofCase;

namespace IpcBench.Schema.ServerReflection;

/// <summary>The result of one reflection stream.</summary>
/// <param name="Status">The value of grpc-status.</param>
/// <param name="StatusText">The status in words, for example <c>UNAVAILABLE: try later</c>.</param>
/// <param name="Message">The message that the server sent. Null when the server sent no message.</param>
public readonly record struct ReflectionReply(int Status, string StatusText, byte[]? Message);

/// <summary>Opens a stream on <paramref name="path"/>, sends one request, half-closes the stream and waits for the stream's end.</summary>
public delegate Task<ReflectionReply> ReflectionExchange(string path, byte[] request, CancellationToken cancel);

/// <summary>
/// Asks a server for its types, with one request per stream. The first request uses version v1. If the server does not
/// implement v1, v1alpha is used, which has the same messages. The caller provides the transport.
/// </summary>
/// <param name="exchange">Sends one request and receives its answer.</param>
/// <param name="server">The server's address in error messages.</param>
public sealed class ReflectionClient(ReflectionExchange exchange, string server)
{
    private const int Unimplemented = 12;
    private const int NotFound = 5;

    // A hostile server could send files for ever. No real server has so many bytes of types.
    private const long MostBytes = 256L << 20;

    private static readonly string[] Paths =
    [
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    ];

    private int version;
    private IReadOnlyList<string>? services;
    private long taken;

    /// <summary>Lists the full names of the services, sorted. Only the first call asks the server.</summary>
    /// <exception cref="SchemaException">The server offers no reflection, or its reflection failed.</exception>
    public async Task<IReadOnlyList<string>> ServicesAsync(CancellationToken cancel = default) => services ??= await ListAsync(cancel);

    /// <summary>
    /// Gets the files that define <paramref name="symbols"/> (full names of services or messages), and all files that they import.
    /// </summary>
    /// <exception cref="SchemaException">
    /// A symbol is unknown (similar names are listed), a file is missing, or there is no reflection.
    /// </exception>
    public async Task<MethodTypes> TypesAsync(IReadOnlyList<string> symbols, CancellationToken cancel = default)
    {
        var files = new Dictionary<string, FileDescriptorProto>(StringComparer.Ordinal);
        taken = 0;
        foreach (var symbol in symbols)
        {
            var reply = await AskAsync(new ServerReflectionRequest { FileContainingSymbol = symbol }, cancel);
            if (reply.ErrorResponse?.ErrorCode == NotFound)
                throw await UnknownAsync(symbol, cancel);
            Add(files, reply, symbol);
        }
        await ImportsAsync(files, cancel);
        try
        {
            return MethodTypes.From(files.Values, $"the reflection of {server}");
        }
        catch (InputException e)
        {
            throw new SchemaException(e.Message, e);
        }
    }

    private async Task<IReadOnlyList<string>> ListAsync(CancellationToken cancel)
    {
        var reply = await AskAsync(new ServerReflectionRequest { ListServices = "*" }, cancel);
        if (reply.MessageResponseCase != Reply.ListServicesResponse)
            throw Refused("the list of its services", reply);
        return [.. reply.ListServicesResponse.Service.Select(service => service.Name).Distinct().Order(StringComparer.Ordinal)];
    }

    private async Task<SchemaException> UnknownAsync(string symbol, CancellationToken cancel)
    {
        var known = await ServicesAsync(cancel);
        return new SchemaException(known.Contains(symbol)
            ? $"the reflection of {server} lists {symbol}, but does not give the types of {symbol}"
            : $"{server} has no service or type {symbol}{Nearest.Hint(symbol, known)}");
    }

    private async Task ImportsAsync(Dictionary<string, FileDescriptorProto> files, CancellationToken cancel)
    {
        var unread = new Queue<FileDescriptorProto>(files.Values);
        while (unread.TryDequeue(out var file))
        {
            foreach (var import in file.Dependency.Where(import => !DescriptorFiles.WellKnown.ContainsKey(import)))
            {
                if (files.ContainsKey(import))
                    continue;
                var reply = await AskAsync(new ServerReflectionRequest { FileByFilename = import }, cancel);
                foreach (var added in Add(files, reply, $"{import}, which {file.Name} imports"))
                    unread.Enqueue(added);
                if (!files.ContainsKey(import))
                    throw new SchemaException(
                        $"the reflection of {server} does not give {import}, which {file.Name} imports");
            }
        }
    }

    private List<FileDescriptorProto> Add(
        Dictionary<string, FileDescriptorProto> files, ServerReflectionResponse reply, string asked)
    {
        if (reply.MessageResponseCase != Reply.FileDescriptorResponse)
            throw Refused(asked, reply);
        var added = new List<FileDescriptorProto>();
        foreach (var bytes in reply.FileDescriptorResponse.FileDescriptorProto)
        {
            var file = Parse(FileDescriptorProto.Parser, bytes.ToByteArray(), "FileDescriptorProto");
            if (!files.TryAdd(file.Name, file))
                continue;
            added.Add(file);
            taken += bytes.Length;
        }
        if (files.Count > DescriptorFiles.MostFiles || taken > MostBytes)
            throw new SchemaException(
                $"the reflection of {server} gives more than {DescriptorFiles.MostFiles} files or {MostBytes >> 20} MiB");
        return added;
    }

    private async Task<ServerReflectionResponse> AskAsync(ServerReflectionRequest request, CancellationToken cancel)
    {
        var bytes = request.ToByteArray();
        var reply = await exchange(Paths[version], bytes, cancel);
        while (reply.Status == Unimplemented && version + 1 < Paths.Length)
            reply = await exchange(Paths[++version], bytes, cancel);
        if (reply.Status == Unimplemented)
        {
            // The next request tries v1 again.
            version = 0;
            throw new SchemaException(
                $"{server} offers no server reflection (neither v1 nor v1alpha): give the types with --protoset or --proto");
        }
        if (reply.Status != 0)
            throw new SchemaException($"the reflection of {server} ended with {reply.StatusText}");
        if (reply.Message is null)
            throw new SchemaException($"the reflection of {server} ended without an answer");
        return Parse(ServerReflectionResponse.Parser, reply.Message, "ServerReflectionResponse");
    }

    private T Parse<T>(MessageParser<T> parser, byte[] bytes, string type) where T : IMessage<T>
    {
        try
        {
            return parser.ParseFrom(bytes);
        }
        catch (InvalidProtocolBufferException e)
        {
            throw new SchemaException($"the reflection of {server} "
                + (Nesting.IsTooDeep(e) ? Nesting.Sentence : $"sent {bytes.Length} bytes that are not a {type}"), e);
        }
    }

    private SchemaException Refused(string asked, ServerReflectionResponse reply) => reply.ErrorResponse is { } error
        ? new SchemaException($"the reflection of {server} does not give {asked}: {error.ErrorMessage} (status {error.ErrorCode})")
        : new SchemaException($"the reflection of {server} did not answer the request for {asked}");
}
