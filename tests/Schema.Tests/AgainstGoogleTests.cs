using Google.Protobuf;
using Google.Protobuf.Reflection;
using IpcBench.Schema.Tests.Rich;
using IpcBench.Schema.Tests.Rich.Proto2;
using IpcBench.Schema.Tests.Support;
using IpcBench.Schema.Types;

namespace IpcBench.Schema.Tests;

/// <summary>Checks that random messages are encoded and decoded as by Google.Protobuf and its generated code.</summary>
public class AgainstGoogleTests
{
    private static readonly TypeRegistry Registry =
        TypeRegistry.FromFiles([ThreeReflection.Descriptor, .. DescriptorFiles.WellKnown.Values]);

    private static readonly JsonFormatter.Settings Plain = JsonFormatter.Settings.Default.WithTypeRegistry(Registry);
    private static readonly JsonParser Parser = new(JsonParser.Settings.Default.WithTypeRegistry(Registry));

    // The ways JSON can spell the same message.
    private static readonly JsonFormatter[] Spellings =
    [
        new(Plain), new(Plain.WithPreserveProtoFieldNames(true)), new(Plain.WithFormatEnumsAsIntegers(true)),
        new(Plain.WithFormatDefaultValues(true)), new(Plain.WithIndentation()),
    ];

    [Fact]
    public void Proto3_messages_become_the_bytes_that_Google_Protobuf_writes() => Hold<Three>("rich.Three");

    [Fact]
    public void Proto2_messages_become_the_bytes_that_Google_Protobuf_writes() => Hold<Two>("rich.two.Two");

    [Fact]
    public void Bytes_of_proto3_become_JSON_that_Google_reads_as_the_same_message() => HoldDecoded<Three>("rich.Three");

    [Fact]
    public void Bytes_of_proto2_become_JSON_that_Google_reads_as_the_same_message() => HoldDecoded<Two>("rich.two.Two");

    // Any damaged text gives an error with line and column, or is read as a valid protobuf message.
    [Fact]
    public void Damaged_JSON_is_rejected_or_read_and_never_crashes()
    {
        const string damage = "{}[]\",:0e-.\\nu ";
        var (refused, read) = (0, 0);
        var random = new Random(11);
        foreach (var message in RandomMessages.Of<Three>())
        {
            var json = new System.Text.StringBuilder(Spellings[0].Format(message));
            for (var left = random.Next(1, 4); left > 0; left--)
                json[random.Next(json.Length)] = damage[random.Next(damage.Length)];
            try
            {
                Protos.Encode("rich.Three", json.ToString());
                read++;
            }
            catch (InputException e)
            {
                Assert.Matches("^line [0-9]+, column [0-9]+: .", e.Message);
                refused++;
            }
        }
        Assert.True(refused > 0 && read > 0, $"{refused} rejected, {read} read");
    }

    // https://protobuf.dev/programming-guides/proto3/#default: "-0 is considered distinct and will be serialized". Generated C# code
    // compares with == and so drops -0 from a plain field, but not from maps and wrappers. This project sends -0 as it was typed.
    [Fact]
    public void A_negative_zero_is_written_although_generated_csharp_code_drops_it()
    {
        Assert.Equal("1100000000000000" + "80", Convert.ToHexString(Protos.Encode("rich.Item", """{"price":-0.0}""")));
        Assert.Empty(Parser.Parse<Item>("""{"price":-0.0}""").ToByteArray());
        Assert.Empty(Protos.Encode("rich.Item", """{"price":0.0}"""));
    }

    private static void HoldDecoded<T>(string type) where T : IMessage<T>, new()
    {
        var formatter = new JsonFormatter(Plain);
        Assert.All(RandomMessages.Of<T>(), message =>
        {
            var again = Parser.Parse<T>(Protos.Decode(type, message.ToByteArray()));
            Assert.Equal(formatter.Format(message), formatter.Format(again));
        });
    }

    private static void Hold<T>(string type) where T : IMessage<T>, new()
    {
        var cases = 0;
        foreach (var message in RandomMessages.Of<T>())
        {
            var json = Spellings[cases++ % Spellings.Length].Format(message);
            var expected = Parser.Parse<T>(json).ToByteArray();
            var bytes = Protos.Encode(type, json);
            if (!expected.AsSpan().SequenceEqual(bytes))
                Assert.Fail($"{json}\nexpected {Convert.ToHexString(expected)}\ngot      {Convert.ToHexString(bytes)}");
        }
    }
}
