namespace IpcBench.Client.Protocols.Http2;

/// <summary>
/// Finds the call of a stream identifier. Calls are kept in a ring. A call whose place in the ring is still taken by an
/// older call is kept in a dictionary.
/// </summary>
internal sealed class StreamTable
{
    private readonly Http2Stream?[] ring;
    private readonly int mask;
    private Dictionary<int, Http2Stream>? laggards;

    public StreamTable(int streams)
    {
        ring = new Http2Stream?[(int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)streams)];
        mask = ring.Length - 1;
    }

    public int Count { get; private set; }

    public void Add(int id, Http2Stream stream)
    {
        Count++;
        ref var slot = ref ring[id >> 1 & mask];
        if (slot is null)
            slot = stream;
        else
            (laggards ??= []).Add(id, stream);
    }

    public Http2Stream? Find(int id)
    {
        var stream = ring[id >> 1 & mask];
        if (stream is not null && stream.Id == id)
            return stream;
        return laggards is { Count: > 0 } ? laggards.GetValueOrDefault(id) : null;
    }

    public void Remove(int id)
    {
        ref var slot = ref ring[id >> 1 & mask];
        if (slot is not null && slot.Id == id)
            slot = null;
        else if (laggards is null || !laggards.Remove(id))
            return;
        Count--;
    }
}
