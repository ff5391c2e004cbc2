using System.Text;

namespace IpcBench.Http2.Tests;

/// <summary>HPACK at its limits: numbers, long strings, every length of code, tables that are exactly full.</summary>
public class HpackLimitTests
{
    // The field "name: value", which takes 41 bytes of a table; its index as the newest entry; a table size update to 4096.
    private const string Named = "4004 6e61 6d65 0576 616c 7565", Newest = "be", Whole = "3fe1 1f";

    // Codes of RFC 7541, Appendix B: symbol, code, bits.
    private static readonly (byte Symbol, uint Code, int Bits)[] Codes =
    [
        ((byte)'0', 0x0, 5), ((byte)'t', 0x9, 5), ((byte)' ', 0x14, 6), ((byte)':', 0x5c, 7), ((byte)'&', 0xf8, 8), ((byte)'X', 0xfc, 8),
        ((byte)'!', 0x3f8, 10), ((byte)'?', 0x3fc, 10), ((byte)'|', 0x7fc, 11), ((byte)'\'', 0x7fa, 11), ((byte)'#', 0xffa, 12),
        ((byte)'>', 0xffb, 12), ((byte)0, 0x1ff8, 13), ((byte)'~', 0x1ffd, 13), ((byte)'^', 0x3ffc, 14), ((byte)'}', 0x3ffd, 14),
        ((byte)'<', 0x7ffc, 15), ((byte)'{', 0x7ffe, 15), ((byte)'\\', 0x7fff0, 19), (128, 0xfffe6, 20), (129, 0x3fffd2, 22),
        (1, 0x7fffd8, 23), (9, 0xffffea, 24), (2, 0xfffffe2, 28), (255, 0x3ffffee, 26), (10, 0x3ffffffc, 30), (13, 0x3ffffffd, 30),
        (22, 0x3ffffffe, 30),
    ];

    [Theory]
    [InlineData(30, "3e")]
    [InlineData(31, "3f00")]
    [InlineData(158, "3f7f")]
    [InlineData(159, "3f8001")]
    [InlineData(31 + 16_383, "3fff7f")]
    [InlineData(1 << 28, "3fe1ffff7f")]
    public void Integers_at_the_limits_of_a_byte_decode_to_themselves(int value, string hex)
    {
        var written = new List<byte>();
        HpackInteger.Write(written, value, 5, 0x20);
        Assert.Equal(hex, Convert.ToHexStringLower([.. written]));
        ReadOnlySpan<byte> bytes = written.ToArray();
        Assert.Equal(value, HpackInteger.Read(ref bytes, 5));
        Assert.True(bytes.IsEmpty);
    }

    [Theory]
    [InlineData("1f8080808000", 31)] // five more bytes, which add nothing
    [InlineData("1f808080808000", null)]
    [InlineData("1fe2ffff7f", null)] // 2^28 + 1
    [InlineData("1f", null)]
    [InlineData("1f80", null)]
    public void Integers_longer_than_six_bytes_or_above_2_to_the_28_are_rejected(string hex, int? value)
    {
        var read = () =>
        {
            ReadOnlySpan<byte> bytes = Convert.FromHexString(hex);
            return HpackInteger.Read(ref bytes, 5);
        };
        if (value is null)
            Assert.Throws<HpackException>(() => read());
        else
            Assert.Equal(value, read());
    }

    [Fact]
    public void Huffman_codes_of_every_length_are_decoded_at_every_bit_offset()
    {
        for (var shift = 0; shift < Codes.Length; shift++)
        {
            var codes = Enumerable.Range(0, 3 * Codes.Length).Select(i => Codes[(i * 5 + shift * (i % 3 + 1)) % Codes.Length]).ToList();
            var bits = string.Concat(codes.Select(code => Convert.ToString(code.Code, 2).PadLeft(code.Bits, '0')));
            bits = bits.PadRight((bits.Length + 7) / 8 * 8, '1');
            var input = bits.Chunk(8).Select(eight => Convert.ToByte(new string(eight), 2)).ToArray();
            var output = new byte[codes.Count];
            Assert.Equal(codes.Count, Huffman.Decode(input, output));
            Assert.Equal(codes.Select(code => code.Symbol), output);
        }
    }

    [Theory]
    [InlineData(641)] // one symbol more than the buffer on the stack holds
    [InlineData(1281)]
    [InlineData(1285)]
    public void Long_names_and_values_in_Huffman_code_are_decoded(int size)
    {
        // The code of '0' is five zeros; ones fill the last byte.
        var zeros = Literal([.. new byte[size - 1], (byte)((1 << size * 8 % 5) - 1)], isHuffman: true);
        var text = new string('0', size * 8 / 5);
        Assert.Equal(
            [$"{text}: {text}", $"{text}: {text}"],
            Fields(new HpackDecoder(8192), [0x00, .. zeros, .. zeros, 0x40, .. zeros, .. zeros]));
    }

