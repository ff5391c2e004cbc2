using System.Buffers;
using Google.Protobuf;
using IpcBench.Http2;
using IpcBench.Protocol.V1;
using IpcBench.Server.Behaviors;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Services;
using IpcBench.Transports.Loop;
using Microsoft.AspNetCore.Http.Features;

namespace IpcBench.Server.BuiltIn;

/// <summary>
/// Serves the method Pull. Sends each payload at its due time, as one message or as several, until the requested number
/// of payloads is sent or the client cancels.
/// </summary>
internal sealed class SendingCall(IFeatureCollection features, BenchServices services, ServerEndpoint endpoint)
    : MessageCall(features, services, endpoint)
{
    // After this many written bytes the output is flushed.
    private const int BatchBytes = 32 << 10;

    protected override async Task<UnaryResult> ServeAsync()
    {
        var (request, wrong) = await AskedAsync();
        if (request is null)
            return wrong;
        var (output, start, unflushed) = (Begin(), MonotonicClock.NowNs + request.DelayNs, 0L);
        var (pace, gone) = (new MessagePace(), Features.GetRequiredFeature<IHttpRequestLifetimeFeature>().RequestAborted);
        // left: the bytes of the current payload that are still to be sent. number: payloads so far. sequence: messages so far.
        var (left, due, number, sequence) = (0, 0L, 0L, 0u);
        while (left > 0 || request.Messages == 0 || number < request.Messages)
        {
            var begins = left == 0;
            if (begins)
                due = request.Rate > 0 ? start + (long)(number * (1e9 / request.Rate)) : MonotonicClock.NowNs;
            if (unflushed >= BatchBytes || (begins && due > MonotonicClock.NowNs))
            {
                unflushed = 0;
                var flushing = output.FlushAsync();
                var isFast = flushing.IsCompleted;
                if ((await flushing).IsCompleted)
                    return Gone;
                if (isFast)
                    await default(FairTurn);
            }
            if (begins && request.Rate > 0)
                await pace.UntilAsync(due, gone);
            if (begins && Endpoint.Behavior != EndpointBehavior.None)
                await Endpoint.Behavior.HoldAsync();
            if (begins)
                left = Endpoint.Behavior.SizeFor((int)request.Size);
            var part = request.Chunk > 0 ? (int)Math.Min(left, request.Chunk) : left;
            if (!await WriteAsync(output, part, (ulong)due, sequence++))
                return Gone;
            unflushed += MessageBytes;
            left -= part;
            if (left > 0)
                continue;
            number++;
            Endpoint.Counters.MessagesPassed(1);
        }
        return UnaryResult.Ended;
    }

    private async Task<(PullRequest? Request, UnaryResult Wrong)> AskedAsync()
    {
        var body = Features.GetRequiredFeature<IRequestBodyPipeFeature>().Reader;
        while (true)
        {
            var read = await body.ReadAsync();
            var state = RequestReader.Read(read.Buffer, read.IsCompleted, out var message, out var failure);
            if (state == ReadState.NeedsMore)
            {
                body.AdvanceTo(read.Buffer.Start, read.Buffer.End);
                continue;
            }
            if (state == ReadState.Failed)
                return (null, failure);
            var asked = Parse(message, out failure);
            body.AdvanceTo(read.Buffer.End);
            return (asked, failure);
        }
    }

    private PullRequest? Parse(in ReadOnlySequence<byte> message, out UnaryResult failure)
    {
        failure = default;
        try
        {
            var request = PullRequest.Parser.ParseFrom(message);
            if (!Services.Accepts(request.Size, out var refusal))
                failure = UnaryResult.Fail(GrpcStatusCode.InvalidArgument, refusal);
            else if (!BenchServices.Accepts(request))
                failure = UnaryResult.Fail(GrpcStatusCode.InvalidArgument, BenchServices.WrongPull);
            return failure.Message is null ? request : null;
        }
        catch (InvalidProtocolBufferException e)
        {
            failure = UnaryResult.NoMessage(e);
            return null;
        }
    }
}
