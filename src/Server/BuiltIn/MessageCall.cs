using System.Buffers;
using System.IO.Pipelines;
using Google.Protobuf;
using IpcBench.Http2;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Faults;
using IpcBench.Server.Services;
using IpcBench.Transports.Loop;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Server.Kestrel.Core.Features;

namespace IpcBench.Server.BuiltIn;

/// <summary>
/// One call of a method of Bench whose messages do not have to fit into memory: Upload, Echo, Push and Pull. Payloads that come are counted
/// as they stream by, those that go are cut from the pattern.
/// </summary>
internal sealed class MessageCall
{
    // Between two messages a client may think as long as it likes, so Kestrel's lowest rate of a body does not serve here.
    private static readonly TimeSpan Longest = TimeSpan.FromHours(1);

    // A batch of messages of Pull: what is written before it is flushed.
    private const int BatchBytes = 32 << 10;

    private readonly IFeatureCollection features;
    private readonly BenchServices services;
    private readonly ServerEndpoint endpoint;
    private readonly Method method;
    private readonly Received received = new();
    private readonly ArrivalLog? arrivals;
    private PayloadReader reader;
    private byte[] head = [];
    private int headSize = -1;

    private MessageCall(IFeatureCollection features, BenchServices services, ServerEndpoint endpoint, Method method)
    {
        (this.features, this.services, this.endpoint, this.method) = (features, services, endpoint, method);
        arrivals = method == Method.Push ? new ArrivalLog() : null;
    }

    private enum Method
    {
        Upload,
        Echo,
        Push,
        Pull,
    }

    /// <summary>The call of a request's path; null: it is no such method.</summary>
    public static MessageCall? For(string path, IFeatureCollection features, BenchServices services, ServerEndpoint endpoint)
    {
        Method? method = path switch
        {
            "/ipcbench.v1.Bench/Upload" => Method.Upload,
            "/ipcbench.v1.Bench/Echo" => Method.Echo,
            "/ipcbench.v1.Bench/Push" => Method.Push,
            "/ipcbench.v1.Bench/Pull" => Method.Pull,
            _ => null,
        };
        return method is { } found ? new MessageCall(features, services, endpoint, found) : null;
    }

    public async Task RunAsync()
    {
        if (method == Method.Upload)
        {
            await FinishAsync(await TakeAsync());
            return;
        }
        if (features.Get<IHttpMinRequestBodyDataRateFeature>() is { } rate)
            rate.MinDataRate = null;
        var lifetime = features.GetRequiredFeature<IHttpRequestLifetimeFeature>();
        await using var limit = new Timer(_ => lifetime.Abort(), null, Longest, Timeout.InfiniteTimeSpan);
        await FinishAsync(method == Method.Pull ? await GiveAsync() : await TakeAsync());
    }

    /// <summary>Takes messages until the client has no more, and answers them where it is Echo.</summary>
    private async Task<UnaryResult> TakeAsync()
    {
        var body = features.GetRequiredFeature<IRequestBodyPipeFeature>().Reader;
        var output = method == Method.Echo ? Begin() : null;
        while (true)
        {
            var read = await body.ReadAsync();
            var (left, before, now) = (read.Buffer, received.Messages, arrivals is null ? 0 : MonotonicClock.NowNs);
            while (Next(ref left, out var wrong))
            {
                if (wrong.Message is not null)
                    return wrong;
                received.Messages++;
                received.Bytes += method == Method.Echo ? reader.Size : endpoint.Fault.SizeFor((int)reader.Size);
                if (endpoint.Fault != Fault.None)
                {
                    await endpoint.Fault.HoldAsync();
                    now = MonotonicClock.NowNs;
                }
                arrivals?.Add(reader.Stamp, now);
                if (output is not null && !await AnswerAsync(output))
                    return Gone;
            }
            body.AdvanceTo(read.Buffer.End);
            if (method != Method.Upload && received.Messages > before)
                endpoint.Counters.MessagesPassed((int)(received.Messages - before));
            if (output is not null && (await output.FlushAsync()).IsCompleted && !read.IsCompleted)
                return Gone;
            if (read.IsCompleted)
                return End();
        }
    }

    /// <summary>Goes on to the end of a message; false: there is none in what has come. Not OK: how the call fails.</summary>
    private bool Next(ref ReadOnlySequence<byte> left, out UnaryResult wrong)
    {
        (wrong, var taken) = (default, 0L);
        foreach (var part in left)
        {
            if (part.IsEmpty)
                continue;
            taken += reader.Read(part.Span);
            if (reader.IsBroken)
                wrong = UnaryResult.Fail(GrpcStatusCode.Internal, "the request is no message of this method, or compressed");
            else if (reader.Length > services.MaxSize + RequestReader.MaxMessage)
                wrong = UnaryResult.Fail(GrpcStatusCode.ResourceExhausted, Invariant($"a message has {reader.Length} bytes: {Limit}"));
            else if (!reader.IsComplete)
                continue;
            else
                wrong = Check();
            left = left.Slice(taken);
            return true;
        }
        return false;
    }

    private UnaryResult Check()
    {
        if (reader.Size > services.MaxSize)
            return UnaryResult.Fail(GrpcStatusCode.ResourceExhausted, Invariant($"a payload has {reader.Size} bytes: {Limit}"));
        var due = (uint)received.Messages;
        if (method == Method.Upload)
            return due == 0 ? default : UnaryResult.Fail(GrpcStatusCode.Internal, "more than one message in a unary request");
        return reader.Sequence == due ? default
            : UnaryResult.Fail(GrpcStatusCode.DataLoss, Invariant($"message {reader.Sequence} came where {due} was due"));
    }