    [Fact]
    public void Strings_of_up_to_64_KiB_and_empty_strings_are_decoded_and_longer_strings_are_rejected()
    {
        var decoder = new HpackDecoder(4096);
        Assert.Equal(2 + 65_536 + 1, Fields(decoder, [0x00, 1, (byte)'a', .. Literal(new byte[65_536])])[0].Length);
        Assert.Throws<HpackException>(() => Fields(decoder, [0x00, 1, (byte)'a', .. Literal(new byte[65_537])]));
        Assert.Equal(["a: "], Fields(decoder, [0x00, 1, (byte)'a', 0x80]));
        Assert.Equal(["a: "], Fields(decoder, [0x00, 1, (byte)'a', 0]));
        Assert.Equal([":authority: ", "www-authenticate: "], Fields(decoder, [0x81, 0xbd]));
    }

    [Fact]
    public void The_status_message_is_kept_until_the_next_block_and_cut_at_1024_bytes()
    {
        var decoder = new HpackDecoder(4096);
        string Kept(params byte[] block)
        {
            decoder.Decode(block);
            return Encoding.ASCII.GetString(decoder.Message);
        }
        byte[] name = [12, .. "grpc-message"u8];
        foreach (var length in (int[])[3, 1024, 1025, 7])
        {
            var text = new string('m', length);
            Assert.Equal(text[..Math.Min(1024, length)], Kept([0x00, .. name, .. Literal(Encoding.ASCII.GetBytes(text))]));
        }
        Assert.Equal("", Kept(0x88));
        Assert.Equal("gone", Kept([0x40, .. name, 4, .. "gone"u8]));
        Assert.Equal("", Kept(0x88));
        Assert.Equal("gone", Kept(0xbe)); // the field, by its index
    }

    [Fact]
    public void Repeated_bytes_are_decoded_with_the_current_dynamic_table()
    {
        var decoder = new HpackDecoder(4096);
        byte[] status = [11, .. "grpc-status"u8], newest = [0xbe];
        decoder.Decode([0x40, .. status, 1, (byte)'0']);
        int[] Again() => [.. Enumerable.Range(0, 3).Select(_ => decoder.Decode(newest).GrpcStatus)];
        Assert.Equal([0, 0, 0], Again());
        decoder.Decode([0x40, .. status, 1, (byte)'5']);
        Assert.Equal([5, 5, 5], Again());
        Assert.Equal(0, decoder.Decode([0xbf]).GrpcStatus);
        Assert.Equal([5, 5, 5], Again());
        Assert.Equal(200, decoder.Decode([0x88]).Status);
        decoder.Decode([0x40, 1, (byte)'a', 0]); // moves the other entries by one
        Assert.Equal([-1, -1, -1], Again());
        decoder.Decode([0x40, 12, .. "grpc-message"u8, 4, .. "gone"u8]);
        decoder.Decode(newest);
        decoder.Decode(newest);
        Assert.Equal("gone", Encoding.ASCII.GetString(decoder.Message));
        decoder.Decode([0x20]); // empties the table
        Assert.Throws<HpackException>(() => decoder.Decode(newest));
        Assert.Throws<HpackException>(() => decoder.Decode([0x88, 0x20])); // a table size update after a field
        Assert.Throws<HpackException>(() => decoder.Decode([0x88, 0x20]));
    }

    [Fact]
    public void A_dynamic_table_can_be_filled_exactly_and_loses_entries_when_its_size_is_reduced()
    {
        var decoder = new HpackDecoder(82);
        Assert.Equal(["name: value"], Fields(decoder, Hex(Named)));
        Assert.Equal(["name: value", "name: value", "name: value"], Fields(decoder, Hex(Named + Newest + "bf")));
        Assert.Equal(82, decoder.TableSize);
        decoder.Decode(Hex("3f33")); // sets the table size to 82
        Assert.Equal(82, decoder.TableSize);
        decoder.Decode(Hex("3f0a")); // to 41
        Assert.Equal(41, decoder.TableSize);
        Assert.Throws<HpackException>(() => decoder.Decode(Hex("bf")));
        decoder.Decode(Hex("20 3f33")); // to nothing and back
        Assert.Equal(0, decoder.TableSize);
        Assert.Throws<HpackException>(() => decoder.Decode(Hex(Newest)));
        Assert.Throws<HpackException>(() => decoder.Decode(Hex("3f34"))); // to 83
        new HpackDecoder(4096).Decode(Hex(Whole));
        Assert.Equal(41, Inserted(new HpackDecoder(41)));
        Assert.Equal(0, Inserted(new HpackDecoder(40)));

        static int Inserted(HpackDecoder decoder)
        {
            decoder.Decode(Hex(Named));
            return decoder.TableSize;
        }
    }

