namespace IpcBench.Http2;

/// <summary>A field of a header table with what it means, worked out once; its memory is used again for the next field in its place.</summary>
public sealed class TableEntry
{
    private byte[] bytes = [];
    private int nameLength;
    private int valueLength;

    public TableEntry()
    {
    }

    public TableEntry(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value) => Set(HeaderField.Classify(name), name, value);

    public HeaderField Field { get; private set; }

    public ReadOnlySpan<byte> Name => bytes.AsSpan(0, nameLength);

    public ReadOnlySpan<byte> Value => bytes.AsSpan(nameLength, valueLength);

    /// <summary>RFC 7541, 4.1.</summary>
    public int Size => nameLength + valueLength + 32;

    public void Set(HeaderName kind, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value)
    {
        // The name may be this very entry's: a field may be inserted under the name of one that it evicts (RFC 7541, 4.4).
        var target = bytes.Length >= name.Length + value.Length && !name.Overlaps(bytes) ? bytes : new byte[name.Length + value.Length];
        name.CopyTo(target);
        value.CopyTo(target.AsSpan(name.Length));
        (bytes, nameLength, valueLength) = (target, name.Length, value.Length);
        Field = HeaderField.Of(kind, value);
    }
}
