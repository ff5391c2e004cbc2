namespace IpcBench.Http2;

/// <summary>The fields that the peer inserted, newest first (RFC 7541, 2.3.2 and 4).</summary>
public sealed class DynamicTable(int capacity)
{
    private TableEntry[] ring = [];
    private int newest;
    private int capacity = capacity;

    public int Count { get; private set; }

    /// <summary>The sum of the entries' sizes.</summary>
    public int Size { get; private set; }

    /// <param name="index">The index. 0 for the newest field.</param>
    public TableEntry Get(int index) => ring[(newest - index + ring.Length) % ring.Length];

    public void Resize(int bytes)
    {
        capacity = bytes;
        Evict(0);
    }

    public void Insert(HeaderName kind, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        var size = TableEntry.SizeOf(name.Length, value.Length);
        Evict(size);
        if (size > capacity)
            return; // an entry larger than the table empties the table (RFC 7541, 4.4)
        if (Count == ring.Length)
            Grow();
        newest = (newest + 1) % ring.Length;
        ring[newest].Set(kind, name, value);
        Count++;
        Size += size;
    }

    private void Evict(int room)
    {
        while (Count > 0 && Size + room > capacity)
        {
            Size -= Get(Count - 1).Size;
            Count--;
        }
    }

    private void Grow()
    {
        var larger = new TableEntry[Math.Max(8, ring.Length * 2)];
        for (var i = 0; i < larger.Length; i++)
            larger[i] = i < Count ? Get(Count - 1 - i) : new TableEntry();
        (ring, newest) = (larger, Count - 1);
    }
}
