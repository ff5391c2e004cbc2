using Google.Protobuf;
using IpcBench.Protocol.V1;

namespace IpcBench.Http2.Tests;

public class GrpcFramingTests
{
    [Theory]
    [InlineData(0, new byte[] { 0, 0, 0, 0, 0 })]
    [InlineData(12, new byte[] { 0, 0, 0, 0, 12 })]
    [InlineData(0x01020304, new byte[] { 0, 1, 2, 3, 4 })]
    [InlineData(int.MaxValue, new byte[] { 0, 0x7F, 0xFF, 0xFF, 0xFF })]
    public void A_message_prefix_is_a_flag_and_a_big_endian_length(int length, byte[] bytes)
    {
        var prefix = new byte[GrpcFraming.PrefixLength];
        prefix.AsSpan().Fill(0xEE);
        GrpcFraming.WritePrefix(prefix, length);
        Assert.Equal(bytes, prefix);
        GrpcFraming.ReadPrefix(prefix, out var flag, out var read);
        Assert.Equal((0, (uint)length), (flag, read));
    }

    [Fact]
    public void A_message_prefix_is_read_with_any_flag_and_the_largest_length()
    {
        GrpcFraming.ReadPrefix([1, 0xFF, 0xFF, 0xFF, 0xFF], out var flag, out var length);
        Assert.Equal((1, uint.MaxValue), (flag, length));
    }

    [Fact]
    public void A_framed_message_consists_of_a_prefix_and_the_bytes_of_the_message()
    {
        Assert.Equal([0, 0, 0, 0, 2, 7, 9], GrpcFraming.Frame([7, 9]));
        Assert.Equal([1, 0, 0, 0, 0], GrpcFraming.Frame([], flag: 1));
    }

    // The numbers of the fields are a promise to everyone who implements Bench: these bytes must never change.
    [Fact]
    public void The_protobuf_messages_have_the_documented_bytes()
    {
        Assert.Equal([0x08, 0xC0, 0x84, 0x3D], new DownloadRequest { Size = 1_000_000 }.ToByteArray());
        Assert.Equal([0x0A, 2, 7, 9], new DownloadReply { Payload = ByteString.CopyFrom(7, 9) }.ToByteArray());
        Assert.Empty(new DownloadRequest().ToByteArray());
    }
}
