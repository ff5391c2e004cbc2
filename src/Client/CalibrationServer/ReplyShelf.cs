using System.Collections.Concurrent;

namespace IpcBench.Client.CalibrationServer;

/// <summary>The canned replies that were asked for so far, by payload and frame size.</summary>
internal sealed class ReplyShelf
{
    public const int LargestSize = 64 << 20;

    private readonly ConcurrentDictionary<(int Size, int FrameSize), CannedReply> replies = new();

    public CannedReply Find(int size, int frameSize) => replies.GetOrAdd((size, frameSize), static key => new CannedReply(key.Size, key.FrameSize));
}
