using Google.Protobuf;
using Google.Protobuf.WellKnownTypes;
using IpcBench.Schema.Tests.Rich;
using IpcBench.Schema.Tests.Rich.Proto2;
using IpcBench.Schema.Tests.Support;

namespace IpcBench.Schema.Tests;

/// <summary>Checks JSON that the mapping allows, but that Google's C# formatter does not write or its parser does not read.</summary>
public class JsonMappingTests
{
    [Theory]
    [InlineData("rich.Item", """{"count":1e3}""", """{"count":1000}""")]
    [InlineData("rich.Item", """{"count":"1e3"}""", """{"count":1000}""")]
    [InlineData("rich.Item", """{"count":1000.0}""", """{"count":1000}""")]
    [InlineData("rich.Item", """{"count":-0}""", "{}")]
    [InlineData("rich.Item", """{"count":120000e-4}""", """{"count":12}""")]
    [InlineData("rich.Item", """{"price":"1.5"}""", """{"price":1.5}""")]
    [InlineData("rich.Item", """{"price":"-Infinity"}""", """{"price":"-Infinity"}""")]
    [InlineData("rich.Three", """{"aUint64":18446744073709551615}""", """{"aUint64":"18446744073709551615"}""")]
    [InlineData("rich.Three", """{"anInt64":-9223372036854775808}""", """{"anInt64":"-9223372036854775808"}""")]
    [InlineData("rich.Three", """{"anInt64":1.8e19, "anInt32":1}""", null)]
    [InlineData("rich.Three", """{"someBytes":"-_-_"}""", """{"someBytes":"+/+/"}""")]
    [InlineData("rich.Three", """{"someBytes":"AQ"}""", """{"someBytes":"AQ=="}""")]
    [InlineData("rich.Three", """{"color":1}""", """{"color":"RED"}""")]
    [InlineData("rich.Three", """{"color":77}""", """{"color":77}""")]
    [InlineData("rich.Three", """{"@odd name":"x"}""", """{"@odd name":"x"}""")]
    [InlineData("rich.Three", """{"renamed":"x"}""", """{"@odd name":"x"}""")]
    [InlineData("rich.Three", """{"color":null,"ints":null,"byInt32":null,"inner":null,"wrappedInt32":null}""", "{}")]
    [InlineData("rich.Three", """{"optionalInt32":0,"anInt32":0}""", """{"optionalInt32":0}""")]
    [InlineData("rich.Three", """{"value":null}""", """{"value":null}""")]
    [InlineData("rich.Three", """{"chosenNull":null}""", """{"chosenNull":null}""")]
    [InlineData("rich.Three", """{"chosenInt":null,"chosenString":"x"}""", """{"chosenString":"x"}""")]
    [InlineData("rich.Three", """{"any":{}}""", """{"any":{}}""")]
    [InlineData("rich.Three", """{"any":{"a":1,"@type":"t/rich.Item"}}""", null)]
    [InlineData("rich.Three", """{"any":{"count":1,"@type":"t/rich.Item"}}""", """{"any":{"@type":"t/rich.Item","count":1}}""")]
    [InlineData("rich.Three", """{"any":{"@type":"t/google.protobuf.Duration","value":"-1.5s"}}""",
        """{"any":{"@type":"t/google.protobuf.Duration","value":"-1.500s"}}""")]
    [InlineData("rich.Order", """{"at":"2024-05-17T09:30:00.000000001+02:00"}""", """{"at":"2024-05-17T07:30:00.000000001Z"}""")]
    [InlineData("rich.Order", """{"at":"9999-12-31T23:59:59.999999999Z"}""", """{"at":"9999-12-31T23:59:59.999999999Z"}""")]
    [InlineData("rich.Order", """{"at":"0001-01-01T00:00:00+00:01"}""", null)]
    [InlineData("rich.two.Two", """{"id":1,"pair":{"first":2},"point":[{"x":-1},{}]}""",
        """{"id":1,"pair":{"first":2},"point":[{"x":-1},{}]}""")]
    [InlineData("rich.two.Two", """{"id":1,"[rich.two.tags]":["a","b"],"[rich.two.level]":0}""",
        """{"id":1,"[rich.two.level]":0,"[rich.two.tags]":["a","b"]}""")]
    [InlineData("google.protobuf.StringValue", "\"x\"", "\"x\"")]
    [InlineData("google.protobuf.Struct", """{"a":[1,null,{"b":true}]}""", """{"a":[1,null,{"b":true}]}""")]
    public void Valid_spellings_of_a_value_become_canonical_JSON_and_invalid_ones_are_rejected(string type, string json, string? canonical)
    {
        if (canonical is null)
            Assert.Throws<InputException>(() => Protos.Encode(type, json));
        else
            Assert.Equal(canonical, Protos.Decode(type, Protos.Encode(type, json)));
    }

