using System.Numerics;
using Google.Protobuf;
using IpcBench.Protocol.V1;
using IpcBench.Server.Options;
using IpcBench.Server.Services;

namespace IpcBench.Server.GrpcDotnet;

/// <summary>Completed replies of <c>Download</c>. Their payloads are parts of one array.</summary>
internal sealed class ReplyMessages
{
    private readonly KeptBySize<Task<DownloadReply>> kept;
    private byte[] pattern = [];

    public ReplyMessages() => kept = new(Make);

    /// <summary>A reply with exactly <paramref name="size"/> payload bytes.</summary>
    public Task<DownloadReply> For(int size) => kept.For(size);

    // Every payload is the start of any longer one. Up to a power of two, so that sizes that creep up do not make one array each.
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
