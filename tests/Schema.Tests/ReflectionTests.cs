using Google.Protobuf;
using Google.Protobuf.Reflection;
using IpcBench.Protocol.Reflection.V1;
using IpcBench.Schema.ServerReflection;
using IpcBench.Schema.Tests.Rich.Proto2;
using IpcBench.Schema.Tests.Support;

namespace IpcBench.Schema.Tests;

public class ReflectionTests
{
    private const string V1 = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    private const string V1Alpha = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
    private const string Server = "unix:/tmp/shop.sock";

    // The numbers are written by hand, so that a wrong number in the .proto is noticed: a server would not understand the message.
    [Fact]
    public void The_messages_have_the_documented_field_numbers()
    {
        Assert.Equal("0A01681A0166", Hex(new ServerReflectionRequest { Host = "h", FileByFilename = "f" }));
        Assert.Equal("220173", Hex(new ServerReflectionRequest { FileContainingSymbol = "s" }));
        var extension = new ExtensionRequest { ContainingType = "t", ExtensionNumber = 7 };
        Assert.Equal("2A050A01741007", Hex(new ServerReflectionRequest { FileContainingExtension = extension }));
        Assert.Equal("320174", Hex(new ServerReflectionRequest { AllExtensionNumbersOfType = "t" }));
        Assert.Equal("3A012A", Hex(new ServerReflectionRequest { ListServices = "*" }));
        Assert.Equal("h", Parse("0A0168" + "12033A012A").ValidHost);
        Assert.Equal("*", Parse("0A0168" + "12033A012A").OriginalRequest.ListServices);
        Assert.Equal([1], Parse("22030A0101").FileDescriptorResponse.FileDescriptorProto[0].ToByteArray());
        Assert.Equal([7], Parse("2A060A0174120107").AllExtensionNumbersResponse.ExtensionNumber);
        Assert.Equal("s", Parse("32050A030A0173").ListServicesResponse.Service[0].Name);
        var error = Parse("3A0608051202" + "6E6F").ErrorResponse;
        Assert.Equal((5, "no"), (error.ErrorCode, error.ErrorMessage));
    }

    [Fact]
    public async Task Services_are_sorted_without_duplicates()
    {
        var server = new FakeReflection { Services = ["shop.B", "shop.A", "shop.B"] };
        Assert.Equal(["shop.A", "shop.B"], await server.Client(Server).ServicesAsync());
    }

    [Fact]
    public async Task Imports_are_fetched_by_name_except_well_known_files()
    {
        var server = new FakeReflection { Files = Protos.Files, Symbols = { ["rich.two.Two"] = "rich/two.proto" } };
        var types = await server.Client(Server).TypesAsync(["rich.two.Two"]);
        Assert.Equal("rich.Item", types.Message("rich.two.Two")!.FindFieldByName("item").MessageType.FullName);
        Assert.Equal([$"{V1} rich.two.Two", $"{V1} rich/three.proto"], server.Asked);
    }

    [Fact]
    public async Task A_server_that_has_only_v1alpha_gets_one_request_for_v1_and_then_only_v1alpha()
    {
        var server = new FakeReflection
        {
            Files = Protos.Files,
            Symbols = { ["rich.Shop"] = "rich/three.proto" },
            Services = ["rich.Shop"],
            Only = V1Alpha,
        };
        var client = server.Client(Server);
        Assert.Equal(["rich.Shop"], await client.ServicesAsync());
        Assert.NotNull((await client.TypesAsync(["rich.Shop"])).Method("rich.Shop/Buy"));
        Assert.Equal([$"{V1} *", $"{V1Alpha} *", $"{V1Alpha} rich.Shop"], server.Asked);
    }

    [Fact]
    public async Task The_error_says_that_a_server_has_no_reflection()
    {
        var client = new FakeReflection { Only = "none" }.Client(Server);
        var error = await Assert.ThrowsAsync<SchemaException>(() => client.ServicesAsync());
        Assert.Equal(
            "unix:/tmp/shop.sock offers no server reflection (neither v1 nor v1alpha): give the types with --protoset or --proto",
            error.Message);
    }

    [Fact]
    public async Task The_error_of_an_unknown_service_suggests_similar_names()
    {
        var client = new FakeReflection { Files = Protos.Files, Services = ["rich.Shop"] }.Client(Server);
        var error = await Assert.ThrowsAsync<SchemaException>(() => client.TypesAsync(["rich.Shup"]));
        Assert.Equal("unix:/tmp/shop.sock has no service or type rich.Shup: did you mean rich.Shop?", error.Message);
    }

    [Fact]
    public async Task A_service_that_reflection_lists_without_types_is_reported()
    {
        var server = new FakeReflection { Files = Protos.Files, Services = ["rich.Shop", "rich.Store"] };
        var client = server.Client(Server);
        foreach (var name in server.Services)
        {
            var error = await Assert.ThrowsAsync<SchemaException>(() => client.TypesAsync([name]));
            Assert.Equal(
                $"the reflection of unix:/tmp/shop.sock lists {name}, but does not give the types of {name}", error.Message);
        }
        Assert.Equal([$"{V1} rich.Shop", $"{V1} *", $"{V1} rich.Store"], server.Asked);
    }

