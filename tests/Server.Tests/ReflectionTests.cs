using Google.Protobuf.Reflection;
using IpcBench.Http2;
using IpcBench.Protocol.Reflection.V1;
using IpcBench.Server.BuiltIn;
using IpcBench.Server.Tests.Support;

namespace IpcBench.Server.Tests;

public sealed class ReflectionTests : IAsyncLifetime
{
    private ServerUnderTest server = null!;
    private GrpcClient client = null!;

    public async ValueTask InitializeAsync()
    {
        server = await ServerUnderTest.StartAsync(Addresses.Unix());
        client = new GrpcClient(server.Address);
    }

    public async ValueTask DisposeAsync()
    {
        client.Dispose();
        await server.DisposeAsync();
    }

    [Theory]
    [InlineData("ipcbench.v1.Bench", "bench.proto")]
    [InlineData("ipcbench.v1.Control.Usage", "bench.proto")]
    [InlineData("ipcbench.v1.EndpointUsage", "bench.proto")]
    [InlineData("grpc.reflection.v1.ServerReflection", "grpc/reflection/v1/reflection.proto")]
    public async Task A_reflection_request_for_a_symbol_returns_the_file_of_the_symbol(string symbol, string file)
    {
        var reply = Assert.Single(await AskAsync(new ServerReflectionRequest { FileContainingSymbol = symbol, Host = "here" }));
        var proto = FileDescriptorProto.Parser.ParseFrom(Assert.Single(reply.FileDescriptorResponse.FileDescriptorProto));
        Assert.Equal((file, "here", symbol), (proto.Name, reply.ValidHost, reply.OriginalRequest.FileContainingSymbol));
        // If the file imported another file, the reply would have to contain that file too.
        Assert.Empty(proto.Dependency);
        var byName = Assert.Single(await AskAsync(new ServerReflectionRequest { FileByFilename = file }));
        Assert.Equal(reply.FileDescriptorResponse, byName.FileDescriptorResponse);
    }

    [Fact]
    public async Task An_unknown_symbol_is_an_error_in_the_stream_and_the_next_request_is_answered()
    {
        var replies = await AskAsync(
            new ServerReflectionRequest { FileContainingSymbol = "shop.Cart" },
            new ServerReflectionRequest { FileContainingExtension = new ExtensionRequest { ContainingType = "ipcbench.v1.Limits" } },
            new ServerReflectionRequest { AllExtensionNumbersOfType = "shop.Cart" },
            new ServerReflectionRequest(),
            new ServerReflectionRequest { AllExtensionNumbersOfType = "ipcbench.v1.Limits" });
        Assert.Equal([5, 5, 5, 3, 0], replies.Select(reply => reply.ErrorResponse?.ErrorCode ?? 0));
        Assert.Equal("ipcbench.v1.Limits", replies[^1].AllExtensionNumbersResponse.BaseTypeName);
    }

    [Theory]
    [InlineData("", GrpcStatusCode.Ok, 0)]
    [InlineData("00000000033A012A" + "00000000033A012A", GrpcStatusCode.Ok, 2)]
    [InlineData("00000000033A012A" + "0000", GrpcStatusCode.Internal, 1)]
    [InlineData("00000000033A012A" + "00000000033A01", GrpcStatusCode.Internal, 1)]
    [InlineData("00000000033A012A" + "0000000001FF", GrpcStatusCode.Internal, 1)]
    [InlineData("00000000033A012A" + "01000000033A012A", GrpcStatusCode.Unimplemented, 1)]
    [InlineData("007FFFFFFF00", GrpcStatusCode.ResourceExhausted, 0)]
    public async Task A_reflection_stream_ends_with_a_status_after_its_answers(string body, GrpcStatusCode status, int answers)
    {
        var reply = await client.PostAsync(ReflectionStream.Path, Convert.FromHexString(body));
        Assert.Equal((200, status), (reply.HttpStatus, reply.Status));
        Assert.Equal(answers, Messages(reply.Body).Count);
        Assert.Single(await AskAsync(new ServerReflectionRequest { ListServices = "" }));
    }

    [Fact]
    public async Task A_request_without_a_content_type_of_gRPC_is_rejected_with_HTTP_status_415() =>
        Assert.Equal(415, (await client.PostAsync(ReflectionStream.Path, [], "text/plain")).HttpStatus);

    private async Task<IReadOnlyList<ServerReflectionResponse>> AskAsync(params ServerReflectionRequest[] requests)
    {
        var reply = await client.PostAsync(ReflectionStream.Path, [.. requests.SelectMany(request => GrpcClient.Frame(request))]);
        Assert.Equal(GrpcStatusCode.Ok, reply.Status);
        return Messages(reply.Body);
    }

    private static List<ServerReflectionResponse> Messages(byte[] body)
    {
        var messages = new List<ServerReflectionResponse>();
        for (var at = 0; at < body.Length;)
        {
            GrpcFraming.ReadPrefix(body.AsSpan(at), out _, out var length);
            messages.Add(ServerReflectionResponse.Parser.ParseFrom(body, at + GrpcFraming.PrefixLength, (int)length));
            at += GrpcFraming.PrefixLength + (int)length;
        }
        return messages;
    }
}
