using System.Collections.Concurrent;

namespace IpcBench.Server.Services;

/// <summary>
/// Keeps one object for each of the first sizes that clients ask for. For any other size an object is made anew each
/// time, because a client that asks for every size must not fill the memory.
/// </summary>
/// <param name="make">Makes the object for a size. The second argument says whether the object will be kept.</param>
/// <param name="keptBytes">The largest sum of the sizes whose objects are kept.</param>
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
