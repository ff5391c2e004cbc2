using System.Text;
using Google.Protobuf;
using IpcBench.Http2;
using IpcBench.Protocol.V1;
using IpcBench.Server.BuiltIn;
using IpcBench.Server.Options;
using IpcBench.Server.Tests.Support;

namespace IpcBench.Server.Tests;

public sealed class StatusTests : IAsyncLifetime
{
    private ServerUnderTest server = null!;
    private GrpcClient client = null!;

    public async ValueTask InitializeAsync()
    {
        server = await ServerUnderTest.StartAsync(
            new ServerOptions { Listen = [Addresses.Unix()], MaxSize = 1_000_000, Stack = BuiltInStack.StackName });
        client = new GrpcClient(server.Address);
    }

    public async ValueTask DisposeAsync()
    {
        client.Dispose();
        await server.DisposeAsync();
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(1_000_001)]
    [InlineData(long.MinValue)]
    [InlineData(long.MaxValue)]
    public async Task A_size_below_zero_or_above_the_limit_gets_the_status_INVALID_ARGUMENT(long size)
    {
        var reply = await client.PostAsync(GrpcClient.Download, GrpcClient.Frame(new DownloadRequest { Size = size }));
        AssertFailed(
            $"size is {size}: {(size < 0 ? "it must not be negative" : "this server's limit is 1000000 bytes")}",
            GrpcStatusCode.InvalidArgument, reply);
        Assert.Equal(1_000_000, (await client.DownloadAsync(1_000_000)).Length);
    }

    [Theory]
    [InlineData("/ipcbench.v1.Bench/Unload")]
    [InlineData("/ipcbench.v1.Bench/download")]
    [InlineData("/nobody.Knows/This")]
    [InlineData("/")]
    public async Task A_call_of_an_unknown_method_gets_the_status_UNIMPLEMENTED(string path) =>
        AssertFailed(
            $"this server has no method {path}", GrpcStatusCode.Unimplemented, await client.PostAsync(path, GrpcClient.Frame([])));

    [Fact]
    public async Task A_long_path_is_shortened_in_the_error()
    {
        var reply = await client.PostAsync("/" + new string('ü', 1_000), GrpcClient.Frame([]));
        AssertFailed($"this server has no method /{new string('ü', 99)}…", GrpcStatusCode.Unimplemented, reply);
    }

    [Fact]
    public async Task A_compressed_message_is_answered_with_the_status_UNIMPLEMENTED() => AssertFailed(
        "compressed messages are not supported", GrpcStatusCode.Unimplemented,
        await client.PostAsync(GrpcClient.Download, GrpcClient.Frame([8, 10], flag: 1)));

    [Theory]
    [InlineData(new byte[] { }, "the request has no message")]
    [InlineData(new byte[] { 0, 0, 0 }, "the request ends within a prefix")]
    [InlineData(new byte[] { 0, 0, 0, 0, 2, 8 }, "the request ends within its message")]
    [InlineData(new byte[] { 0, 0, 0, 0, 2, 8, 10, 0 }, "more than one message in a unary request")]
    [InlineData(new byte[] { 0, 0, 0, 0, 2, 8, 10, 0, 0, 0, 0, 2, 8, 10 }, "more than one message in a unary request")]
    [InlineData(new byte[] { 7, 0, 0, 0, 2, 8, 10 }, "the message's compression flag is neither 0 nor 1")]
    public async Task An_invalid_frame_gets_the_status_INTERNAL(byte[] body, string why) =>
        AssertFailed(why, GrpcStatusCode.Internal, await client.PostAsync(GrpcClient.Download, body));

    [Theory]
    [InlineData(GrpcClient.Download, new byte[] { 8 })] // a field without a value
    [InlineData(GrpcClient.Download, new byte[] { 8, 0x80 })] // a varint without an end
    [InlineData(GrpcClient.Download, new byte[] { 0, 0 })] // a tag with field number 0
    [InlineData(GrpcClient.Usage, new byte[] { 0x0A, 0x7F })]
    public async Task An_invalid_message_gets_the_status_INTERNAL(string method, byte[] message)
    {
        var why = Assert.Throws<InvalidProtocolBufferException>(() => DownloadRequest.Parser.ParseFrom(message)).Message;
        AssertFailed($"the request is not a message of this method: {why}", GrpcStatusCode.Internal,
            await client.PostAsync(method, GrpcClient.Frame(message)));
    }

