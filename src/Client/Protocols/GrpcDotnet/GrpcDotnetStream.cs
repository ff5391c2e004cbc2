using Grpc.Core;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Protocols.GrpcDotnet;

/// <summary>One stream's calls through the generated client, or of a method that the tool does not know as bytes.</summary>
internal sealed class GrpcDotnetStream(
    GrpcDotnetConnection connection, Bench.BenchClient client, DownloadRequest request, GrpcDotnetMethod? method) : IStream
{
    private static readonly string[] StatusKinds =
        [.. Enumerable.Range(0, 17).Select(code => FormattableString.Invariant($"status {code}"))];

    private readonly Lock gate = new();
    private CancellationTokenSource cutOff = new();
    private long sentNs = long.MaxValue;

    public ValueTask<bool> ReadyAsync() => connection.ReadyAsync();

    public async ValueTask<CallResult> CallAsync(long sentNs)
    {
        try
        {
            if (method is not null)
            {
                var isFirst = connection.TakesFirstReply();
                using var any = method.Call(Begin(sentNs));
                var bytes = await any.ResponseAsync.ConfigureAwait(false);
                connection.OnSuccess();
                return method.Judge(bytes, isFirst);
            }
            using var call = client.DownloadAsync(request, new CallOptions(cancellationToken: Begin(sentNs)));
            var reply = await call.ResponseAsync.ConfigureAwait(false);
            if (reply.Payload.Length != request.Size)
                return CallResult.Failed("wrong length");
            connection.OnSuccess();
            return CallResult.Ok(request.Size);
        }
        catch (RpcException e)
        {
            return Result(e);
        }
        finally
        {
            End();
        }
    }

    /// <summary>Cancels the call that is out, when it was sent before that time.</summary>
    public void CutOff(long sentBeforeNs)
    {
        lock (gate)
        {
            if (sentNs < sentBeforeNs)
                cutOff.Cancel();
        }
    }

    private CancellationToken Begin(long now)
    {
        lock (gate)
        {
            if (cutOff.IsCancellationRequested)
                cutOff = new CancellationTokenSource();
            sentNs = now;
            return cutOff.Token;
        }
    }

    private void End()
    {
        lock (gate)
            sentNs = long.MaxValue;
    }

    private CallResult Result(RpcException e)
    {
        if (e.StatusCode == StatusCode.Cancelled && cutOff.IsCancellationRequested)
            return CallResult.CutOff;
        // An exception beneath the status: the library made the status up, the server sent none.
        if (e.Status.DebugException is null || (method is not null && e.StatusCode == StatusCode.DeadlineExceeded))
        {
            var kind = StatusKinds[(int)e.StatusCode];
            connection.Notes.Add(kind, e.Status.Detail);
            return CallResult.Failed(kind);
        }
        connection.Lost();
        return CallResult.Failed("connection lost");
    }
}

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
