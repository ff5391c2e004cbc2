using System.Buffers;
using Google.Protobuf;
using IpcBench.Http2;
using IpcBench.Protocol.V1;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Services;

namespace IpcBench.Server.BuiltIn;

/// <summary>The unary methods by path, except Upload (see <see cref="MessageCall"/>).</summary>
internal sealed class UnaryMethods(BenchServices services)
{
    private readonly UnaryMethod download = new(
        (in ReadOnlySequence<byte> message, ServerEndpoint endpoint) => Download(services, message, endpoint), IsBench: true);

    private readonly UnaryMethod describe = new(
        (in ReadOnlySequence<byte> message, ServerEndpoint _) => Reply(DescribeRequest.Parser, message, services.Describe), IsBench: false);

    private readonly UnaryMethod usage = new(
        (in ReadOnlySequence<byte> message, ServerEndpoint _) => Reply(UsageRequest.Parser, message, services.Usage), IsBench: false);

    /// <summary>Finds the method of a path. Null when the path is not that of Download, Describe or Usage.</summary>
    public UnaryMethod? Find(string path) => path switch
    {
        "/ipcbench.v1.Bench/Download" => download,
        "/ipcbench.v1.Control/Describe" => describe,
        "/ipcbench.v1.Control/Usage" => usage,
        _ => null,
    };

    private static UnaryResult Download(BenchServices services, in ReadOnlySequence<byte> message, ServerEndpoint endpoint)
    {
        var size = DownloadSize.Parse(message);
        if (!services.Accepts(size, out var refusal))
            return UnaryResult.Fail(GrpcStatusCode.InvalidArgument, refusal);
        return UnaryResult.Ok(services.Replies.For(endpoint.Behavior.SizeFor((int)size)));
    }

    // DescribeRequest and UsageRequest have no fields yet. The request is parsed all the same, because invalid bytes
    // are an error.
    private static UnaryResult Reply<TRequest>(MessageParser<TRequest> parser, in ReadOnlySequence<byte> message, Func<IMessage> reply)
        where TRequest : IMessage<TRequest>
    {
        parser.ParseFrom(message);
        return UnaryResult.Ok(ReplyFrame.From(reply()));
    }
}

/// <summary>A unary method of a service.</summary>
/// <param name="Answer">Turns the request message into the result. Must not keep the message's memory.</param>
/// <param name="IsBench">
/// Whether the method is measured. The calls of such a method are counted, and the endpoint's behavior applies to them.
/// </param>
internal sealed record UnaryMethod(UnaryAnswer Answer, bool IsBench);

internal delegate UnaryResult UnaryAnswer(in ReadOnlySequence<byte> message, ServerEndpoint endpoint);
