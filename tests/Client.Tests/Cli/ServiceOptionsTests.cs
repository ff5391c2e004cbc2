using System.CommandLine;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Google.Protobuf.WellKnownTypes;
using IpcBench.Client.Commands;
using IpcBench.Client.Plan;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Hello;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Host;
using IpcBench.Protocol.Reflection.V1;
using IpcBench.Schema;

namespace IpcBench.Client.Tests.Cli;

/// <summary>Checks <c>--list</c> and <c>--describe</c> with servers of other projects and with files.</summary>
public sealed class ServiceOptionsTests : IDisposable
{
    private const string SayHello = "hello.v1.Greeter/SayHello (hello.v1.HelloRequest) returns (hello.v1.HelloReply)\n";
    private const string Watch = "hello.v1.Greeter/Watch (hello.v1.HelloRequest) returns (stream hello.v1.HelloReply)\n";

    private readonly string protoset = Path.Combine(Path.GetTempPath(), $"greeter-{Guid.NewGuid():N}.pb");

    public ServiceOptionsTests()
    {
        var set = new FileDescriptorSet { File = { TimestampReflection.Descriptor.ToProto(), GreeterReflection.Descriptor.ToProto() } };
        File.WriteAllBytes(protoset, set.ToByteArray());
    }

    public void Dispose() => File.Delete(protoset);

    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    public async Task Services_of_a_grpc_js_server_are_listed_and_described_by_reflection(string kind)
    {
        await using var server = await ForeignServer.GreeterNodeAsync(kind, reflection: true);
        var list = await RunAsync("-U", $"{server.Address}", "--list");
        Assert.Contains(SayHello + Watch, list, StringComparison.Ordinal);
        var described = await RunAsync("-U", $"{server.Address}", "--describe", "hello.v1.Greeter");
        Assert.Contains("rpc SayHello", described, StringComparison.Ordinal);
        Assert.Contains("google.protobuf.Timestamp at = 2;", described, StringComparison.Ordinal);
        var unknown = await Assert.ThrowsAsync<SchemaException>(() => RunAsync("-U", $"{server.Address}", "--describe", "hello.v1.Greter"));
        Assert.Equal($"{server.Address} has no service or type hello.v1.Greter: did you mean hello.v1.Greeter?", unknown.Message);
    }

    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    public async Task A_server_that_has_only_reflection_v1alpha_receives_the_given_metadata(string kind)
    {
        await using var server = await ForeignServer.GreeterPythonAsync(kind, protoset);
        Assert.Equal(SayHello + Watch, await RunAsync("-U", $"{server.Address}", "--list", "-H", "Key: secret"));
        Assert.Contains(
            "string text = 1;", await RunAsync("-U", $"{server.Address}", "--describe", "hello.v1.HelloReply", "-H", "key:secret"),
            StringComparison.Ordinal);
        var refused = await Assert.ThrowsAsync<SchemaException>(() => RunAsync("-U", $"{server.Address}", "--list"));
        Assert.Equal($"the reflection of {server.Address} ended with UNAUTHENTICATED: no key", refused.Message);
    }

