using System.Text;

namespace IpcBench.Http2.Tests;

/// <summary>Checks how response fields are read, and how field blocks of several frames are joined.</summary>
public class FieldsTests
{
    [Theory]
    [InlineData(":status", HeaderName.Status)]
    [InlineData(":path", HeaderName.Forbidden)]
    [InlineData(":", HeaderName.Forbidden)]
    [InlineData("", HeaderName.Forbidden)]
    [InlineData("grpc-status", HeaderName.GrpcStatus)]
    [InlineData("grpc-message", HeaderName.GrpcMessage)]
    [InlineData("content-type", HeaderName.ContentType)]
    [InlineData("connection", HeaderName.Forbidden)]
    [InlineData("keep-alive", HeaderName.Forbidden)]
    [InlineData("transfer-encoding", HeaderName.Forbidden)]
    [InlineData("server", HeaderName.Other)]
    [InlineData("connectiom", HeaderName.Other)]
    [InlineData("grpc-statut", HeaderName.Other)]
    [InlineData("Server", HeaderName.Forbidden)]
    [InlineData("serveR", HeaderName.Forbidden)]
    [InlineData("A", HeaderName.Forbidden)]
    [InlineData("xZ", HeaderName.Forbidden)]
    [InlineData("x@[", HeaderName.Other)]
    [InlineData("x y", HeaderName.Forbidden)]
    [InlineData(" x", HeaderName.Forbidden)]
    [InlineData("x\0", HeaderName.Forbidden)]
    [InlineData("\0", HeaderName.Forbidden)]
    [InlineData("x!", HeaderName.Other)]
    public void Known_and_forbidden_names_are_recognized(string name, HeaderName kind) =>
        Assert.Equal(kind, HeaderField.Classify(Encoding.ASCII.GetBytes(name)));

    [Theory]
    [InlineData(HeaderName.Status, "200", 200)]
    [InlineData(HeaderName.Status, "999", 999)]
    [InlineData(HeaderName.Status, "20", -1)]
    [InlineData(HeaderName.Status, "2000", -1)]
    [InlineData(HeaderName.Status, "2/0", -1)]
    [InlineData(HeaderName.Status, "2:0", -1)]
    [InlineData(HeaderName.GrpcStatus, "0", 0)]
    [InlineData(HeaderName.GrpcStatus, "16", 16)]
    [InlineData(HeaderName.GrpcStatus, "", -1)]
    [InlineData(HeaderName.GrpcStatus, "100", -1)]
    [InlineData(HeaderName.GrpcStatus, "x", -1)]
    [InlineData(HeaderName.ContentType, "application/grpc", 1)]
    [InlineData(HeaderName.ContentType, "application/grpc+proto", 1)]
    [InlineData(HeaderName.ContentType, "application/grpc;charset=utf-8", 1)]
    [InlineData(HeaderName.ContentType, "application/grpc-web", 0)]
    [InlineData(HeaderName.ContentType, "application/grp", 0)]
    [InlineData(HeaderName.ContentType, "text/html;charset=utf-8", 0)]
    [InlineData(HeaderName.Other, "1", 0)]
    public void Only_field_values_that_gRPC_needs_are_read(HeaderName name, string value, int number) =>
        Assert.Equal(new HeaderField(name, number), HeaderField.Create(name, Encoding.ASCII.GetBytes(value)));

