using System.Collections.Concurrent;

namespace IpcBench.Server.Services;

/// <summary>Replies that are nothing but payload: cut from the pattern that all share, those of the first sizes made once.</summary>
internal sealed class BytesReplies
{
    // A client that asks for every size there is must not fill the memory.
    private const int KeptSizes = 256;

    private readonly ConcurrentDictionary<int, ReplyFrame> _kept = new();

    /// <summary>Exactly <paramref name="size"/> bytes.</summary>
    public ReplyFrame For(int size)
    {
        if (_kept.TryGetValue(size, out var frame))
            return frame;
        frame = new ReplyFrame(ReadOnlyMemory<byte>.Empty, size);
        return _kept.Count < KeptSizes ? _kept.GetOrAdd(size, frame) : frame;
    }
}
