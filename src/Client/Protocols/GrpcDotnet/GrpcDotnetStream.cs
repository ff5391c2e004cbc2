using Grpc.Core;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Protocols.GrpcDotnet;

/// <summary>A stream of the load on a channel. It has at most one call in flight, which can be cut off.</summary>
internal abstract class GrpcDotnetStream(GrpcDotnetConnection connection) : IStream
{
    private readonly Lock gate = new();
    private CancellationTokenSource cutOff = new();
    private long sentNs = long.MaxValue;

    // The number of the connection on which the call is made.
    private int opening;

    protected GrpcDotnetConnection Connection => connection;

    /// <summary>The stream that stays open between calls. Null when there is none. A failed call ends it.</summary>
    protected IDisposable? Open { get; set; }

    /// <summary>True when calls may have a deadline. DEADLINE_EXCEEDED then counts as a status from the server.</summary>
    protected virtual bool HasDeadline => false;

    public ValueTask<bool> ReadyAsync() => connection.ReadyAsync();

    public virtual async ValueTask<CallResult> CallAsync(long sentNs) => await TryAsync(sentNs, Call);

    public virtual ValueTask<CallResult> EndAsync(long nowNs) => new(CallResult.Ok(0));

    /// <summary>Cancels the call in flight if it was sent before <paramref name="sentBeforeNs"/>.</summary>
    public void CutOff(long sentBeforeNs)
    {
        lock (gate)
        {
            if (sentNs < sentBeforeNs)
                cutOff.Cancel();
        }
    }

    /// <summary>Makes one call. <see cref="TryAsync"/> turns the library's exceptions into failed calls.</summary>
    protected abstract Task<CallResult> Call(long sentNs, CancellationToken cancellation);

    /// <summary>
    /// Drops the stream that stays open between calls, if there is one. A cut-off that comes just after the answer to a
    /// call cancels this stream, so that the next call needs a new stream.
    /// </summary>
    protected virtual void DropOpen() => Close();

    protected void Close()
    {
        Open?.Dispose();
        Open = null;
    }

    /// <summary>Turns exceptions of the library into results.</summary>
    protected async Task<CallResult> TryAsync(long nowNs, Func<long, CancellationToken, Task<CallResult>> make)
    {
        try
        {
            var token = Begin(nowNs);
            if (Open is null)
                opening = connection.Opening;
            var result = await make(nowNs, token).ConfigureAwait(false);
            if (result.IsOk)
                connection.OnSuccess();
            else
                Close();
            return result;
        }
        catch (RpcException e)
        {
            Close();
            return Result(e);
        }
        catch (Exception e)
        {
            // After the connection broke, a write may throw any exception of the library's HTTP/2 handler, even of its
            // decoder.
            Close();
            return cutOff.IsCancellationRequested ? CallResult.CutOff : Broken(e);
        }
        finally
        {
            lock (gate)
                sentNs = long.MaxValue;
        }
    }

    private CancellationToken Begin(long now)
    {
        lock (gate)
        {
            if (cutOff.IsCancellationRequested)
            {
                DropOpen();
                cutOff = new CancellationTokenSource();
            }
            sentNs = now;
            return cutOff.Token;
        }
    }

    private CallResult Result(RpcException e)
    {
        if (e.StatusCode == StatusCode.Cancelled && cutOff.IsCancellationRequested)
            return CallResult.CutOff;
        // If the status has a DebugException, the server sent no status: the library made this status itself.
        if (e.Status.DebugException is not { } cause || (HasDeadline && e.StatusCode == StatusCode.DeadlineExceeded))
        {
            var kind = FailureKind.OfGrpc((int)e.StatusCode);
            connection.Notes.Add(kind, e.Status.Detail);
            return CallResult.Failed(kind);
        }
        return Broken(cause);
    }

    /// <summary>Returns the result of a call that the server has ended without a status.</summary>
    private CallResult Broken(Exception cause)
    {
        for (var inner = cause; inner is not null; inner = inner.InnerException)
        {
            // .NET throws the same exception after RST_STREAM and after GOAWAY with an error. Only the text tells which of the two came.
            if (inner is HttpProtocolException && inner.Message.StartsWith("The HTTP/2 server reset the stream", StringComparison.Ordinal))
            {
                connection.Notes.Add(FailureKind.Reset, inner.Message);
                return CallResult.Failed(FailureKind.Reset);
            }
        }
        connection.Lost(opening);
        return CallResult.Failed(FailureKind.ConnectionLost);
    }
}

