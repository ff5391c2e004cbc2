using System.Buffers;
using System.Buffers.Binary;

namespace IpcBench.Http2;

/// <summary>
/// Decodes the field blocks of one direction (RFC 7541). Keeps the dynamic table. Interprets only the values that gRPC needs.
/// </summary>
/// <param name="tableSize">The SETTINGS_HEADER_TABLE_SIZE that was announced to the peer.</param>
public sealed class HpackDecoder(int tableSize)
{
    private const int LongestString = 64 * 1024;
    private const int StackLimit = 1024;
    private const int LongestMessage = 1024;

    private readonly DynamicTable table = new(tableSize);
    private byte[] message = [];
    private int messageLength;

    // The last two different blocks. A server repeats its headers and trailers in the same few bytes, and equal bytes
    // have the same meaning while the table is unchanged. With hundreds of connections no table entry is in the
    // processor's cache, and lookups took 6 % of the client's CPU time. These two blocks make most lookups unnecessary.
    private Known latest;
    private Known before;
    private bool hasChanged;

    /// <summary>Called with every decoded field. Null in normal use; tests and diagnostics set it.</summary>
    public FieldObserver? Observer { get; set; }

    public delegate void FieldObserver(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value);

    public int TableSize => table.Size;

    /// <summary>
    /// The <c>grpc-message</c> of the last block with its percent escapes, cut at 1 KiB. Empty without a message.
    /// </summary>
    public ReadOnlySpan<byte> Message => message.AsSpan(0, messageLength);

    /// <exception cref="HpackException">The block is invalid.</exception>
    public HeaderBlock Decode(ReadOnlySpan<byte> block)
    {
        messageLength = 0;
        var key = Observer is null ? Known.KeyOf(block) : 0;
        if (key != 0 && key == latest.Key)
            return latest.Block;
        if (key != 0 && key == before.Key)
            return before.Block;
        hasChanged = false;
        var result = DecodeFields(block);
        if (key != 0 && messageLength == 0 && !hasChanged)
            (latest, before) = (new() { Key = key, Block = result }, latest);
        return result;
    }

    private HeaderBlock DecodeFields(ReadOnlySpan<byte> block)
    {
        var result = new HeaderBlock();
        var mayResize = true;
        while (!block.IsEmpty)
        {
            var first = block[0];
            if ((first & 0x80) != 0)
                DecodeIndexed(ref block, ref result);
            else if ((first & 0xE0) == 0x20)
                DecodeResize(ref block, mayResize);
            else
                DecodeLiteral(ref block, ref result, insert: (first & 0x40) != 0);
            mayResize = mayResize && (first & 0xE0) == 0x20;
        }
        return result;
    }

    private void DecodeIndexed(ref ReadOnlySpan<byte> block, ref HeaderBlock result)
    {
        var entry = Entry(HpackInteger.Read(ref block, 7));
        result.Add(entry.Field);
        if (entry.Field.Name == HeaderName.GrpcMessage)
            Keep(entry.Value);
        Observer?.Invoke(entry.Name, entry.Value);
    }

    private void DecodeResize(ref ReadOnlySpan<byte> block, bool allowed)
    {
        var size = HpackInteger.Read(ref block, 5);
        if (!allowed || size > tableSize)
            throw new HpackException("a table size update that RFC 7541 does not allow");
        table.Resize(size);
        ForgetKnown();
    }

    private void DecodeLiteral(ref ReadOnlySpan<byte> block, ref HeaderBlock result, bool insert)
    {
        var index = HpackInteger.Read(ref block, insert ? 6 : 4);
        if (index != 0)
        {
            var entry = Entry(index);
            DecodeValue(ref block, ref result, insert, entry.Field.Name, entry.Name);
            return;
        }
        var raw = ReadString(ref block, out var huffman);
        if (!huffman)
        {
            DecodeValue(ref block, ref result, insert, HeaderField.Classify(raw), raw);
            return;
        }
        byte[]? rented = null;
        scoped var output = Room(raw.Length) <= StackLimit
            ? stackalloc byte[StackLimit]
            : rented = ArrayPool<byte>.Shared.Rent(Room(raw.Length));
        scoped var name = Expand(raw, output);
        DecodeValue(ref block, ref result, insert, HeaderField.Classify(name), name);
        if (rented is not null)
            ArrayPool<byte>.Shared.Return(rented);
    }

    private void DecodeValue(
        ref ReadOnlySpan<byte> block, ref HeaderBlock result, bool insert, HeaderName kind, scoped ReadOnlySpan<byte> name)
    {
        scoped var value = ReadString(ref block, out var huffman);
        byte[]? rented = null;
        if (huffman)
        {
            var output = Room(value.Length) <= StackLimit
                ? stackalloc byte[StackLimit]
                : rented = ArrayPool<byte>.Shared.Rent(Room(value.Length));
            value = Expand(value, output);
        }
        result.Add(HeaderField.Create(kind, value));
        if (kind == HeaderName.GrpcMessage)
            Keep(value);
        Observer?.Invoke(name, value);
        if (insert)
        {
            table.Insert(kind, name, value);
            ForgetKnown();
        }
        if (rented is not null)
            ArrayPool<byte>.Shared.Return(rented);
    }

    private void ForgetKnown()
    {
        latest = before = default;
        hasChanged = true;
    }

    private void Keep(ReadOnlySpan<byte> value)
    {
        messageLength = Math.Min(value.Length, LongestMessage);
        if (message.Length < messageLength)
            message = new byte[messageLength];
        value[..messageLength].CopyTo(message);
    }

    private TableEntry Entry(int index)
    {
        if (index is > 0 and <= StaticTable.Count)
            return StaticTable.Get(index);
        var dynamic = index - StaticTable.Count - 1;
        if (index == 0 || dynamic >= table.Count)
            throw new HpackException("an index beyond the table");
        return table.Get(dynamic);
    }

    private static ReadOnlySpan<byte> ReadString(ref ReadOnlySpan<byte> block, out bool huffman)
    {
        if (block.IsEmpty)
            throw new HpackException("a truncated field");
        huffman = (block[0] & 0x80) != 0;
        var length = HpackInteger.Read(ref block, 7);
        if (length > block.Length || length > LongestString)
            throw new HpackException("a string longer than its block");
        var text = block[..length];
        block = block[length..];
        return text;
    }

    // The shortest Huffman code has 5 bits, so n bytes hold at most n * 8 / 5 letters.
    private static int Room(int encoded) => encoded * 8 / 5 + 1;

    private static ReadOnlySpan<byte> Expand(ReadOnlySpan<byte> encoded, Span<byte> output)
    {
        var length = Huffman.Decode(encoded, output);
        return length >= 0 ? output[..length] : throw new HpackException("a string that is not a Huffman code");
    }

    /// <summary>A short block and its content.</summary>
    private struct Known
    {
        private const int Longest = 7;

        /// <summary>The key of the block. 0 for no block.</summary>
        public ulong Key;

        public HeaderBlock Block;

        /// <summary>Packs the bytes of the block and their number into a key. 0 for a block of more than 7 bytes.</summary>
        public static ulong KeyOf(ReadOnlySpan<byte> block)
        {
            if (block.Length > Longest)
                return 0;
            Span<byte> bytes = [0, 0, 0, 0, 0, 0, 0, (byte)block.Length];
            block.CopyTo(bytes);
            return BinaryPrimitives.ReadUInt64LittleEndian(bytes);
        }
    }
}
