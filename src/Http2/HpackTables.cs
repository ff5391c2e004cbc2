using System.Text;

namespace IpcBench.Http2;

/// <summary>
/// A field of a header table with its <see cref="HeaderName"/>. The next field in the same place of the table reuses the memory.
/// </summary>
public sealed class TableEntry
{
    private byte[] bytes = [];
    private int nameLength;
    private int valueLength;

    public TableEntry()
    {
    }

    public TableEntry(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value) => Set(HeaderField.Classify(name), name, value);

    /// <summary>Computes the size of an entry in the dynamic table (RFC 7541, 4.1).</summary>
    public static int SizeOf(int nameLength, int valueLength) => nameLength + valueLength + 32;

    public HeaderField Field { get; private set; }

    public ReadOnlySpan<byte> Name => bytes.AsSpan(0, nameLength);

    public ReadOnlySpan<byte> Value => bytes.AsSpan(nameLength, valueLength);

    public int Size => SizeOf(nameLength, valueLength);

    public void Set(HeaderName kind, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        // The name may lie in this entry's own memory, because a field may be inserted under the name of an entry that it
        // evicts (RFC 7541, 4.4).
        var target = bytes.Length >= name.Length + value.Length && !name.Overlaps(bytes) ? bytes : new byte[name.Length + value.Length];
        name.CopyTo(target);
        value.CopyTo(target.AsSpan(name.Length));
        (bytes, nameLength, valueLength) = (target, name.Length, value.Length);
        Field = HeaderField.Create(kind, value);
    }
}

public static class StaticTable
{
    public const int Count = 61;

    private static readonly (string Name, string Value)[] Texts =
    [
        (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"), (":scheme", "http"),
        (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"), (":status", "304"), (":status", "400"),
        (":status", "404"), (":status", "500"), ("accept-charset", ""), ("accept-encoding", "gzip, deflate"), ("accept-language", ""),
        ("accept-ranges", ""), ("accept", ""), ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""),
        ("cache-control", ""), ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
        ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""), ("date", ""), ("etag", ""), ("expect", ""),
        ("expires", ""), ("from", ""), ("host", ""), ("if-match", ""), ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""),
        ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""), ("location", ""), ("max-forwards", ""),
        ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""), ("referer", ""), ("refresh", ""), ("retry-after", ""),
        ("server", ""), ("set-cookie", ""), ("strict-transport-security", ""), ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""),
        ("via", ""), ("www-authenticate", ""),
    ];

    private static readonly TableEntry[] Entries =
        [.. Texts.Select(text => new TableEntry(Encoding.ASCII.GetBytes(text.Name), Encoding.ASCII.GetBytes(text.Value)))];

    /// <summary>
    /// Finds the index of the first entry with this name and, if given, this value. 0 when there is no such entry.
    /// </summary>
    public static int Find(string name, string? value = null) =>
        Array.FindIndex(Texts, text => text.Name == name && (value is null || text.Value == value)) + 1;

    /// <param name="index">The index, from 1 to <see cref="Count"/>.</param>
    public static TableEntry Get(int index) => Entries[index - 1];
}

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
            return; // an entry larger than the table empties it (RFC 7541, 4.4)
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
