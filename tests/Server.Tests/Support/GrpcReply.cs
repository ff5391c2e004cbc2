using IpcBench.Http2;

namespace IpcBench.Server.Tests.Support;

/// <summary>The reply to one call.</summary>
internal sealed record GrpcReply(
    int HttpStatus, GrpcStatusCode? Status, string? StatusMessage, bool TrailersOnly, string? ContentType, byte[] Body)
{
    /// <summary>The message after the prefix. The length in the prefix must be right.</summary>
    public ReadOnlyMemory<byte> Message
    {
        get
        {
            GrpcFraming.ReadPrefix(Body, out var flag, out var length);
            Assert.Equal(0, flag);
            Assert.Equal(Body.Length - GrpcFraming.PrefixLength, (int)length);
            return Body.AsMemory(GrpcFraming.PrefixLength);
        }
    }
}
