using System.Text;

namespace IpcBench.Http2.Tests;

public class HpackTests
{
    private readonly HpackDecoder decoder = new(4096);

    private string[] Decode(HpackDecoder with, string hex)
    {
        var fields = new List<string>();
        with.Observer = (name, value) => fields.Add($"{Encoding.ASCII.GetString(name)}: {Encoding.ASCII.GetString(value)}");
        with.Decode(Convert.FromHexString(hex.Replace(" ", "")));
        return [.. fields];
    }

    [Theory] // RFC 7541, C.1
    [InlineData("0a", 5, 10)]
    [InlineData("1f9a0a", 5, 1337)]
    [InlineData("2a", 8, 42)]
    public void Integers_are_encoded_as_in_the_examples_of_RFC_7541(string hex, int prefix, int value)
    {
        ReadOnlySpan<byte> bytes = Convert.FromHexString(hex);
        Assert.Equal(value, HpackInteger.Read(ref bytes, prefix));
        Assert.True(bytes.IsEmpty);
        var written = new List<byte>();
        HpackInteger.Write(written, value, prefix, 0);
        Assert.Equal(hex, Convert.ToHexStringLower([.. written]));
    }

    [Fact] // RFC 7541, C.2
    public void Single_fields_are_encoded_as_in_the_examples_of_RFC_7541()
    {
        Assert.Equal(["custom-key: custom-header"], Decode(decoder, "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572"));
        Assert.Equal(55, decoder.TableSize);
        Assert.Equal([":path: /sample/path"], Decode(new(4096), "040c 2f73 616d 706c 652f 7061 7468"));
        Assert.Equal(["password: secret"], Decode(new(4096), "1008 7061 7373 776f 7264 0673 6563 7265 74"));
        Assert.Equal([":method: GET"], Decode(new(4096), "82"));
    }

    [Theory] // RFC 7541, C.3 and C.4: the same requests without and with Huffman code
    [InlineData(
        "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
        "8286 84be 5808 6e6f 2d63 6163 6865",
        "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65")]
    [InlineData(
        "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
        "8286 84be 5886 a8eb 1064 9cbf",
        "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf")]
    public void Requests_are_decoded_as_in_the_examples_of_RFC_7541(string first, string second, string third)
    {
        Assert.Equal([":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"], Decode(decoder, first));
        Assert.Equal(57, decoder.TableSize);
        Assert.Equal(
            [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com", "cache-control: no-cache"],
            Decode(decoder, second));
        Assert.Equal(110, decoder.TableSize);
        Assert.Equal(
            [":method: GET", ":scheme: https", ":path: /index.html", ":authority: www.example.com", "custom-key: custom-value"],
            Decode(decoder, third));
        Assert.Equal(164, decoder.TableSize);
    }

    [Theory] // RFC 7541, C.5 and C.6: responses that make a table of 256 bytes evict
    [InlineData(
        "4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e 1768 " +
        "7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
        "4803 3330 37c1 c0bf",
        "88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d 4153 " +
        "444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e " +
        "3d31")]
    [InlineData(
        "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 " +
        "e9ae 82ae 43d3",
        "4883 640e ffc1 c0bf",
        "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b " +
        "3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07")]
    public void Responses_are_decoded_with_evictions_as_in_the_examples_of_RFC_7541(string first, string second, string third)
    {
        var small = new HpackDecoder(256);
        string[] common = ["cache-control: private", "date: Mon, 21 Oct 2013 20:13:21 GMT", "location: https://www.example.com"];
        Assert.Equal([":status: 302", .. common], Decode(small, first));
        Assert.Equal(222, small.TableSize);
        Assert.Equal([":status: 307", .. common], Decode(small, second));
        Assert.Equal(222, small.TableSize);
        Assert.Equal(
            [":status: 200", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:22 GMT", "location: https://www.example.com",
                "content-encoding: gzip", "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"],
            Decode(small, third));
        Assert.Equal(215, small.TableSize);
    }

    [Theory]
    [InlineData("")]
    [InlineData("80")] // index 0
    [InlineData("be")] // a dynamic index while the table is empty
    [InlineData("3fe21f")] // a table of 4097
    [InlineData("8820")] // a table size update after a field
    [InlineData("40")] // no name
    [InlineData("400a6375")] // a name cut short
    [InlineData("ff80808080808080")] // an integer that never ends
    [InlineData("ffffffffff0f")] // an integer above 2^28
    [InlineData("008261")] // a value is missing, the name is broken Huffman code
    [InlineData("000161 84ffffffff")] // padding longer than 7 bits
    [InlineData("000161 811e")] // padding that is not all ones
    [InlineData("000161 84fffffffc")] // end of string inside
    public void Invalid_blocks_are_rejected_and_an_empty_block_is_read(string hex)
    {
        if (hex.Length == 0)
            Assert.Empty(Decode(decoder, hex));
        else
            Assert.Throws<HpackException>(() => Decode(decoder, hex));
    }

    [Fact]
    public void Rare_symbols_have_the_codes_of_RFC_7541()
    {
        // One symbol each, padded with ones.
        Span<byte> output = stackalloc byte[16];
        Assert.Equal(1, Huffman.Decode([0b1111_1111, 0b1100_0111], output)); // 13 bits 1ff8: NUL
        Assert.Equal(0, output[0]);
        Assert.Equal(1, Huffman.Decode([0xff, 0xff, 0xfb, 0xbf], output)); // 26 bits 3ffffee: 255
        Assert.Equal(255, output[0]);
        Assert.Equal(1, Huffman.Decode([0xff, 0xff, 0xff, 0xf3], output)); // 30 bits 3ffffffc: newline
        Assert.Equal(10, output[0]);
    }

    [Fact]
    public void A_field_that_evicts_the_entry_with_its_own_name_is_decoded()
    {
        var small = new HpackDecoder(64);
        Decode(small, "4004 6e61 6d65 0576 616c 7565"); // name: value, 41 bytes
        Assert.Equal(["name: other"], Decode(small, "7e05 6f74 6865 72"));
        Assert.Equal(["name: other"], Decode(small, "be"));
        Assert.Equal(41, small.TableSize);
    }
}
