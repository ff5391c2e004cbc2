using Grpc.Core;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Grpc;

namespace IpcBench.Client.Protocols.GrpcDotnet;

/// <summary>Calls of one method on one channel, with requests and replies as the bytes that they are.</summary>
internal sealed class GrpcDotnetMethod
{
    private static readonly Marshaller<byte[]> Bytes = Marshallers.Create(
        static (byte[] message, SerializationContext context) => context.Complete(message),
        static context => context.PayloadAsNewBuffer());

    private readonly CallInvoker invoker;
    private readonly GrpcCall call;
    private readonly FailureNotes notes;
    private readonly Method<byte[], byte[]> method;
    private readonly Metadata metadata = [];
    private int turn = -1;

    public GrpcDotnetMethod(CallInvoker invoker, GrpcCall call, FailureNotes notes)
    {
        (this.invoker, this.call, this.notes) = (invoker, call, notes);
        var slash = call.Method.IndexOf('/', StringComparison.Ordinal);
        method = new Method<byte[], byte[]>(MethodType.Unary, call.Method[..slash], call.Method[(slash + 1)..], Bytes, Bytes);
        foreach (var (name, value) in call.Metadata)
        {
            if (name.EndsWith(Metadata.BinaryHeaderSuffix, StringComparison.Ordinal))
                metadata.Add(name, Convert.FromBase64String(value.TrimEnd('=').PadRight((value.TrimEnd('=').Length + 3) / 4 * 4, '=')));
            else
                metadata.Add(name, value);
        }
    }

    /// <summary>Sends the next request.</summary>
    public AsyncUnaryCall<byte[]> Call(CancellationToken cancellation)
    {
        var next = (uint)Interlocked.Increment(ref turn) % (uint)call.Messages.Count;
        var deadline = call.Deadline is { } time ? (TimeProvider.System.GetUtcNow() + time).UtcDateTime : (DateTime?)null;
        return invoker.AsyncUnaryCall(method, null, new CallOptions(metadata, deadline, cancellation), call.Messages[(int)next]);
    }

    /// <summary>Whether a reply is right.</summary>
    public CallResult Judge(byte[] reply, bool isFirst)
    {
        if (!isFirst || call.Expect?.Invoke(reply) is not { } difference)
            return CallResult.Ok(reply.Length);
        const string kind = "not as expected";
        notes.Add(kind, difference);
        return CallResult.Failed(kind);
    }
}
