using System.Buffers;
using Google.Protobuf;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.Grpc;
using IpcBench.Http2;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;
using IpcBench.Transports.Loop;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>
/// Sends messages of <c>Bench.Push</c>, or of a user's method that takes a stream. A call ends when its message is
/// written and the output has room for another message.
/// </summary>
internal sealed class PushStream(ReconnectingHttp2Connection connection, Http2Options options)
    : MessageStream(connection, options), IOneWayStream
{
    // The most bytes of a report of Bench, which has 1024 slots and two numbers for each latency.
    private const int MostReply = 1 << 20;

    private readonly ArrayBufferWriter<byte> reply = new();
    private long dueNs, firstDueNs, beganNs;
    private Receipt? receipt;
    private ArrivalLog? written;

    /// <summary>True when the message in flight is written, and its call waits for room in the output or for its turn.</summary>
    public bool IsWaiting { get; private set; }

    private CallResult Written => CallResult.Ok(Options.IsUserMethod ? Body!.Message.Length - GrpcFraming.PrefixLength : Options.Size);

    public void SetDue(long dueNs) => this.dueNs = dueNs;

    public Receipt? TakeReceipt()
    {
        var taken = receipt;
        receipt = null;
        return taken;
    }

    public override void BeginStream(int id, long window)
    {
        base.BeginStream(id, window);
        reply.ResetWrittenCount();
        (beganNs, firstDueNs) = (MonotonicClock.NowNs, 0);
        written = Options.IsUserMethod ? new ArrivalLog() : null; // a user's server does not report arrivals
    }

    public override void BeginMessage()
    {
        base.BeginMessage();
        Stamp = (ulong)dueNs;
        firstDueNs = firstDueNs == 0 ? dueNs : firstDueNs;
    }

    public override void OnWritten()
    {
        written?.Add(0, SentNs);
        if (IsLast)
            return;
        if (Connection.HasOutputRoom(this))
            Complete(Written);
        else
            IsWaiting = true;
    }

    /// <summary>Ends the call that waits, since the output has room again. Call it only while <see cref="IsWaiting"/> is true.</summary>
    public void Resume()
    {
        IsWaiting = false;
        Complete(Written);
    }

    public override string? OnData(ReadOnlySpan<byte> bytes)
    {
        if (!SawHeaders)
            return FailureKind.Protocol;
        if (reply.WrittenCount + bytes.Length > (Options.IsUserMethod ? FirstReply.MostBytes : MostReply))
            return "wrong length";
        reply.Write(bytes);
        return null;
    }

    public override CallResult Conclude(bool endedByHeaders)
    {
        var why = Failure ?? (!endedByHeaders ? "no status" : !IsSent ? "ended early" : Judge());
        return InTime(why is null ? Ends ? CallResult.Ok(0) : Written : CallResult.Failed(why));
    }

    public override CallResult? Withdrawn()
    {
        IsWaiting = false;
        // Only the first message of a stream can be sent again. If it is a later message, the messages before it are lost
        // too, although their calls have already ended.
        return Count > (IsInFlight && !Ends ? 1 : 0) ? CallResult.Failed(FailureKind.ConnectionLost) : null;
    }

    public override void Ended(CallResult result)
    {
        IsWaiting = false;
        base.Ended(result);
    }

    /// <returns>What is wrong with the server's reply at the end of the stream. Null when nothing is wrong.</returns>
    private string? Judge()
    {
        var bytes = reply.WrittenSpan;
        if (bytes.IsEmpty)
            return "no message";
        if (bytes.Length < GrpcFraming.PrefixLength)
            return "wrong length";
        GrpcFraming.ReadPrefix(bytes, out var flag, out var length);
        if (flag != 0 || length != bytes.Length - GrpcFraming.PrefixLength)
            return FailureKind.Protocol;
        if (written is not null)
        {
            if (Judge(bytes[GrpcFraming.PrefixLength..].ToArray()) is { } other)
                return other;
            receipt = Receipts.From(written);
            return null;
        }
        try
        {
            var said = Received.Parser.ParseFrom(bytes[GrpcFraming.PrefixLength..]);
            if (said.Messages != Count)
                return "wrong count";
            if (said.Bytes != Count * Options.Size)
                return "wrong length";
            receipt = Receipts.From(said, beganNs, firstDueNs, out var wrong);
            return receipt is null ? wrong : null;
        }
        catch (InvalidProtocolBufferException)
        {
            return FailureKind.Protocol;
        }
    }
}