    [Fact]
    public void Extensions_become_the_bytes_that_Google_Protobuf_writes()
    {
        var two = new Two { Id = 1 };
        two.SetExtension(TwoExtensions.Level, 7);
        two.GetOrInitializeExtension(TwoExtensions.Tags).Add(["a", "b"]);
        two.SetExtension(Two.Extensions.NestedExtension, "n");
        two.SetExtension(TwoExtensions.Order, new Order { Id = "o" });
        const string others = """
            "[rich.two.tags]":["a","b"],"[rich.two.Two.nested_extension]":"n","[rich.two.order]":{"id":"o"}
            """;
        Assert.Equal(two.ToByteArray(), Protos.Encode("rich.two.Two", $$"""{"[rich.two.level]":7,"id":1,{{others}}}"""));
        Assert.Equal($$"""{"id":1,"[rich.two.level]":7,{{others}}}""", Protos.Decode("rich.two.Two", two.ToByteArray()));
    }

    // https://protobuf.dev/programming-guides/encoding: a reader accepts packed and unpacked fields, keeps the last member of a oneof,
    // and merges the parts of a message.
    [Theory]
    [InlineData("rich.Three", "F80101" + "F80102", """{"ints":[1,2]}""")]
    [InlineData("rich.Three", "C20204" + "07000000", """{"unpacked":[7]}""")]
    [InlineData("rich.Three", "980301" + "A2030178", """{"chosenString":"x"}""")]
    [InlineData("rich.Three", "7A020801" + "7A03120161", """{"inner":{"number":1,"name":"a"}}""")]
    [InlineData("rich.Three", "0A0178" + "1005", """{"anInt64":"5"}""")]
    [InlineData("rich.Item", "F8FFFFFF0F01" + "1801", """{"count":1}""")]
    [InlineData("rich.two.Two", "0801" + "8301" + "0802" + "8401", """{"id":1,"pair":{"first":2}}""")]
    public void Every_valid_encoding_of_a_message_is_read(string type, string hex, string json) =>
        Assert.Equal(json, Protos.Decode(type, Convert.FromHexString(hex)));

    [Theory]
    [InlineData("rich.Item", "0A05616263")]
    [InlineData("rich.Item", "0A01FF")] // no UTF-8
    [InlineData("rich.Item", "18")]
    [InlineData("rich.Item", "00")]
    [InlineData("rich.Item", "18FFFFFFFFFFFFFFFFFFFF01")]
    [InlineData("rich.Three", "FA0101FF")]
    [InlineData("rich.two.Two", "8301" + "0801")]
    [InlineData("rich.two.Two", "8401")]
    public void Invalid_bytes_are_rejected(string type, string hex)
    {
        var error = Assert.Throws<SchemaException>(() => Protos.Decode(type, Convert.FromHexString(hex)));
        Assert.Matches($"^({hex.Length / 2} bytes are not a {type}: .+|a group of rich.two.Two.Pair has no end)$", error.Message);
    }

    [Fact]
    public void Damaged_bytes_are_rejected_or_read_and_never_crash()
    {
        var random = new Random(5);
        var inner = new Three.Types.Inner { Name = "x", Three = new Three { ByInt32 = { { 1, 2 } } } };
        var whole = new Three { AnInt32 = 5, Inner = inner, Ints = { 1, 2 } }.ToByteArray();
        var refused = 0;
        for (var round = 0; round < 5000; round++)
        {
            var damaged = whole.ToArray();
            damaged[random.Next(damaged.Length)] = (byte)random.Next(256);
            try
            {
                Protos.Decode("rich.Three", damaged);
            }
            catch (SchemaException)
            {
                refused++;
            }
        }
        Assert.InRange(refused, 1, 4999);
    }

    [Fact]
    public void A_message_nested_too_deeply_is_rejected()
    {
        byte[] inner = [];
        for (var depth = 0; depth < 200; depth++)
            inner = InField(3, inner);
        var error = Assert.Throws<SchemaException>(() => Protos.Decode("rich.Three.Inner", inner));
        Assert.Equal("the message is nested deeper than 100 levels", error.Message);
        var any = new Any();
        for (var depth = 0; depth < 1000; depth++)
            any = Any.Pack(any);
        Assert.Contains("\"value\":\"", Protos.Decode("google.protobuf.Any", any.ToByteArray()), StringComparison.Ordinal);
    }

    private static byte[] InField(int number, byte[] inner)
    {
        using var buffer = new MemoryStream();
        using (var output = new CodedOutputStream(buffer))
        {
            output.WriteTag(number, WireFormat.WireType.LengthDelimited);
            output.WriteBytes(ByteString.CopyFrom(inner));
        }
        return buffer.ToArray();
    }
}
