using IpcBench.Http2;

namespace IpcBench.Client.Protocols.Http2;

/// <summary>Chooses the form of a request's field block: it follows what the server allows its dynamic table to hold.</summary>
internal sealed class FieldEncoder(Http2Request request)
{
    private const int DefaultTableSize = 4096;

    private int tableSize = DefaultTableSize;
    private bool hasChanged;
    private bool inserted;

    /// <summary>The next block is <see cref="Http2Request.IndexedBlock"/>.</summary>
    public bool IsSteady => inserted && !hasChanged;

    /// <summary>The server's SETTINGS_HEADER_TABLE_SIZE.</summary>
    public void OnTableSize(int size)
    {
        var allowed = Math.Min(size, DefaultTableSize);
        hasChanged |= allowed != tableSize;
        tableSize = allowed;
    }

    /// <summary>The block to send now.</summary>
    public ReadOnlySpan<byte> Next()
    {
        var fits = tableSize >= request.TableSize;
        if (hasChanged)
            return Announce(fits);
        if (!fits)
            return request.PlainBlock;
        if (inserted)
            return request.IndexedBlock;
        inserted = true;
        return request.FirstBlock;
    }

    /// <summary>Changes of the table's size must be said at the start of the next block, the smallest since the last one first (RFC 7541, 4.2): 0 is never larger.</summary>
    private byte[] Announce(bool fits)
    {
        var block = new List<byte>();
        HpackInteger.Write(block, 0, 5, 0x20);
        if (tableSize > 0)
            HpackInteger.Write(block, tableSize, 5, 0x20);
        block.AddRange(fits ? request.FirstBlock : request.PlainBlock);
        (hasChanged, inserted) = (false, fits);
        return [.. block];
    }
}