    [Fact]
    public void Fields_are_indexed_newest_first_when_the_table_grows_and_when_it_wraps()
    {
        var decoder = new HpackDecoder(600);
        var known = new List<string>();
        for (var i = 0; i < 60; i++)
        {
            var (name, value) = ("n" + new string('x', i % 4), new string((char)('a' + i % 26), i * 7 % 23));
            Fields(decoder, [0x40, .. Literal(Encoding.ASCII.GetBytes(name)), .. Literal(Encoding.ASCII.GetBytes(value))]);
            known.Insert(0, $"{name}: {value}");
            while (known.Sum(field => field.Length + 30) > 600)
                known.RemoveAt(known.Count - 1);
            Assert.Equal(known, Fields(decoder, [.. Enumerable.Range(0, known.Count).Select(index => (byte)(0x80 + 62 + index))]));
            Assert.Equal(known.Sum(field => field.Length + 30), decoder.TableSize);
            Assert.Throws<HpackException>(() => decoder.Decode([(byte)(0x80 + 62 + known.Count)]));
        }
    }

    [Fact]
    public void After_the_first_block_each_repeated_field_is_sent_as_one_byte()
    {
        (string, string)[] fields = [(":method", "POST"), (":authority", "a"), ("x", "yz"), (":path", "/"), ("te", "trailers")];
        var repeated = new RepeatedFields(fields);
        Assert.Equal("83 4101 61 4001 7802 797a 84 4002 7465 0874 7261 696c 6572 73".Replace(" ", ""), Hex(repeated.FirstBlock));
        Assert.Equal("83 0101 61 0001 7802 797a 84 0002 7465 0874 7261 696c 6572 73".Replace(" ", ""), Hex(repeated.PlainBlock));
        Assert.Equal("83c0bf84be", Hex(repeated.IndexedBlock));
        Assert.Equal(10 + 1 + 32 + 1 + 2 + 32 + 2 + 8 + 32, repeated.TableSize);
        string[] said = [.. fields.Select(field => $"{field.Item1}: {field.Item2}")];
        var decoder = new HpackDecoder(4096);
        foreach (var block in (byte[][])[repeated.PlainBlock, repeated.FirstBlock, repeated.IndexedBlock])
            Assert.Equal(said, Fields(decoder, block));
        Assert.Equal(repeated.TableSize, decoder.TableSize);
        Assert.Equal("81", Hex(FieldBlock.Encode([(":authority", "")])));
        Assert.Equal("0f28 7f49".Replace(" ", ""), Hex(FieldBlock.Encode([("set-cookie", new string('c', 200))]))[..8]);
    }

    [Fact]
    public void The_encoder_follows_the_table_size_that_the_server_allows()
    {
        var fields = new RepeatedFields(("x", "yz"));
        var encoder = new HpackEncoder(fields);
        Assert.False(encoder.IsSteady);
        Says(fields.FirstBlock, isSteady: true);
        Says(fields.IndexedBlock, isSteady: true);
        encoder.OnTableSize(8192); // more than the default is not used
        Says(fields.IndexedBlock, isSteady: true);
        encoder.OnTableSize(0);
        Assert.False(encoder.IsSteady);
        Says([0x20, .. fields.PlainBlock], isSteady: false);
        Says(fields.PlainBlock, isSteady: false);
        encoder.OnTableSize(1);
        Says([0x20, 0x21, .. fields.PlainBlock], isSteady: false);
        encoder.OnTableSize(34);
        Says([0x20, 0x3f, 3, .. fields.PlainBlock], isSteady: false);
        encoder.OnTableSize(35); // the fields just fit
        Says([0x20, 0x3f, 4, .. fields.FirstBlock], isSteady: true);
        Says(fields.IndexedBlock, isSteady: true);
        encoder.OnTableSize(0);
        encoder.OnTableSize(4096);
        Says([0x20, .. Hex(Whole), .. fields.FirstBlock], isSteady: true);

        void Says(byte[] block, bool isSteady)
        {
            Assert.Equal(block, encoder.Next().ToArray());
            Assert.Equal(isSteady, encoder.IsSteady);
        }
    }

    private static byte[] Hex(string text) => Convert.FromHexString(text.Replace(" ", ""));

    private static string Hex(byte[] bytes) => Convert.ToHexStringLower(bytes);

    private static byte[] Literal(byte[] bytes, bool isHuffman = false)
    {
        var block = new List<byte>();
        HpackInteger.Write(block, bytes.Length, 7, (byte)(isHuffman ? 0x80 : 0));
        return [.. block, .. bytes];
    }

    private static List<string> Fields(HpackDecoder decoder, byte[] block)
    {
        var fields = new List<string>();
        decoder.Observer = (name, value) => fields.Add($"{Encoding.ASCII.GetString(name)}: {Encoding.ASCII.GetString(value)}");
        decoder.Decode(block);
        return fields;
    }
}
