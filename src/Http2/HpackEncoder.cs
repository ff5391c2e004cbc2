using System.Text;

namespace IpcBench.Http2;

/// <summary>
/// Chooses how to encode a field block that a client repeats on one connection, so that the block never needs a larger
/// table than the server allows.
/// </summary>
public sealed class HpackEncoder(RepeatedFields fields)
{
    private const int DefaultTableSize = 4096;

    private int tableSize = DefaultTableSize;
    private bool hasChanged;
    private bool inserted;

    /// <summary>Whether the next block is <see cref="RepeatedFields.IndexedBlock"/>.</summary>
    public bool IsSteady => inserted && !hasChanged;

    /// <summary>Takes the server's SETTINGS_HEADER_TABLE_SIZE.</summary>
    public void OnTableSize(int size)
    {
        var allowed = Math.Min(size, DefaultTableSize);
        hasChanged |= allowed != tableSize;
        tableSize = allowed;
    }

    /// <summary>Returns the block for the next request.</summary>
    public ReadOnlySpan<byte> Next()
    {
        var fits = tableSize >= fields.TableSize;
        if (hasChanged)
            return Announce(fits);
        if (!fits)
            return fields.PlainBlock;
        if (inserted)
            return fields.IndexedBlock;
        inserted = true;
        return fields.FirstBlock;
    }

    /// <summary>
    /// Makes a block that announces the new size of the table before its fields. Before the new size, the block must
    /// announce the smallest size since the last block (RFC 7541, 4.2). This method always announces 0 first, which is
    /// never larger than the smallest size.
    /// </summary>
    private byte[] Announce(bool fits)
    {
        var block = new List<byte>();
        HpackInteger.Write(block, 0, 5, 0x20);
        if (tableSize > 0)
            HpackInteger.Write(block, tableSize, 5, 0x20);
        block.AddRange(fits ? fields.FirstBlock : fields.PlainBlock);
        (hasChanged, inserted) = (false, fits);
        return [.. block];
    }
}

/// <summary>
/// Encodes field blocks (RFC 7541, 6). A field that is in the static table is encoded as an index. Any other field is
/// encoded literally, without Huffman code.
/// </summary>
public static class FieldBlock
{
    /// <summary>Encodes a block that depends on no earlier block.</summary>
    /// <param name="insert">Whether the block inserts the fields that the static table lacks into the peer's dynamic table.</param>
    public static byte[] Encode(IReadOnlyList<(string Name, string Value)> fields, bool insert = false)
    {
        var block = new List<byte>();
        foreach (var (name, value) in fields)
        {
            if (StaticTable.Find(name, value) is var known and not 0)
                WriteIndex(block, known);
            else
                WriteLiteral(block, name, value, insert);
        }
        return [.. block];
    }

    internal static void WriteIndex(List<byte> block, int index) => HpackInteger.Write(block, index, 7, 0x80);

    private static void WriteLiteral(List<byte> block, string name, string value, bool insert)
    {
        var index = StaticTable.Find(name);
        HpackInteger.Write(block, index, insert ? 6 : 4, insert ? (byte)0x40 : (byte)0);
        if (index == 0)
            WriteString(block, name);
        WriteString(block, value);
    }

    private static void WriteString(List<byte> block, string text)
    {
        HpackInteger.Write(block, text.Length, 7, 0);
        block.AddRange(Encoding.ASCII.GetBytes(text));
    }
}
