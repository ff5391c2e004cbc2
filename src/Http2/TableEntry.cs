namespace IpcBench.Http2;

/// <summary>
/// A field of a header table with its <see cref="HeaderName"/>. A later field in the same place of the table reuses the
/// memory of the entry.
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
