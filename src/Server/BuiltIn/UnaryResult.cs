using Google.Protobuf;
using IpcBench.Http2;
using IpcBench.Server.Services;

namespace IpcBench.Server.BuiltIn;

/// <summary>The end of a call: a reply, or a status with a message.</summary>
internal readonly record struct UnaryResult(ReplyFrame? Reply, GrpcStatusCode Code, string Message)
{
    public static UnaryResult Ok(ReplyFrame reply) => new(reply, GrpcStatusCode.Ok, "");

    /// <summary>The status OK without a reply. The call itself sends its messages.</summary>
    public static UnaryResult Ended => new(null, GrpcStatusCode.Ok, "");

    public static UnaryResult Fail(GrpcStatusCode code, string message) => new(null, code, message);

    public static UnaryResult NoMessage(InvalidProtocolBufferException why) =>
        Fail(GrpcStatusCode.Internal, "the request is not a message of this method: " + why.Message);
}
