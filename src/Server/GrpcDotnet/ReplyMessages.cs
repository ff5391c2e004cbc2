using System.Collections.Concurrent;
using System.Numerics;
using Google.Protobuf;
using IpcBench.Protocol.V1;
using IpcBench.Server.Options;
using IpcBench.Server.Services;

namespace IpcBench.Server.GrpcDotnet;

/// <summary>Completed replies of <c>Download</c>, whose payloads are parts of one array. Those of the first sizes asked for are kept.</summary>
internal sealed class ReplyMessages
{
    // A client that asks for every size there is must not fill the memory.
    private const int KeptSizes = 256;

    private readonly ConcurrentDictionary<int, Task<DownloadReply>> _kept = new();
    private readonly Lock _adding = new();
    private byte[] _pattern = [];

    /// <summary>A reply with exactly <paramref name="size"/> payload bytes.</summary>
    public Task<DownloadReply> For(int size) => _kept.TryGetValue(size, out var reply) ? reply : Add(size);

    private Task<DownloadReply> Add(int size)
    {
        lock (_adding)
        {
            if (_kept.TryGetValue(size, out var kept))
                return kept;
            if (_pattern.Length < size)
                Grow(size);
            var reply = Task.FromResult(new DownloadReply { Payload = UnsafeByteOperations.UnsafeWrap(_pattern.AsMemory(0, size)) });
            return _kept.Count < KeptSizes ? _kept[size] = reply : reply;
        }
    }

    // Every payload is the start of any longer one. To a power of two, so that sizes that creep up do not make one array each.
    private void Grow(int size)
    {
        _pattern = GC.AllocateUninitializedArray<byte>((int)Math.Min(BitOperations.RoundUpToPowerOf2((uint)size), ByteSize.Most));
        PayloadPattern.Fill(_pattern);
        _kept.Clear();
    }
}
