using System.Text;

namespace IpcBench.Http2;

/// <summary>
/// Chooses the form of a field block that a client sends again and again on one connection: it follows what the server allows its dynamic
/// table to hold.
/// </summary>
public sealed class HpackEncoder(RepeatedFields fields)
{
    private const int DefaultTableSize = 4096;

    private int tableSize = DefaultTableSize;
    private bool hasChanged;
    private bool inserted;

    /// <summary>The next block is <see cref="RepeatedFields.IndexedBlock"/>.</summary>
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
    /// Changes of the table's size must be said at the start of the next block, the smallest since the last one first (RFC 7541, 4.2): 0 is
    /// never larger.
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
/// Fields that are sent again and again, encoded once in three forms. The first block of a connection makes the peer remember them, all
/// others name them by a byte each.
/// </summary>
public sealed class RepeatedFields
{
    public RepeatedFields(params IReadOnlyList<(string Name, string Value)> fields)
    {
        FirstBlock = FieldBlock.Of(fields, insert: true);
        PlainBlock = FieldBlock.Of(fields);
        List<(string Name, string Value)> inserted = [.. fields.Where(field => StaticTable.Find(field.Name, field.Value) == 0)];
        TableSize = inserted.Sum(field => TableEntry.SizeOf(field.Name.Length, field.Value.Length));
        var (indexed, last) = (new List<byte>(), StaticTable.Count + inserted.Count);
        foreach (var (name, value) in fields)
        {
            var known = StaticTable.Find(name, value);
            FieldBlock.WriteIndex(indexed, known != 0 ? known : last--); // the last inserted is the first
        }
        IndexedBlock = [.. indexed];
    }

    /// <summary>Field block that inserts into the peer's dynamic table.</summary>
    public byte[] FirstBlock { get; }

    /// <summary>Field block for a connection on which <see cref="FirstBlock"/> was sent.</summary>
    public byte[] IndexedBlock { get; }

    /// <summary>Field block that leaves the dynamic table alone.</summary>
    public byte[] PlainBlock { get; }

    /// <summary>Room in the peer's table that <see cref="FirstBlock"/> needs.</summary>
    public int TableSize { get; }
}

/// <summary>Encodes field blocks (RFC 7541, 6): by the static table where it has the field, else literally, without Huffman code.</summary>
public static class FieldBlock
{
    /// <summary>A block that needs no state but the table that it inserts into, if it does.</summary>
    /// <param name="fields">In their order.</param>
    /// <param name="insert">The peer is to remember those that the static table does not have.</param>
    public static byte[] Of(IReadOnlyList<(string Name, string Value)> fields, bool insert = false)
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
