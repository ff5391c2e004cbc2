using IpcBench.Protocol;
using IpcBench.Server.Services;

namespace IpcBench.Server.BuiltIn;

/// <summary>How a call ends: with a reply, or with a status and a message.</summary>
internal readonly record struct UnaryResult(ReplyFrame? Reply, GrpcStatusCode Code, string Message)
{
    public static UnaryResult Ok(ReplyFrame reply) => new(reply, GrpcStatusCode.Ok, "");

    public static UnaryResult Fail(GrpcStatusCode code, string message) => new(null, code, message);
}
