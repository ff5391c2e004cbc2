using System.Collections.Concurrent;
using Google.Protobuf;
using IpcBench.Protocol.V1;
using IpcBench.Server.Services;

namespace IpcBench.Server.GrpcDotnet;

/// <summary>Completed replies of <c>Download</c>. Those of the first sizes asked for are kept; the stack writes each anew, as it must.</summary>
internal sealed class ReplyMessages
{
    // A client that asks for every size there is must not fill the memory.
    private const int KeptSizes = 256;
    private const long KeptBytes = 128 << 20;

    private readonly ConcurrentDictionary<int, Task<DownloadReply>> _kept = new();
    private readonly Lock _adding = new();
    private long _keptBytes;

    /// <summary>A reply with exactly <paramref name="size"/> payload bytes.</summary>
    public Task<DownloadReply> For(int size) => _kept.TryGetValue(size, out var reply) ? reply : Add(size);

    private Task<DownloadReply> Add(int size)
    {
        lock (_adding)
        {
            if (_kept.TryGetValue(size, out var kept))
                return kept;
            var reply = Task.FromResult(Make(size));
            if (_kept.Count >= KeptSizes || _keptBytes + size > KeptBytes)
                return reply;
            _keptBytes += size;
            return _kept[size] = reply;
        }
    }

    private static DownloadReply Make(int size)
    {
        var payload = GC.AllocateUninitializedArray<byte>(size);
        PayloadPattern.Fill(payload);
        return new DownloadReply { Payload = UnsafeByteOperations.UnsafeWrap(payload) };
    }
}