    [Theory]
    [InlineData(":status=200|content-type=application/grpc|grpc-status=0", 200, 0, true, false)]
    [InlineData(":status=100", 100, -1, false, false)]
    [InlineData(":status=099", 99, -1, false, true)]
    [InlineData(":status=200|:status=200", 200, -1, false, true)]
    [InlineData("server=x|:status=200", 200, -1, false, true)]
    [InlineData("grpc-status=0|:status=200", 200, 0, false, true)]
    [InlineData(":status=200|connection=close|server=x", 200, -1, false, true)]
    [InlineData("grpc-status=13|content-type=text/html", 0, 13, false, false)]
    [InlineData("grpc-status=many", 0, -2, false, false)]
    [InlineData("content-type=application/grpc|content-type=text/html", 0, -1, false, false)]
    [InlineData("", 0, -1, false, false)]
    public void The_status_of_a_header_block_is_read_and_a_malformed_block_is_detected(
        string fields, int status, int grpcStatus, bool isGrpc, bool isMalformed)
    {
        var block = new HeaderBlock();
        foreach (var field in fields.Split('|', StringSplitOptions.RemoveEmptyEntries).Select(field => field.Split('=')))
            block.Add(HeaderField.Create(HeaderField.Classify(Encoding.ASCII.GetBytes(field[0])), Encoding.ASCII.GetBytes(field[1])));
        Assert.Equal((status, grpcStatus, isGrpc, isMalformed), (block.Status, block.GrpcStatus, block.IsGrpc, block.Malformed));
        Assert.Equal(-2, HeaderBlock.BadGrpcStatus);
    }

    [Fact]
    public void A_header_block_is_joined_from_all_its_frames_and_the_next_block_starts_empty()
    {
        var blocks = new HeaderBlocks();
        Assert.False(Take(blocks, FrameType.Headers, FrameFlags.EndStream, 3, [1, 2], out _));
        Assert.Equal((true, 3, true), (blocks.IsOpen, blocks.StreamId, blocks.EndsStream));
        Assert.False(Take(blocks, FrameType.Continuation, FrameFlags.None, 3, [3, 4, 5, 6, 7], out _));
        Assert.False(Take(blocks, FrameType.Continuation, FrameFlags.None, 3, [8], out _));
        Assert.True(Take(blocks, FrameType.Continuation, FrameFlags.EndHeaders, 3, [9], out var whole));
        Assert.Equal([1, 2, 3, 4, 5, 6, 7, 8, 9], whole);
        Assert.False(blocks.IsOpen);
        Assert.True(Take(blocks, FrameType.Headers, FrameFlags.EndHeaders, 5, [7, 7], out whole));
        Assert.Equal([7, 7], whole);
        Assert.Equal((false, 5, false), (blocks.IsOpen, blocks.StreamId, blocks.EndsStream));
        Assert.False(Take(blocks, FrameType.Headers, FrameFlags.Padded | FrameFlags.Priority, 7, [1, 0, 0, 0, 0, 16, 5, 0], out _));
        Assert.True(Take(blocks, FrameType.Continuation, FrameFlags.EndHeaders, 7, [6], out whole));
        Assert.Equal([5, 6], whole);
    }

    [Theory]
    [InlineData(65_536, 0, true)]
    [InlineData(65_537, 0, false)]
    [InlineData(40_000, 25_536, true)]
    [InlineData(40_000, 25_537, false)]
    public void A_header_block_above_64_KiB_is_rejected(int first, int second, bool isTaken)
    {
        var blocks = new HeaderBlocks();
        var thrown = Record.Exception(() =>
        {
            Take(blocks, FrameType.Headers, FrameFlags.None, 1, new byte[first], out _);
            Take(blocks, FrameType.Continuation, FrameFlags.EndHeaders, 1, new byte[second], out var whole);
            Assert.Equal(first + second, whole.Length);
        });
        Assert.Equal(isTaken ? (Http2Error?)null : Http2Error.EnhanceYourCalm, (thrown as Http2Exception)?.Error);
        Assert.True(thrown is null or Http2Exception, thrown?.ToString());
    }

    private static bool Take(HeaderBlocks blocks, FrameType type, FrameFlags flags, int stream, byte[] payload, out byte[] whole)
    {
        var isWhole = blocks.Take(new FrameHeader(payload.Length, type, flags, stream), payload, out var block);
        whole = block.ToArray();
        return isWhole;
    }
}
