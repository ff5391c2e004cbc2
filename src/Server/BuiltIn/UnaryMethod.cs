using System.Buffers;
using IpcBench.Http2;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Services;

namespace IpcBench.Server.BuiltIn;

/// <summary>One method of a service.</summary>
/// <param name="Answer">Turns the request message into the result; must not keep the message.</param>
/// <param name="IsBench">It is measured: it counts as a call and suffers its endpoint's fault.</param>
internal sealed record UnaryMethod(UnaryAnswer Answer, bool IsBench);

/// <summary>Turns a request message into a result.</summary>
internal delegate UnaryResult UnaryAnswer(in ReadOnlySequence<byte> message, ServerEndpoint endpoint);

/// <summary>How a call ends: with a reply, or with a status and a message.</summary>
internal readonly record struct UnaryResult(ReplyFrame? Reply, GrpcStatusCode Code, string Message)
{
    public static UnaryResult Ok(ReplyFrame reply) => new(reply, GrpcStatusCode.Ok, "");

    public static UnaryResult Fail(GrpcStatusCode code, string message) => new(null, code, message);
}
