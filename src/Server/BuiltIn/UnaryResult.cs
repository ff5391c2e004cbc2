using Google.Protobuf;
using IpcBench.Http2;
using IpcBench.Server.Services;

namespace IpcBench.Server.BuiltIn;

/// <summary>The end of a call: a reply, or a status with its text.</summary>
internal readonly record struct UnaryResult(ReplyFrame? Reply, GrpcStatusCode Code, string Message)
{
    public static UnaryResult Ok(ReplyFrame reply) => new(reply, GrpcStatusCode.Ok, "");

    /// <summary>The status OK, for a call that sends its messages itself and has no single reply.</summary>
    public static UnaryResult Ended => new(null, GrpcStatusCode.Ok, "");

    public static UnaryResult Fail(GrpcStatusCode code, string message) => new(null, code, message);

    public static UnaryResult NoMessage(InvalidProtocolBufferException why) =>
        Fail(GrpcStatusCode.Internal, "the request is not a message of this method: " + why.Message);
}
