using IpcBench.Client.Dialing;
using IpcBench.Client.Engine;
using IpcBench.Client.Protocols.InOrder;

namespace IpcBench.Client.Protocols.Http1;

/// <summary>
/// Speaks HTTP/1.1 on one connection: sends the same request again and again, without pipelining, and checks the replies.
/// </summary>
/// <param name="request">The bytes of the request, headers and body.</param>
/// <param name="asked">The same request before encoding, with the expected reply.</param>
/// <param name="closes">True when the request asks the server to close after the reply.</param>
internal sealed class HttpProtocol(byte[] request, HttpRequest asked, bool closes = false) : InOrderProtocol
{
    private readonly ReplyParser parser = new(asked.IsHead);
    private (int Status, string Kind) lastFailure;

    public override bool ServerEndsFirst => closes;

    public override void Reset() => parser.Reset();

    public override void Write(OutputBuffer output) => output.Append(request);

    public override ReplyEnd Read(ref ReadOnlySpan<byte> bytes, out CallResult result)
    {
        var progress = parser.Read(ref bytes);
        result = progress switch
        {
            ReplyProgress.Done => Judge(),
            ReplyProgress.Broken => CallResult.Failed(FailureKind.Protocol),
            _ => default,
        };
        if (progress == ReplyProgress.More)
            return ReplyEnd.NotYet;
        return progress == ReplyProgress.Broken || parser.EndsConnection && !closes ? ReplyEnd.Last : ReplyEnd.Next;
    }

    public override CallResult AtEnd() => parser.EndsWithConnection ? Judge() : base.AtEnd();

    private CallResult Judge()
    {
        if (!asked.ExpectStatus.Has(parser.Status))
            return CallResult.Failed(Kind(parser.Status));
        return asked.VaryingLength || parser.BodyLength == asked.Size
            ? CallResult.Ok(asked.Payload ?? parser.BodyLength)
            : CallResult.Failed("wrong length");
    }

    private string Kind(int status)
    {
        if (lastFailure.Status != status)
            lastFailure = (status, FailureKind.OfHttp(status));
        return lastFailure.Kind;
    }
}