    private string Limit => Invariant($"this server's limit is {services.MaxSize} bytes of payload");

    private UnaryResult End()
    {
        if (!reader.IsBetween)
            return UnaryResult.Fail(GrpcStatusCode.Internal, "the request ends within its message");
        if (method == Method.Upload && received.Messages == 0)
            return UnaryResult.Fail(GrpcStatusCode.Internal, "the request has no message");
        return Ok;
    }

    /// <summary>False: the client has given the stream up.</summary>
    private ValueTask<bool> AnswerAsync(PipeWriter output) =>
        WriteAsync(output, endpoint.Fault.SizeFor((int)reader.Size), reader.Stamp, reader.Sequence);

    private ValueTask<bool> WriteAsync(PipeWriter output, int size, ulong stamp, uint sequence)
    {
        if (headSize != size)
            (head, headSize) = (PayloadFrame.HeadOf(size), size);
        PayloadFrame.Number(head, stamp, sequence);
        if (head.Length + size > WriteBudget.Free)
            return ResponseWriter.WritePartsAsync(output, new ReplyFrame(head, size), services.Budget);
        var frame = output.GetSpan(head.Length + size);
        head.CopyTo(frame);
        PayloadPattern.Fill(frame.Slice(head.Length, size));
        output.Advance(head.Length + size);
        return ValueTask.FromResult(true);
    }

    /// <summary>Sends messages, each when it is due, until there are as many as asked for or the client cancels.</summary>
    private async Task<UnaryResult> GiveAsync()
    {
        var (request, wrong) = await AskedAsync();
        if (request is null)
            return wrong;
        var (output, start, unflushed) = (Begin(), MonotonicClock.NowNs + request.DelayNs, 0L);
        var (pace, gone) = (new MessagePace(), features.GetRequiredFeature<IHttpRequestLifetimeFeature>().RequestAborted);
        for (var number = 0L; request.Messages == 0 || number < request.Messages; number++)
        {
            var due = request.Rate > 0 ? start + (long)(number * (1e9 / request.Rate)) : MonotonicClock.NowNs;
            if (unflushed >= BatchBytes || due > MonotonicClock.NowNs)
            {
                unflushed = 0;
                var flushing = output.FlushAsync();
                var isFast = flushing.IsCompleted;
                if ((await flushing).IsCompleted)
                    return Gone;
                if (isFast)
                    await default(FairTurn);
            }
            if (request.Rate > 0)
                await pace.UntilAsync(due, gone);
            if (endpoint.Fault != Fault.None)
                await endpoint.Fault.HoldAsync();
            if (!await WriteAsync(output, endpoint.Fault.SizeFor((int)request.Size), (ulong)due, (uint)number))
                return Gone;
            unflushed += head.Length + request.Size;
            endpoint.Counters.MessagesPassed(1);
        }
        return Ok;
    }

    private async Task<(PullRequest? Request, UnaryResult Wrong)> AskedAsync()
    {
        var body = features.GetRequiredFeature<IRequestBodyPipeFeature>().Reader;
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
            if (!services.Accepts(request.Size, out var refusal))
                failure = UnaryResult.Fail(GrpcStatusCode.InvalidArgument, refusal);
            else if (!BenchServices.Accepts(request))
                failure = UnaryResult.Fail(GrpcStatusCode.InvalidArgument, BenchServices.WrongPull);
            return failure.Message is null ? request : null;
        }
        catch (InvalidProtocolBufferException e)
        {
            failure = UnaryResult.Fail(GrpcStatusCode.Internal, "the request is no message of this method: " + e.Message);
            return null;
        }
    }

    private PipeWriter Begin()
    {
        features.GetRequiredFeature<IHttpResponseFeature>().Headers.ContentType = ResponseWriter.ContentType;
        return features.GetRequiredFeature<IHttpResponseBodyFeature>().Writer;
    }

    private async Task FinishAsync(UnaryResult end)
    {
        if (end == Gone)
            return;
        if (endpoint.Fault.EndsWithError && end == Ok)
            end = UnaryResult.Fail(GrpcStatusCode.Internal, "");
        if (method is Method.Echo or Method.Pull)
        {
            if (features.GetRequiredFeature<IHttpResponseFeature>() is { HasStarted: false } response)
                response.Headers.ContentType = ResponseWriter.ContentType;
            ResponseWriter.End(features, end.Code);
            if (end.Message.Length > 0)
                features.GetRequiredFeature<IHttpResponseTrailersFeature>().Trailers.GrpcMessage = GrpcStatus.EncodeMessage(end.Message);
            return;
        }
        if (end != Ok)
        {
            ResponseWriter.Fail(features, end.Code, end.Message);
            return;
        }
        received.Arrivals = arrivals?.Told();
        await ResponseWriter.WriteAsync(features, ReplyFrame.Of(received), services.Budget);
        ResponseWriter.End(features, GrpcStatusCode.Ok);
        if (method == Method.Upload)
            endpoint.Counters.CallAnswered();
    }

    private static UnaryResult Ok => UnaryResult.Fail(GrpcStatusCode.Ok, "");

    /// <summary>The client has given the call up, and nobody hears how it ends.</summary>
    private static UnaryResult Gone => UnaryResult.Fail(GrpcStatusCode.Cancelled, "");

    private static string Invariant(FormattableString text) => FormattableString.Invariant(text);
}
