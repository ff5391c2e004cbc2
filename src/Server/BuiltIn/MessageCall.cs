using System.IO.Pipelines;
using IpcBench.Http2;
using IpcBench.Protocol;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Services;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace IpcBench.Server.BuiltIn;

/// <summary>
/// One call of a method of Bench whose messages do not have to fit into memory: Upload, Echo, Push and Pull. Payloads that come are counted
/// as they stream by, those that go are cut from the pattern.
/// </summary>
internal abstract class MessageCall(IFeatureCollection features, BenchServices services, ServerEndpoint endpoint)
{
    /// <summary>So many bytes of answers are written before the client is waited for, however many of its messages have arrived.</summary>
    public const int MostUnflushed = 32 << 10;

    // Between two messages a client may think as long as it likes, so Kestrel's lowest rate of a body does not serve here.
    private static readonly TimeSpan Longest = TimeSpan.FromHours(1);

    private byte[] head = [];
    private int headSize = -1;

    /// <summary>The client has given the call up, and nobody hears how it ends.</summary>
    protected static UnaryResult Gone => UnaryResult.Fail(GrpcStatusCode.Cancelled, "");

    /// <summary>There may be more than one message, whenever a side likes.</summary>
    protected virtual bool IsStream => true;

    /// <summary>Of the message that was written last, with its prefix.</summary>
    protected int MessageBytes => head.Length + headSize;

    protected IFeatureCollection Features { get; } = features;

    protected BenchServices Services { get; } = services;

    protected ServerEndpoint Endpoint { get; } = endpoint;

    /// <summary>The call of a request's path; null: it is no such method.</summary>
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

    /// <summary>All messages, up to how the call ends.</summary>
    protected abstract Task<UnaryResult> ServeAsync();

    /// <summary>Tells the client how the call ends; where messages went to it, that is all there is to say.</summary>
    protected virtual Task EndAsync(UnaryResult end)
    {
        if (Features.GetRequiredFeature<IHttpResponseFeature>() is { HasStarted: false } response)
            response.Headers.ContentType = ResponseWriter.ContentType;
        ResponseWriter.End(Features, end.Code, end.Message);
        return Task.CompletedTask;
    }

    /// <summary>Begins an answer of messages.</summary>
    protected PipeWriter Begin()
    {
        Features.GetRequiredFeature<IHttpResponseFeature>().Headers.ContentType = ResponseWriter.ContentType;
        return Features.GetRequiredFeature<IHttpResponseBodyFeature>().Writer;
    }

    /// <summary>Writes a message. False: the client has given the stream up.</summary>
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
