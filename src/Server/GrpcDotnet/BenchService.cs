using System.Numerics;
using Google.Protobuf;
using Grpc.Core;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;
using IpcBench.Server.Behaviors;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Options;
using IpcBench.Server.Services;
using IpcBench.Transports.Loop;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace IpcBench.Server.GrpcDotnet;

/// <summary>The Bench service on the generated base class: one instance for all calls, with prepared replies.</summary>
internal sealed class BenchService(BenchServices services) : Bench.BenchBase
{
    // The number of messages after which Pull lets other work run. Sending 64 small messages takes less than 1 ms.
    private const long MessagesOfTurn = 64;

    private readonly ReplyMessages replies = new();

    public override Task<DownloadReply> Download(DownloadRequest request, ServerCallContext context)
    {
        if (!services.Accepts(request.Size, out var refusal))
            throw new RpcException(new Status(StatusCode.InvalidArgument, refusal));
        var http = context.GetHttpContext();
        var endpoint = http.Features.GetRequiredFeature<ServerEndpoint>();
        var room = ReplyRoom.TakeAsync(services.Whole, http, request.Size);
        if (endpoint.Behavior != EndpointBehavior.None || !room.IsCompletedSuccessfully)
            return AnswerAsync(room, request, context, endpoint);
        endpoint.Counters.CallAnswered();
        return replies.For((int)request.Size);
    }

    public override async Task<Received> Upload(Payload request, ServerCallContext context)
    {
        var endpoint = EndpointOf(context);
        await endpoint.Behavior.HoldAsync();
        if (endpoint.Behavior.EndsWithError)
            context.Status = new Status(StatusCode.Internal, "");
        else
            endpoint.Counters.CallAnswered();
        return new Received { Bytes = endpoint.Behavior.SizeFor(request.Payload_.Length), Messages = 1 };
    }

    public override async Task Echo(
        IAsyncStreamReader<Payload> requests, IServerStreamWriter<Payload> answers, ServerCallContext context)
    {
        var endpoint = EndpointOf(context);
        var due = 0u;
        while (await requests.MoveNext(context.CancellationToken))
        {
            var message = requests.Current;
            Check(message, due++);
            endpoint.Counters.MessagesPassed(1);
            await endpoint.Behavior.HoldAsync();
            var size = endpoint.Behavior.SizeFor(message.Payload_.Length);
            if (size < message.Payload_.Length)
                message.Payload_ = UnsafeByteOperations.UnsafeWrap(message.Payload_.Memory[..size]);
            await answers.WriteAsync(message, context.CancellationToken);
        }
        if (endpoint.Behavior.EndsWithError)
            context.Status = new Status(StatusCode.Internal, "");
    }

    public override async Task<Received> Push(IAsyncStreamReader<Payload> requests, ServerCallContext context)
    {
        var endpoint = EndpointOf(context);
        var (received, arrivals, due) = (new Received(), new ArrivalLog(), 0u);
        while (await requests.MoveNext(context.CancellationToken))
        {
            Check(requests.Current, due++);
            endpoint.Counters.MessagesPassed(1);
            received.Messages++;
            received.Bytes += endpoint.Behavior.SizeFor(requests.Current.Payload_.Length);
            await endpoint.Behavior.HoldAsync();
            arrivals.Add(requests.Current.Stamp, MonotonicClock.NowNs);
        }
        if (endpoint.Behavior.EndsWithError)
            context.Status = new Status(StatusCode.Internal, "");
        received.Arrivals = arrivals.Told();
        return received;
    }

    public override async Task Pull(PullRequest request, IServerStreamWriter<Payload> answers, ServerCallContext context)
    {
        if (!services.Accepts(request.Size, out var refusal))
            throw new RpcException(new Status(StatusCode.InvalidArgument, refusal));
        if (!BenchServices.Accepts(request))
            throw new RpcException(new Status(StatusCode.InvalidArgument, BenchServices.WrongPull));
        var endpoint = EndpointOf(context);
        var size = endpoint.Behavior.SizeFor((int)request.Size);
        var parts = request.Chunk > 0 ? Math.Max(1, (size + request.Chunk - 1) / request.Chunk) : 1;
        var (part, last) = (await PartAsync(parts == 1 ? size : request.Chunk), await PartAsync(size - (parts - 1) * request.Chunk));
        var (start, pace, sequence) = (MonotonicClock.NowNs + request.DelayNs, new MessagePace(), 0u);
        for (var number = 0L; request.Messages == 0 || number < request.Messages; number++)
        {
            var due = request.Rate > 0 ? start + (long)(number * (1e9 / request.Rate)) : MonotonicClock.NowNs;
            if (request.Rate > 0)
                await pace.UntilAsync(due, context.CancellationToken);
            await endpoint.Behavior.HoldAsync();
            for (var left = parts; left > 0; left--)
            {
                var message = new Payload { Stamp = (ulong)due, Sequence = sequence++, Payload_ = left == 1 ? last : part };
                await answers.WriteAsync(message, context.CancellationToken);
                if (sequence % MessagesOfTurn == 0)
                    await default(FairTurn);
            }
            endpoint.Counters.MessagesPassed(1);
        }
    }

