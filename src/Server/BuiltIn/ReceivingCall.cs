using System.Buffers;
using IpcBench.Http2;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;
using IpcBench.Server.Behaviors;
using IpcBench.Server.Endpoints;
using IpcBench.Server.Services;
using IpcBench.Transports.Loop;
using Microsoft.AspNetCore.Http.Features;
using static System.FormattableString;

namespace IpcBench.Server.BuiltIn;

internal enum ReceivingMethod
{
    /// <summary>Receives one message.</summary>
    Upload,

    /// <summary>Answers each message with a message of the same size.</summary>
    Echo,

    /// <summary>Counts the messages. At the end of the call, reports their number and their arrival times.</summary>
    Push,
}

/// <summary>
/// Receives the messages of a call until the client half-closes the stream. An <see cref="ReceivingMethod.Upload"/> has
/// exactly one message. <see cref="ReceivingMethod.Echo"/> answers each message.
/// </summary>
internal sealed class ReceivingCall(
    IFeatureCollection features, BenchServices services, ServerEndpoint endpoint, ReceivingMethod method)
    : MessageCall(features, services, endpoint)
{
    private readonly Received received = new();
    private readonly ArrivalLog? arrivals = method == ReceivingMethod.Push ? new ArrivalLog() : null;
    private PayloadReader reader;

    protected override bool IsStream => method != ReceivingMethod.Upload;

    private string Limit => Invariant($"this server's limit is {Services.MaxSize} bytes of payload");

    protected override async Task<UnaryResult> ServeAsync()
    {
        var body = Features.GetRequiredFeature<IRequestBodyPipeFeature>().Reader;
        var output = method == ReceivingMethod.Echo ? Begin() : null;
        while (true)
        {
            var read = await body.ReadAsync();
            var (left, before, now) = (read.Buffer, received.Messages, arrivals is null ? 0 : MonotonicClock.NowNs);
            var unflushed = 0;
            while (Next(ref left, out var wrong))
            {
                if (wrong.Message is not null)
                    return wrong;
                received.Messages++;
                received.Bytes += method == ReceivingMethod.Echo ? reader.Size : Endpoint.Behavior.SizeFor((int)reader.Size);
                if (Endpoint.Behavior != EndpointBehavior.None)
                {
                    await Endpoint.Behavior.HoldAsync();
                    now = MonotonicClock.NowNs;
                }
                arrivals?.Add(reader.Stamp, now);
                if (output is null)
                    continue;
                if (unflushed > MostUnflushed)
                {
                    if ((await output.FlushAsync()).IsCompleted)
                        return Gone;
                    unflushed = 0;
                }
                if (!await WriteAsync(output, Endpoint.Behavior.SizeFor((int)reader.Size), reader.Stamp, reader.Sequence))
                    return Gone;
                unflushed += MessageBytes;
            }
            body.AdvanceTo(read.Buffer.End);
            if (IsStream && received.Messages > before)
                Endpoint.Counters.MessagesPassed((int)(received.Messages - before));
            if (output is not null && (await output.FlushAsync()).IsCompleted && !read.IsCompleted)
                return Gone;
            if (read.IsCompleted)
                return Judge();
        }
    }

    protected override async Task EndAsync(UnaryResult end)
    {
        if (method == ReceivingMethod.Echo)
        {
            await base.EndAsync(end);
            return;
        }
        if (end != UnaryResult.Ended)
        {
            ResponseWriter.Fail(Features, end.Code, end.Message);
            return;
        }
        received.Arrivals = arrivals?.Told();
        await ResponseWriter.WriteAsync(Features, ReplyFrame.From(received), Services.Budget);
        ResponseWriter.End(Features, GrpcStatusCode.Ok);
        if (!IsStream)
            Endpoint.Counters.CallAnswered();
    }

    /// <summary>
    /// Reads up to the end of a message. Returns false when the message is incomplete. If the call must end with an
    /// error, the result is true and <paramref name="wrong"/> is the error.
    /// </summary>
    private bool Next(ref ReadOnlySequence<byte> left, out UnaryResult wrong)
    {
        (wrong, var taken) = (default, 0L);
        foreach (var part in left)
        {
            if (part.IsEmpty)
                continue;
            taken += reader.Read(part.Span);
            if (reader.IsBroken)
                wrong = UnaryResult.Fail(GrpcStatusCode.Internal, "the request is not a message of this method, or is compressed");
            else if (reader.Length > (long)Services.MaxSize + RequestReader.MaxMessage)
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
        if (reader.Size > Services.MaxSize)
            return UnaryResult.Fail(GrpcStatusCode.ResourceExhausted, Invariant($"a payload has {reader.Size} bytes: {Limit}"));
        var due = (uint)received.Messages;
        if (!IsStream)
            return due == 0 ? default : UnaryResult.Fail(GrpcStatusCode.Internal, "more than one message in a unary request");
        return reader.Sequence == due ? default
            : UnaryResult.Fail(GrpcStatusCode.DataLoss, Invariant($"message {reader.Sequence} arrived instead of message {due}"));
    }

    /// <summary>Returns the status after the client has half-closed the stream.</summary>
    private UnaryResult Judge()
    {
        if (!reader.IsBetween)
            return UnaryResult.Fail(GrpcStatusCode.Internal, "the request ends within its message");
        if (!IsStream && received.Messages == 0)
            return UnaryResult.Fail(GrpcStatusCode.Internal, "the request has no message");
        return UnaryResult.Ended;
    }
}