/// <summary>Makes unary calls. Bench is called through the generated client. The user's method is called with encoded messages.</summary>
internal sealed class GrpcDotnetCalls(
    GrpcDotnetConnection connection, Bench.BenchClient client, DownloadRequest request, Payload? upload, GrpcDotnetMethod? method)
    : GrpcDotnetStream(connection)
{
    protected override bool HasDeadline => method is not null;

    protected override async Task<CallResult> Call(long sentNs, CancellationToken cancellation)
    {
        if (method is not null)
        {
            var isFirst = Connection.TakesFirstReply();
            using var any = method.Call(cancellation);
            try
            {
                return method.Judge(await any.ResponseAsync.ConfigureAwait(false), isFirst);
            }
            catch when (isFirst)
            {
                Connection.LookAtNext();
                throw;
            }
        }
        if (upload is not null)
        {
            using var up = client.UploadAsync(upload, new CallOptions(cancellationToken: cancellation));
            return Judge((await up.ResponseAsync.ConfigureAwait(false)).Bytes);
        }
        using var call = client.DownloadAsync(request, new CallOptions(cancellationToken: cancellation));
        return Judge((await call.ResponseAsync.ConfigureAwait(false)).Payload.Length);
    }

    private CallResult Judge(long bytes) => bytes == request.Size ? CallResult.Ok(bytes) : CallResult.Failed("wrong length");
}

/// <summary>
/// Sends messages on a stream of the generated client. The stream stays open. A call ends with the answer to its message.
/// </summary>
/// <param name="messages">The number of messages after which a new stream is opened. 0 means no limit.</param>
internal sealed class GrpcDotnetMessages(GrpcDotnetConnection connection, Bench.BenchClient client, Payload payload, long messages)
    : GrpcDotnetStream(connection)
{
    private readonly Payload message = payload.Clone();
    private long sent;

    public override async ValueTask<CallResult> EndAsync(long nowNs) => await TryAsync(nowNs, (_, _) =>
        Open is AsyncDuplexStreamingCall<Payload, Payload> call ? FinishAsync(call) : Task.FromResult(CallResult.Ok(0)));

    protected override async Task<CallResult> Call(long sentNs, CancellationToken cancellation)
    {
        if (Open is not AsyncDuplexStreamingCall<Payload, Payload> call)
            (Open, sent) = (call = client.Echo(new CallOptions(cancellationToken: cancellation)), 0);
        (message.Sequence, message.Stamp) = ((uint)sent++, (ulong)sentNs);
        await call.RequestStream.WriteAsync(message, CancellationToken.None).ConfigureAwait(false);
        if (!await call.ResponseStream.MoveNext(CancellationToken.None).ConfigureAwait(false))
            return CallResult.Failed("ended early");
        var answer = call.ResponseStream.Current;
        if ((answer.Sequence, answer.Stamp) != (message.Sequence, message.Stamp))
            return CallResult.Failed("wrong sequence");
        if (answer.Payload_.Length != message.Payload_.Length)
            return CallResult.Failed("wrong length");
        return sent == messages && await FinishAsync(call).ConfigureAwait(false) is { IsOk: false } wrong
            ? wrong : CallResult.Ok(message.Payload_.Length);
    }

    private async Task<CallResult> FinishAsync(AsyncDuplexStreamingCall<Payload, Payload> call)
    {
        await call.RequestStream.CompleteAsync().ConfigureAwait(false);
        var more = await call.ResponseStream.MoveNext(CancellationToken.None).ConfigureAwait(false);
        Close();
        return more ? CallResult.Failed("unasked message") : CallResult.Ok(0);
    }
}

/// <summary>Makes calls of the user's method on one channel. Requests and replies are encoded messages.</summary>
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
    private int turn;

    public GrpcDotnetMethod(CallInvoker invoker, GrpcCall call, FailureNotes notes)
    {
        (this.invoker, this.call, this.notes, turn) = (invoker, call, notes, call.FirstTurn() - 1);
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

    /// <summary>Starts a call with the next of the given requests.</summary>
    public AsyncUnaryCall<byte[]> Call(CancellationToken cancellation)
    {
        var next = (uint)Interlocked.Increment(ref turn) % (uint)call.Messages.Count;
        var deadline = call.Deadline is { } time ? (TimeProvider.System.GetUtcNow() + time).UtcDateTime : (DateTime?)null;
        return invoker.AsyncUnaryCall(method, null, new CallOptions(metadata, deadline, cancellation), call.Messages[(int)next]);
    }

    /// <summary>Returns the result of a call with this reply. The reply is checked only if <paramref name="isFirst"/> is true.</summary>
    public CallResult Judge(byte[] reply, bool isFirst)
    {
        if (!isFirst || call.Expect?.Invoke(reply) is not { } difference)
            return CallResult.Ok(reply.Length);
        const string kind = "not as expected";
        notes.Add(kind, difference);
        return CallResult.Failed(kind);
    }
}
