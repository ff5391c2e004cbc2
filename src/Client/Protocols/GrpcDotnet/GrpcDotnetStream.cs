using Grpc.Core;
using IpcBench.Client.Engine;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Protocols.GrpcDotnet;

/// <summary>One stream's calls through the generated client.</summary>
internal sealed class GrpcDotnetStream(GrpcDotnetConnection connection, Bench.BenchClient client, DownloadRequest request) : IStream
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
            using var call = client.DownloadAsync(request, new CallOptions(cancellationToken: Begin(sentNs)));
            var reply = await call.ResponseAsync.ConfigureAwait(false);
            if (reply.Payload.Length != request.Size)
                return CallResult.Failed("wrong length");
            connection.OnSuccess();
            return CallResult.Ok;
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
        if (e.Status.DebugException is null)
            return CallResult.Failed(StatusKinds[(int)e.StatusCode]);
        connection.Lost();
        return CallResult.Failed("connection lost");
    }
}