    [Fact]
    public async Task The_exit_code_is_2_if_the_reflection_gives_no_types_of_a_listed_service()
    {
        var list = new ServerReflectionResponse { ListServicesResponse = new() { Service = { new ServiceResponse { Name = "a.B" } } } };
        var refusal = new ServerReflectionResponse { ErrorResponse = new() { ErrorCode = 5, ErrorMessage = "no such file" } };
        await using var server = new FakeServer
        {
            Answer = (stream, call) => Frames.Reply(stream, (call == 1 ? list : refusal).ToByteArray()),
        };
        var (code, output, error) = await InvokeAsync("-U", $"{server.Address}", "--list");
        Assert.Equal((ExitCode.Environment, "a.B\n"), (code, output));
        Assert.StartsWith($"the reflection of {server.Address} lists a.B, but does not give the types of a.B", error,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_error_about_a_server_without_reflection_names_protoset_and_proto()
    {
        await using var server = await ForeignServer.GreeterNodeAsync("unix", reflection: false);
        var refused = await Assert.ThrowsAsync<SchemaException>(() => RunAsync("-U", $"{server.Address}", "--list"));
        Assert.Equal(
            $"{server.Address} offers no server reflection (neither v1 nor v1alpha): give the types with --protoset or --proto",
            refused.Message);
    }

    [Fact]
    public async Task Services_and_types_are_listed_from_a_protoset_without_a_server()
    {
        Assert.Equal(SayHello + Watch, await RunAsync("--list", "--protoset", protoset));
        string[] file = ["--protoset", protoset];
        Assert.Contains("message hello.v1.HelloReply",
            await RunAsync(["--describe", "hello.v1.HelloReply", .. file]), StringComparison.Ordinal);
        Assert.Contains("rpc Watch", await RunAsync(["--describe", "hello.v1.Greeter/SayHello", .. file]), StringComparison.Ordinal);
        var unknown = await Assert.ThrowsAsync<SchemaException>(() => RunAsync(["--describe", "hello.v1.Greeter/SayHallo", .. file]));
        Assert.Equal("hello.v1.Greeter has no method SayHallo: did you mean SayHello?", unknown.Message);
    }

    [Fact]
    public async Task A_server_that_does_not_answer_is_an_error_of_the_environment()
    {
        var refused = await Assert.ThrowsAsync<EnvironmentException>(() => RunAsync("-U", "unix:/tmp/nobody-is-here.sock", "--list"));
        Assert.Equal(WrongCallTests.NobodyIsHere, refused.Message);
    }

    [Theory]
    [InlineData("--list asks a server: name the server with -U, or give the types with --protoset or --proto", "--list")]
    [InlineData("--list and --describe print different things: use only one of the two", "--list", "--describe", "a.B", "-U", "unix:/a")]
    [InlineData("--protoset belongs to --call, --list or --describe: add one of these three, or leave out "
        + "--protoset", "--protoset", "a.pb")]
    [InlineData("-H belongs to --call, --list or --describe: add one of these three, or leave out -H", "-U", "unix:/a", "-H", "a: b")]
    [InlineData("--protoset and --proto both give the types: use only one of the two",
        "--list", "--protoset", "a.pb", "--proto", "a.proto")]
    [InlineData("-I names folders for the imports of --proto: add --proto, or leave out -I", "--list", "-U", "unix:/a", "-I", ".")]
    [InlineData("-H '(hidden)' is not metadata such as 'authorization: Bearer …'", "--list", "-U", "unix:/a", "-H", "no colon")]
    [InlineData("-H 'a b: (hidden)' is not metadata such as 'authorization: Bearer …'", "--list", "-U", "unix:/a", "-H", "a b: secret")]
    [InlineData("-H grpc-timeout: gRPC writes this header itself", "--list", "-U", "unix:/a", "-H", "grpc-timeout: 1S")]
    [InlineData("-H content-type: gRPC writes this header itself", "--list", "-U", "unix:/a", "-H", "Content-Type: text/plain")]
    [InlineData("-H key-bin: the name ends in -bin, so the value must be base64", "--list", "-U", "unix:/a", "-H", "key-bin: !")]
    [InlineData(
        "-H key: the value may hold printable ASCII only: send other bytes as base64 under a name that ends in -bin",
        "--list", "-U", "unix:/a", "-H", "key: ü")]
    [InlineData("-U: 'ftp://x' is not an address: write http://host:port, https://host:port, unix:/path, unix-abstract:name or pipe:/name",
        "--list", "-U", "ftp://x")]
    public async Task Impossible_options_are_rejected_with_one_sentence(string sentence, params string[] arguments) =>
        Assert.Equal(sentence, (await Assert.ThrowsAsync<UsageException>(() => RunAsync(arguments))).Message);

    [Theory]
    [InlineData("there is no file none.pb", "--list", "--protoset", "none.pb")]
    [InlineData("there is no file none.proto", "--list", "--proto", "none.proto")]
    [InlineData("'/a' is not a method: write package.Service/Method, as in helloworld.Greeter/SayHello",
        "--describe", "/a", "-U", "unix:/a")]
    public async Task An_unusable_file_or_method_name_is_rejected_with_one_sentence(string sentence, params string[] arguments) =>
        Assert.Equal(sentence, (await Assert.ThrowsAsync<InputException>(() => RunAsync(arguments))).Message);

    [Theory]
    [InlineData("key-bin: AQI=")]
    [InlineData("key-bin: AQI")]
    [InlineData("key-bin:")]
    [InlineData("KEY: a value: with colons")]
    public void Names_of_metadata_become_lower_case_and_values_lose_blanks_at_both_ends(string typed)
    {
        var entry = MetadataEntry.Parse(typed);
        Assert.Equal(typed[..typed.IndexOf(':', StringComparison.Ordinal)].ToLowerInvariant(), entry.Name);
        Assert.Equal(typed[(typed.IndexOf(':', StringComparison.Ordinal) + 1)..].Trim(), entry.Value);
    }

    private static async Task<string> RunAsync(params string[] arguments)
    {
        var (code, output, error) = await InvokeAsync(arguments);
        Assert.Equal((0, ""), (code, error));
        return output;
    }

    private static async Task<(int Code, string Output, string Error)> InvokeAsync(params string[] arguments)
    {
        var typed = CommandTree.Create(arguments).Parse(arguments, new ParserConfiguration { ResponseFileTokenReplacer = null });
        Assert.Empty(typed.Errors);
        var output = new StringWriter { NewLine = "\n" };
        var error = new StringWriter();
        var code = await typed.InvokeAsync(
            new InvocationConfiguration { EnableDefaultExceptionHandler = false, Output = output, Error = error },
            TestContext.Current.CancellationToken);
        return (code, output.ToString(), error.ToString());
    }
}
