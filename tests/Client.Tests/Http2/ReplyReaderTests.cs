using Google.Protobuf;
using IpcBench.Client.Protocols.Http2;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Http2;
using IpcBench.Protocol;
using IpcBench.Protocol.V1;

namespace IpcBench.Client.Tests.Http2;

public class ReplyReaderTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(10)]
    [InlineData(127)]
    [InlineData(128)]
    [InlineData(20000)]
    public void A_message_in_pieces_is_correct_only_if_its_payload_has_the_expected_size(int size)
    {
        var message = Frames.Message(size);
        foreach (var piece in new[] { 1, 2, 3, 7, message.Length })
        {
            var reader = new ReplyReader();
            for (var at = 0; at < message.Length; at += piece)
            {
                Assert.False(reader.IsComplete(size));
                reader.Read(message.AsSpan(at, Math.Min(piece, message.Length - at)));
            }
            Assert.True(reader.IsComplete(size));
            Assert.False(reader.IsComplete(size + 1));
        }
    }

    [Fact]
    public void Unknown_fields_are_skipped_and_the_last_payload_counts()
    {
        var reader = new ReplyReader();
        reader.Read(Frames.Prefixed([
            0x10, 0x96, 0x01, // 2: varint 150
            0x0A, 0x03, 1, 2, 3,
            0x19, 1, 2, 3, 4, 5, 6, 7, 8, // 3: fixed64
            0x25, 1, 2, 3, 4, // 4: fixed32
            0x2A, 0x00, // 5: empty bytes
            0x0A, 0x02, 1, 2]));
        Assert.True(reader.IsComplete(2));
    }

    [Theory]
    [InlineData("01 00000000")] // compressed
    [InlineData("00 00000002 0a05")] // a field longer than its message
    [InlineData("00 00000001 0a")] // a tag without a length
    [InlineData("00 00000002 0a80")] // an incomplete length
    [InlineData("00 00000001 0b")] // a group
    [InlineData("00 00000002 0200")] // field number 0
    [InlineData("00 00000000 00")] // more than one message
    [InlineData("00 0000000c 10ffffffffffffffffffff01")] // a varint of eleven bytes
    public void Bytes_that_are_no_message_are_detected(string hex)
    {
        var reader = new ReplyReader();
        reader.Read(Convert.FromHexString(hex.Replace(" ", "")));
        Assert.True(reader.IsBroken);
        Assert.False(reader.IsComplete(0));
    }

    [Fact]
    public void The_reader_reports_the_same_payload_sizes_as_a_full_parser_wherever_bytes_are_split()
    {
        var random = new Random(12);
        for (var turn = 0; turn < 2_000; turn++)
        {
            var messages = Enumerable.Range(0, 4).Select(_ => SomePayload(random)).ToList();
            var (reader, found) = (default(PayloadReader), new List<(ulong, uint, long, long)>());
            var (opaque, sizes) = (new PayloadReader(isOpaque: true), new List<long>());
            for (ReadOnlySpan<byte> rest = messages.SelectMany(Frames.Prefixed).ToArray(); !rest.IsEmpty;)
            {
                var piece = rest[..Math.Min(rest.Length, random.Next(1, 40))];
                rest = rest[piece.Length..];
                for (var same = piece; !same.IsEmpty;)
                {
                    same = same[opaque.Read(same)..];
                    Assert.False(opaque.IsBroken);
                    if (opaque.IsComplete)
                        sizes.Add(opaque.Size);
                }
                while (!piece.IsEmpty)
                {
                    piece = piece[reader.Read(piece)..];
                    Assert.False(reader.IsBroken);
                    if (reader.IsComplete)
                        found.Add((reader.Stamp, reader.Sequence, reader.Size, reader.Length));
                }
            }
            Assert.True(reader.IsBetween);
            Assert.Equal(messages.Select(Measures), found);
            Assert.Equal(messages.Select(message => (long)message.Length), sizes);
        }
    }

    private static (ulong, uint, long, long) Measures(byte[] message)
    {
        var payload = Payload.Parser.ParseFrom(message);
        return (payload.Stamp, payload.Sequence, payload.Payload_.Length, message.Length);
    }

    /// <summary>Makes a payload as this tool writes it, or fields 1 to 5 at random, with any wire type.</summary>
    private static byte[] SomePayload(Random random)
    {
        if (random.Next(3) == 0)
        {
            var plain = PayloadFrame.ForSize(random.Next(300));
            PayloadFrame.Number(plain, (ulong)random.NextInt64(), (uint)random.Next());
            return plain[GrpcFraming.PrefixLength..];
        }
        var bytes = new MemoryStream();
        var output = new CodedOutputStream(bytes);
        for (var left = random.Next(7); left > 0; left--)
        {
            var type = (WireFormat.WireType)random.Next(4);
            type = type == WireFormat.WireType.StartGroup ? WireFormat.WireType.Fixed32 : type;
            output.WriteTag(random.Next(1, 6), type);
            switch (type)
            {
                case WireFormat.WireType.Varint:
                    output.WriteUInt64((ulong)random.NextInt64());
                    break;
                case WireFormat.WireType.Fixed64:
                    output.WriteFixed64((ulong)random.NextInt64());
                    break;
                case WireFormat.WireType.Fixed32:
                    output.WriteFixed32((uint)random.Next());
                    break;
                default:
                    output.WriteBytes(ByteString.CopyFrom(new byte[random.Next(300)]));
                    break;
            }
        }
        output.Flush();
        return bytes.ToArray();
    }
}
