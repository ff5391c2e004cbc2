using System.Buffers;
using IpcBench.Http2;

namespace IpcBench.Server.BuiltIn;

/// <summary>Reads the one message of a unary request, or the next message of a stream.</summary>
internal static class RequestReader
{
    /// <summary>
    /// The largest accepted request message, in bytes. Valid requests are far shorter. The smallest flow-control window
    /// of a stream is 65,535 bytes, so every accepted message fits into the window.
    /// </summary>
    public const int MaxMessage = 32 << 10;

    /// <summary>Reads the message of a unary request from the part of the body that has been received.</summary>
    /// <param name="body">All received bytes.</param>
    /// <param name="ended">Whether no more bytes will arrive.</param>
    /// <param name="message">The message, when the result is <see cref="ReadState.Complete"/>.</param>
    /// <param name="failure">The reason, when the result is <see cref="ReadState.Failed"/>.</param>
    public static ReadState Read(in ReadOnlySequence<byte> body, bool ended, out ReadOnlySequence<byte> message, out UnaryResult failure)
    {
        message = default;
        if (ReadPrefix(body, ended, out var length, out failure) is var state and not ReadState.Complete)
            return state;
        if (body.Length > GrpcFraming.PrefixLength + length)
            return Fail(GrpcStatusCode.Internal, "more than one message in a unary request", out failure);
        if (!ended)
            return ReadState.NeedsMore;
        if (body.Length < GrpcFraming.PrefixLength + length)
            return Fail(GrpcStatusCode.Internal, "the request ends within its message", out failure);
        message = body.Slice(GrpcFraming.PrefixLength);
        return ReadState.Complete;
    }

    /// <summary>
    /// Takes the next message off the body. Fails if the prefix is invalid or the body ends within the message.
    /// </summary>
    public static ReadState Next(ref ReadOnlySequence<byte> body, bool ended, out ReadOnlySequence<byte> message, out UnaryResult failure)
    {
        message = default;
        if (ReadPrefix(body, ended, out var length, out failure) is var state and not ReadState.Complete)
            return state;
        if (body.Length < GrpcFraming.PrefixLength + length)
            return ended ? Fail(GrpcStatusCode.Internal, "the request ends within its message", out failure) : ReadState.NeedsMore;
        message = body.Slice(GrpcFraming.PrefixLength, length);
        body = body.Slice(message.End);
        return ReadState.Complete;
    }

    private static ReadState ReadPrefix(in ReadOnlySequence<byte> body, bool ended, out uint length, out UnaryResult failure)
    {
        length = 0;
        failure = default;
        if (body.Length < GrpcFraming.PrefixLength)
        {
            if (!ended)
                return ReadState.NeedsMore;
            var what = body.IsEmpty ? "the request has no message" : "the request ends within a prefix";
            return Fail(GrpcStatusCode.Internal, what, out failure);
        }
        Span<byte> prefix = stackalloc byte[GrpcFraming.PrefixLength];
        body.Slice(0, GrpcFraming.PrefixLength).CopyTo(prefix);
        GrpcFraming.ReadPrefix(prefix, out var flag, out length);
        if (flag == 1)
            return Fail(GrpcStatusCode.Unimplemented, "compressed messages are not supported", out failure);
        if (flag > 1)
            return Fail(GrpcStatusCode.Internal, "the message's compression flag is neither 0 nor 1", out failure);
        if (length > MaxMessage)
        {
            var tooLong = FormattableString.Invariant($"the message has {length} bytes: at most {MaxMessage} are accepted");
            return Fail(GrpcStatusCode.ResourceExhausted, tooLong, out failure);
        }
        return ReadState.Complete;
    }

    private static ReadState Fail(GrpcStatusCode code, string why, out UnaryResult failure)
    {
        failure = UnaryResult.Fail(code, why);
        return ReadState.Failed;
    }
}
