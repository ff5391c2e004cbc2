using System.Collections.Concurrent;

namespace IpcBench.Server.Services;

/// <summary>
/// What is made for a size, kept for the first sizes asked for: a client that asks for every size there is must not fill the memory.
/// </summary>
/// <param name="make">Makes it; the second argument says whether it will be kept.</param>
/// <param name="keptBytes">The sum of the sizes that are kept; sizes that would exceed it are made anew each time.</param>
internal sealed class KeptBySize<T>(Func<int, bool, T> make, long keptBytes = long.MaxValue)
{
    private const int KeptSizes = 256;

    private readonly ConcurrentDictionary<int, T> kept = new();
    private readonly Lock adding = new();
    private long bytes;

    public T For(int size) => this.kept.TryGetValue(size, out var kept) ? kept : Add(size);

    private T Add(int size)
    {
        lock (adding)
        {
            if (this.kept.TryGetValue(size, out var kept))
                return kept;
            var isKept = this.kept.Count < KeptSizes && bytes + size <= keptBytes;
            var made = make(size, isKept);
            if (!isKept)
                return made;
            bytes += size;
            return this.kept[size] = made;
        }
    }
}