    [Fact]
    public async Task Endless_imports_end_with_an_error()
    {
        var client = new ReflectionClient(
            (_, bytes, _) =>
            {
                var asked = ServerReflectionRequest.Parser.ParseFrom(bytes).FileByFilename;
                var number = asked.Length == 0 ? 0 : int.Parse(asked, System.Globalization.CultureInfo.InvariantCulture);
                var file = new FileDescriptorProto { Name = $"{number}" };
                file.Dependency.AddRange(Enumerable.Range(100 * number + 1, 100).Select(import => $"{import}"));
                var found = new FileDescriptorResponse { FileDescriptorProto = { file.ToByteString() } };
                var reply = new ServerReflectionResponse { FileDescriptorResponse = found };
                return Task.FromResult(new ReflectionReply(0, "OK", reply.ToByteArray()));
            },
            Server);
        var error = await Assert.ThrowsAsync<SchemaException>(() => client.TypesAsync(["a.B"]));
        Assert.Equal("the reflection of unix:/tmp/shop.sock gives more than 10000 files or 256 MiB", error.Message);
    }

    [Fact]
    public async Task The_error_of_a_missing_import_names_the_import_and_its_importer()
    {
        var server = new FakeReflection { Files = [Protos.Files[1]], Symbols = { ["rich.two.Two"] = "rich/two.proto" } };
        var client = server.Client(Server);
        var error = await Assert.ThrowsAsync<SchemaException>(() => client.TypesAsync(["rich.two.Two"]));
        Assert.Equal(
            "the reflection of unix:/tmp/shop.sock does not give rich/three.proto, which rich/two.proto imports: no such file (status 5)",
            error.Message);
    }

    [Theory]
    [InlineData(14, "UNAVAILABLE: try later", null, "the reflection of unix:/tmp/shop.sock ended with UNAVAILABLE: try later")]
    [InlineData(0, "OK", null, "the reflection of unix:/tmp/shop.sock ended without an answer")]
    [InlineData(0, "OK", "FFFF", "the reflection of unix:/tmp/shop.sock sent 2 bytes that are not a ServerReflectionResponse")]
    [InlineData(0, "OK", "", "the reflection of unix:/tmp/shop.sock did not answer the request for the list of its services")]
    [InlineData(0, "OK", "3A06080D12026F68",
        "the reflection of unix:/tmp/shop.sock does not give the list of its services: oh (status 13)")]
    public async Task An_error_of_reflection_is_reported_with_its_reason(int status, string text, string? hex, string sentence)
    {
        var reply = new ReflectionReply(status, text, hex is null ? null : Convert.FromHexString(hex));
        var client = new ReflectionClient((_, _, _) => Task.FromResult(reply), Server);
        Assert.Equal(sentence, (await Assert.ThrowsAsync<SchemaException>(() => client.ServicesAsync())).Message);
    }

    [Fact]
    public async Task A_wrong_file_in_place_of_an_import_ends_with_an_error()
    {
        var two = TwoReflection.Descriptor.ToProto().ToByteString();
        var reply = new ServerReflectionResponse { FileDescriptorResponse = new FileDescriptorResponse { FileDescriptorProto = { two } } };
        var answer = new ReflectionReply(0, "OK", reply.ToByteArray());
        var client = new ReflectionClient((_, _, _) => Task.FromResult(answer), Server);
        var error = await Assert.ThrowsAsync<SchemaException>(() => client.TypesAsync(["rich.two.Two"]));
        Assert.Equal(
            "the reflection of unix:/tmp/shop.sock does not give rich/three.proto, which rich/two.proto imports",
            error.Message);
    }

    private static string Hex(ServerReflectionRequest request) => Convert.ToHexString(request.ToByteArray());

    private static ServerReflectionResponse Parse(string hex) => ServerReflectionResponse.Parser.ParseFrom(Convert.FromHexString(hex));

    /// <summary>Answers as a reflection server does by the specification.</summary>
    private sealed class FakeReflection
    {
        public IReadOnlyList<FileDescriptorProto> Files { get; init; } = [];

        public IReadOnlyList<string> Services { get; init; } = [];

        public Dictionary<string, string> Symbols { get; } = [];

        public string Only { get; init; } = V1;

        public List<string> Asked { get; } = [];

        public ReflectionClient Client(string server) => new(Answer, server);

        private Task<ReflectionReply> Answer(string path, byte[] bytes, CancellationToken cancel)
        {
            var request = ServerReflectionRequest.Parser.ParseFrom(bytes);
            Asked.Add($"{path} {request.ListServices}{request.FileContainingSymbol}{request.FileByFilename}");
            if (path != Only)
                return Task.FromResult(new ReflectionReply(12, "UNIMPLEMENTED: unknown service", null));
            var reply = new ServerReflectionResponse { OriginalRequest = request };
            var wanted = request.HasFileByFilename ? request.FileByFilename : Symbols.GetValueOrDefault(request.FileContainingSymbol);
            if (request.HasListServices)
                reply.ListServicesResponse = new() { Service = { Services.Select(name => new ServiceResponse { Name = name }) } };
            else if (Files.FirstOrDefault(file => file.Name == wanted) is { } found)
                reply.FileDescriptorResponse = new FileDescriptorResponse { FileDescriptorProto = { found.ToByteString() } };
            else
                reply.ErrorResponse = new ErrorResponse { ErrorCode = 5, ErrorMessage = "no such file" };
            return Task.FromResult(new ReflectionReply(0, "OK", reply.ToByteArray()));
        }
    }
}
