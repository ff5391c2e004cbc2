using System.IO.Pipelines;
using IpcBench.Http2;
using IpcBench.Protocol;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Services;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace IpcBench.Server.BuiltIn;

/// <summary>
/// A call of a Bench method whose messages need not fit into memory: Upload, Echo, Push and Pull. The bytes of a
/// received payload are counted while they arrive, and are not kept. Sent payloads are slices of the shared pattern.
/// </summary>
internal abstract class MessageCall(IFeatureCollection features, BenchServices services, ServerEndpoint endpoint)
{
    /// <summary>
    /// When more bytes of answers than this are not flushed yet, the call flushes before it answers further messages. The
    /// flush waits while the client does not read.
    /// </summary>
    public const int MostUnflushed = 32 << 10;

    // Kestrel's minimum data rate of a request body is switched off, because a client may pause between two messages.
    // Instead, a call is aborted after this time.
    private static readonly TimeSpan Longest = TimeSpan.FromHours(1);

    private byte[] head = [];
    private int headSize = -1;

    /// <summary>The result of a call that the client has cancelled. Nobody receives this result.</summary>
    protected static UnaryResult Gone => UnaryResult.Fail(GrpcStatusCode.Cancelled, "");

    /// <summary>Whether the call may have more than one message.</summary>
    protected virtual bool IsStream => true;

    /// <summary>The length of the last written message with its prefix, in bytes.</summary>
    protected int MessageBytes => head.Length + headSize;

    protected IFeatureCollection Features { get; } = features;

    protected BenchServices Services { get; } = services;

    protected ServerEndpoint Endpoint { get; } = endpoint;

    /// <summary>
    /// Makes the call for the path of a request. Null when the path is not that of Upload, Echo, Push or Pull.
    /// </summary>
    public static MessageCall? For(string path, IFeatureCollection features, BenchServices services, ServerEndpoint endpoint) => path switch
    {
        "/ipcbench.v1.Bench/Upload" => new ReceivingCall(features, services, endpoint, ReceivingMethod.Upload),
        "/ipcbench.v1.Bench/Echo" => new ReceivingCall(features, services, endpoint, ReceivingMethod.Echo),
        "/ipcbench.v1.Bench/Push" => new ReceivingCall(features, services, endpoint, ReceivingMethod.Push),
        "/ipcbench.v1.Bench/Pull" => new SendingCall(features, services, endpoint),
        _ => null,
    };

    public async Task RunAsync()
    {
        if (!IsStream)
        {
            await FinishAsync(await ServeAsync());
            return;
        }
        if (Features.Get<IHttpMinRequestBodyDataRateFeature>() is { } rate)
            rate.MinDataRate = null;
        var lifetime = Features.GetRequiredFeature<IHttpRequestLifetimeFeature>();
        await using var limit = new Timer(_ => lifetime.Abort(), null, Longest, Timeout.InfiniteTimeSpan);
        await FinishAsync(await ServeAsync());
    }

    /// <summary>Handles all messages and returns the status of the call.</summary>
    protected abstract Task<UnaryResult> ServeAsync();

    /// <summary>Sends the status at the end of the call, together with the headers if no message was sent.</summary>
    protected virtual Task EndAsync(UnaryResult end)
    {
        if (Features.GetRequiredFeature<IHttpResponseFeature>() is { HasStarted: false } response)
            response.Headers.ContentType = ResponseWriter.ContentType;
        ResponseWriter.End(Features, end.Code, end.Message);
        return Task.CompletedTask;
    }

    /// <summary>Begins the response, and returns the writer for its messages.</summary>
    protected PipeWriter Begin()
    {
        Features.GetRequiredFeature<IHttpResponseFeature>().Headers.ContentType = ResponseWriter.ContentType;
        return Features.GetRequiredFeature<IHttpResponseBodyFeature>().Writer;
    }

    /// <summary>Writes a message. Returns false when the client has cancelled the stream.</summary>
    protected ValueTask<bool> WriteAsync(PipeWriter output, int size, ulong stamp, uint sequence)
    {
        if (headSize != size)
            (head, headSize) = (PayloadFrame.HeadOf(size), size);
        PayloadFrame.Number(head, stamp, sequence);
        if (head.Length + size > WriteBudget.Free)
            return ResponseWriter.WritePartsAsync(output, new ReplyFrame(head, size), Services.Budget);
        var frame = output.GetSpan(head.Length + size);
        head.CopyTo(frame);
        PayloadPattern.Fill(frame.Slice(head.Length, size));
        output.Advance(head.Length + size);
        return ValueTask.FromResult(true);
    }

    private async Task FinishAsync(UnaryResult end)
    {
        if (end == Gone)
            return;
        if (Endpoint.Behavior.EndsWithError && end == UnaryResult.Ended)
            end = UnaryResult.Fail(GrpcStatusCode.Internal, "");
        await EndAsync(end);
    }
}