    [Fact]
    public async Task An_oversized_request_is_rejected_by_the_length_in_its_prefix()
    {
        AssertFailed("the message has 2147483647 bytes: at most 32768 are accepted", GrpcStatusCode.ResourceExhausted,
            await client.PostAsync(GrpcClient.Download, [0, 0x7F, 0xFF, 0xFF, 0xFF]));
        AssertFailed("the message has 5000000 bytes: at most 32768 are accepted", GrpcStatusCode.ResourceExhausted,
            await client.PostAsync(GrpcClient.Download, GrpcClient.Frame(new byte[5_000_000])));
    }

    [Fact]
    public async Task A_request_of_the_largest_accepted_size_is_answered()
    {
        var padded = new byte[] { 8, 10, 0x12 }; // size = 10, then an unknown field of bytes
        byte[] message = [.. padded, 0xFB, 0xFF, 0x01, .. new byte[0x7FFB]];
        Assert.Equal(32 * 1024 + 1, message.Length);
        message = [.. padded, 0xFA, 0xFF, 0x01, .. new byte[0x7FFA]];
        var reply = await client.PostAsync(GrpcClient.Download, GrpcClient.Frame(message));
        Assert.Equal(GrpcStatusCode.Ok, reply.Status);
        Assert.Equal(10, DownloadReply.Parser.ParseFrom(reply.Message.Span).Payload.Length);
    }

    [Theory]
    [InlineData(new byte[] { 0x08, 0x8A, 0x80, 0x00 })] // a varint that is longer than necessary
    [InlineData(new byte[] { 0x08, 0x07, 0x08, 0x0A })] // the field twice: the last value counts
    [InlineData(new byte[] { 0x12, 0x01, 0x61, 0x08, 0x0A })] // a field that this version does not know
    public async Task Unusual_but_valid_messages_are_understood(byte[] message)
    {
        var reply = await client.PostAsync(GrpcClient.Download, GrpcClient.Frame(message));
        Assert.Equal(10, DownloadReply.Parser.ParseFrom(reply.Message.Span).Payload.Length);
    }

    [Fact]
    public async Task The_status_of_a_successful_call_is_in_the_trailers()
    {
        var reply = await client.PostAsync(GrpcClient.Download, GrpcClient.Frame(new DownloadRequest { Size = 3 }));
        Assert.False(reply.TrailersOnly);
        Assert.Equal(("application/grpc", 200, GrpcStatusCode.Ok), (reply.ContentType, reply.HttpStatus, reply.Status));
    }

    [Theory]
    [InlineData("application/grpc+proto", 200)]
    [InlineData("application/grpc; charset=utf-8", 200)]
    [InlineData("application/grpc+json", 415)]
    [InlineData("application/grpc-web", 415)]
    [InlineData("application/json", 415)]
    [InlineData(null, 415)]
    public async Task Only_content_types_of_gRPC_with_protobuf_are_accepted(string? contentType, int httpStatus) =>
        Assert.Equal(httpStatus, (await client.PostAsync(GrpcClient.Download, GrpcClient.Frame([8, 10]), contentType)).HttpStatus);

    [Fact]
    public async Task An_HTTP_method_other_than_POST_is_not_allowed() =>
        Assert.Equal(405, (await client.SendAsync(HttpMethod.Get, GrpcClient.Download, null, null)).HttpStatus);

    private static void AssertFailed(string why, GrpcStatusCode code, GrpcReply reply)
    {
        Assert.Equal((200, code, "application/grpc"), (reply.HttpStatus, reply.Status, reply.ContentType));
        Assert.True(reply.TrailersOnly);
        Assert.Equal(why, GrpcStatus.DecodeMessage(Encoding.ASCII.GetBytes(reply.StatusMessage!)));
        Assert.Empty(reply.Body);
    }
}
