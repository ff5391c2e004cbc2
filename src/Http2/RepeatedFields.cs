
namespace IpcBench.Http2;

/// <summary>
/// Fields that a client repeats, encoded once in three forms. The first block of a connection inserts the fields into
/// the peer's table, and later blocks name each field by its index. The third form does not use the dynamic table.
/// </summary>
public sealed class RepeatedFields
{
    public RepeatedFields(params IReadOnlyList<(string Name, string Value)> fields)
    {
        FirstBlock = FieldBlock.Encode(fields, insert: true);
        PlainBlock = FieldBlock.Encode(fields);
        List<(string Name, string Value)> inserted = [.. fields.Where(field => StaticTable.Find(field.Name, field.Value) == 0)];
        TableSize = inserted.Sum(field => TableEntry.SizeOf(field.Name.Length, field.Value.Length));
        var (indexed, last) = (new List<byte>(), StaticTable.Count + inserted.Count);
        foreach (var (name, value) in fields)
        {
            var known = StaticTable.Find(name, value);
            FieldBlock.WriteIndex(indexed, known != 0 ? known : last--); // the last inserted field has the lowest index
        }
        IndexedBlock = [.. indexed];
    }

    /// <summary>The block that inserts the fields into the peer's dynamic table.</summary>
    public byte[] FirstBlock { get; }

    /// <summary>The block that names each field by its index, after <see cref="FirstBlock"/> was sent on the connection.</summary>
    public byte[] IndexedBlock { get; }

    /// <summary>The block that does not use the dynamic table.</summary>
    public byte[] PlainBlock { get; }

    /// <summary>The size that <see cref="FirstBlock"/> needs in the peer's table (RFC 7541, 4.1).</summary>
    public int TableSize { get; }
}
