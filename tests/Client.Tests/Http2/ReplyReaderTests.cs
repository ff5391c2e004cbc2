using IpcBench.Client.Protocols.Http2;
using IpcBench.Client.Tests.Http2.Support;

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
    public void A_message_is_right_when_its_payload_has_the_size_however_it_is_cut(int size)
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
    public void Unknown_fields_are_skipped_and_the_last_payload_wins()
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
    [InlineData("00 00000002 0a80")] // a length cut short
    [InlineData("00 00000001 0b")] // a group
    [InlineData("00 00000002 0200")] // field number 0
    [InlineData("00 00000000 00")] // more than one message
    [InlineData("00 0000000c 10ffffffffffffffffffff01")] // a varint of eleven bytes
    public void What_is_no_message_is_broken(string hex)
    {
        var reader = new ReplyReader();
        reader.Read(Convert.FromHexString(hex.Replace(" ", "")));
        Assert.True(reader.IsBroken);
        Assert.False(reader.IsComplete(0));
    }
}