    private async Task<ByteString> PartAsync(long size) => (await replies.For((int)size)).Payload;

    private static ServerEndpoint EndpointOf(ServerCallContext context) =>
        context.GetHttpContext().Features.GetRequiredFeature<ServerEndpoint>();

    private static void Check(Payload message, uint due)
    {
        if (message.Sequence != due)
            throw new RpcException(new Status(StatusCode.DataLoss, $"message {message.Sequence} arrived instead of message {due}"));
    }

    private async Task<DownloadReply> AnswerAsync(
        ValueTask room, DownloadRequest request, ServerCallContext context, ServerEndpoint endpoint)
    {
        await room;
        await endpoint.Behavior.HoldAsync();
        // The status is set and not thrown, so that the whole payload is sent before the status.
        if (endpoint.Behavior.EndsWithError)
            context.Status = new Status(StatusCode.Internal, "");
        else
            endpoint.Counters.CallAnswered();
        return await replies.For(endpoint.Behavior.SizeFor((int)request.Size));
    }
}

/// <summary>The Control service on the generated base class.</summary>
internal sealed class ControlService(BenchServices services) : Control.ControlBase
{
    public override Task<DescribeReply> Describe(DescribeRequest request, ServerCallContext context) =>
        Task.FromResult(services.Describe());

    public override Task<UsageReply> Usage(UsageRequest request, ServerCallContext context) => Task.FromResult(services.Usage());
}

/// <summary>The replies of <c>Download</c> as completed tasks. The replies share memory for their payloads.</summary>
internal sealed class ReplyMessages
{
    private readonly KeptBySize<Task<DownloadReply>> kept;
    private byte[] pattern = [];

    public ReplyMessages() => kept = new(Make);

    public Task<DownloadReply> For(int size) => kept.For(size);

    // Each payload is the beginning of the newest array. When a size needs a longer array, the new length is rounded up
    // to a power of two, so that slowly growing sizes need few arrays.
    private Task<DownloadReply> Make(int size, bool isKept)
    {
        if (pattern.Length < size)
        {
            pattern = GC.AllocateUninitializedArray<byte>((int)Math.Min(BitOperations.RoundUpToPowerOf2((uint)size), ByteSize.Most));
            PayloadPattern.Fill(pattern);
        }
        return Task.FromResult(new DownloadReply { Payload = UnsafeByteOperations.UnsafeWrap(pattern.AsMemory(0, size)) });
    }
}

/// <summary>
/// The memory budget that a large reply has taken. The stack copies the reply into the response and ends the handler, but
/// the copy stays in memory until the client has read it.
/// </summary>
internal sealed class ReplyRoom(IDisposable room)
{
    /// <summary>Waits for memory budget. The call keeps this budget until <see cref="Around"/> gives it back.</summary>
    public static async ValueTask TakeAsync(WholeReplies replies, HttpContext http, long bytes)
    {
        var connection = http.Features.GetRequiredFeature<IConnectionLifetimeFeature>();
        if (await replies.TakeAsync(bytes, connection.Abort, http.RequestAborted) is { } room)
            http.Features.Set(new ReplyRoom(room));
    }

    /// <summary>
    /// Wraps a handler. A call with a large reply then keeps its budget until the client has read the reply.
    /// </summary>
    public static RequestDelegate Around(RequestDelegate answer) => http =>
    {
        var answering = answer(http);
        return answering.IsCompletedSuccessfully && http.Features.Get<ReplyRoom>() is null ? answering : ReturnAsync(http, answering);
    };

    private static async Task ReturnAsync(HttpContext http, Task answering)
    {
        try
        {
            await answering;
            if (http.Features.Get<ReplyRoom>() is not null)
                await http.Response.BodyWriter.FlushAsync();
        }
        finally
        {
            http.Features.Get<ReplyRoom>()?.Return();
        }
    }

    private void Return() => room.Dispose();
}
