using Google.Protobuf.Reflection;
using IpcBench.Http2;
using IpcBench.Protocol.Reflection.V1;
using IpcBench.Protocol.V1;
using Request = IpcBench.Protocol.Reflection.V1.ServerReflectionRequest.MessageRequestOneofCase;

namespace IpcBench.Server.Services;

/// <summary>
/// Answers server reflection for the services of this server. No .proto file of these services imports another file, so
/// an answer needs only one file.
/// </summary>
internal static class ServiceCatalogue
{
    private static readonly FileDescriptor[] Files = [BenchReflection.Descriptor, ReflectionReflection.Descriptor];

    private static readonly Dictionary<string, FileDescriptor> BySymbol = Files
        .SelectMany(file => Symbols(file).Select(symbol => (symbol, file)))
        .ToDictionary(pair => pair.symbol.FullName, pair => pair.file, StringComparer.Ordinal);

    /// <summary>Answers one request of the stream. For an unknown name the answer holds an error, and the stream continues.</summary>
    public static ServerReflectionResponse Answer(ServerReflectionRequest request)
    {
        var reply = new ServerReflectionResponse { ValidHost = request.Host, OriginalRequest = request };
        switch (request.MessageRequestCase)
        {
            case Request.ListServices:
                var services = Files.SelectMany(file => file.Services).Select(service => new ServiceResponse { Name = service.FullName });
                reply.ListServicesResponse = new ListServiceResponse { Service = { services } };
                return reply;
            case Request.FileByFilename:
                return WithFile(reply, Files.FirstOrDefault(file => file.Name == request.FileByFilename), request.FileByFilename);
            case Request.FileContainingSymbol:
                return WithFile(reply, BySymbol.GetValueOrDefault(request.FileContainingSymbol), request.FileContainingSymbol);
            case Request.AllExtensionNumbersOfType when BySymbol.ContainsKey(request.AllExtensionNumbersOfType):
                reply.AllExtensionNumbersResponse = new ExtensionNumberResponse { BaseTypeName = request.AllExtensionNumbersOfType };
                return reply;
            case Request.AllExtensionNumbersOfType:
                return WithError(reply, GrpcStatusCode.NotFound, $"this server has no type {request.AllExtensionNumbersOfType}");
            case Request.FileContainingExtension:
                return WithError(reply, GrpcStatusCode.NotFound, "no message has extensions here");
            default:
                return WithError(reply, GrpcStatusCode.InvalidArgument, "version 1 of reflection does not know this request");
        }
    }

    private static ServerReflectionResponse WithFile(ServerReflectionResponse reply, FileDescriptor? file, string asked)
    {
        if (file is null)
            return WithError(reply, GrpcStatusCode.NotFound, $"this server has nothing named {asked}");
        reply.FileDescriptorResponse = new FileDescriptorResponse { FileDescriptorProto = { file.SerializedData } };
        return reply;
    }

    private static ServerReflectionResponse WithError(ServerReflectionResponse reply, GrpcStatusCode code, string message)
    {
        reply.ErrorResponse = new ErrorResponse { ErrorCode = (int)code, ErrorMessage = message };
        return reply;
    }

    private static IEnumerable<IDescriptor> Symbols(FileDescriptor file)
    {
        var services = file.Services.SelectMany(service => service.Methods.Prepend<IDescriptor>(service));
        return services.Concat(file.EnumTypes).Concat(file.MessageTypes.SelectMany(Symbols));
    }

    private static IEnumerable<IDescriptor> Symbols(MessageDescriptor message) =>
        message.NestedTypes.SelectMany(Symbols).Concat(message.EnumTypes).Prepend(message);
}
