using Grpc.Core;
using IpcBench.Client.Engine;
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
