using Google.Protobuf;
using Google.Protobuf.Reflection;
using Google.Protobuf.WellKnownTypes;
using IpcBench.Client.Engine;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Tests.Cli;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Hello;
using IpcBench.Host;

namespace IpcBench.Client.Tests.Run;

/// <summary>Checks a method that the tool does not know, with typed requests, on servers of other projects and of this tool.</summary>
public sealed class CallTests : IDisposable
{
    private const string SayHello = "hello.v1.Greeter/SayHello";

    private readonly DirectoryInfo folder = Directory.CreateTempSubdirectory("call-");
    private readonly string protoset;
    private RunOptions? options;

    public CallTests()
    {
        var set = new FileDescriptorSet { File = { TimestampReflection.Descriptor.ToProto(), GreeterReflection.Descriptor.ToProto() } };
        protoset = Write("greeter.pb", set.ToByteArray());
    }

    public void Dispose() => folder.Delete(recursive: true);

    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    public async Task A_method_of_grpc_js_is_called_by_reflection(string kind)
    {
        await using var server = await ForeignServer.GreeterNodeAsync(kind, reflection: true);
        await GreetsAsync($"{server.Address}", "--call", SayHello);
    }

    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    public async Task A_method_of_grpc_js_is_called_with_types_from_a_file(string kind)
    {
        await using var server = await ForeignServer.GreeterNodeAsync(kind, reflection: false);
        await GreetsAsync($"{server.Address}", "--call", "/" + SayHello, "--protoset", protoset);
    }

    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    public async Task A_method_of_Python_is_called_by_reflection_v1alpha(string kind)
    {
        await using var server = await ForeignServer.GreeterPythonAsync(kind, protoset);
        await GreetsAsync($"{server.Address}", "--call", SayHello);
    }

    [Theory]
    [InlineData("tcp", true)]
    [InlineData("unix", false)]
    public async Task A_method_of_gRPC_Cpp_is_called_by_reflection_or_types_from_a_file(string kind, bool reflection)
    {
        await using var server = await ForeignServer.GreeterCppAsync(kind, reflection);
        await GreetsAsync($"{server.Address}", ["--call", SayHello, .. reflection ? Array.Empty<string>() : ["--protoset", protoset]]);
    }

    [Theory]
    [InlineData("tcp", true)]
    [InlineData("unix", false)]
    public async Task A_method_of_grpc_go_is_called_by_reflection_or_types_from_a_file(string kind, bool reflection)
    {
        await using var server = await ForeignServer.GreeterGoAsync(kind, reflection);
        await GreetsAsync($"{server.Address}", ["--call", SayHello, .. reflection ? Array.Empty<string>() : ["--protoset", protoset]]);
    }

    [Fact]
    public async Task The_server_of_this_tool_is_called_on_every_transport()
    {
        await using var servers = await OpenAsync(
            "--transports", "tcp,tls,unix,pipe", "--call", "ipcbench.v1.Bench/Download", "--data", """{"size":"2000"}""",
            "-c", "3", "-m", "2");
        var cells = Plan(servers).Cells;
        Assert.Equal(4, cells.Count);
        foreach (var cell in cells)
        {
            var result = await MeasureAsync(cell, calls: 300);
            // A field of 2000 bytes with its tag and length.
            Assert.Equal((300, 300 * 2003, 2003, 2003), (result.Ok, result.Replies.Bytes, result.Replies.Smallest, result.Replies.Largest));
        }
    }

    [Fact]
    public async Task A_TLS_server_with_another_name_and_a_required_client_certificate_is_measured()
    {
        using var authority = new Authority(folder.FullName);
        authority.Issue("server");
        authority.Issue("client");
        await using var server = await ForeignServer.GreeterTlsAsync(folder.FullName);
        string File(string name) => Path.Combine(folder.FullName, name);
        string[] asked =
        [
            "-U", $"{server.Address}", "--call", SayHello, "--cacert", File("ca.pem"), "--sni", Authority.Name,
            "--authority", "shop.example:8443",
        ];
        string[] shown = ["--cert", File("client.pem"), "--key", File("client.key")];
        // The :authority of the call before the run is the TLS server name; that of the run's calls is --authority.
        var result = await MeasureAsync([.. asked, .. shown], calls: 40);
        Assert.Equal(40 * new HelloReply { Text = "shop.example:8443" }.CalculateSize(), result.Replies.Bytes);
        await Assert.ThrowsAsync<EnvironmentException>(() => OpenAsync(asked));
    }

    [Fact]
    public async Task Binary_requests_need_no_types()
    {
        await using var server = await ForeignServer.GreeterNodeAsync("unix", reflection: false);
        var request = Write("request.bin", new HelloRequest { Name = "bytes" }.ToByteArray());
        var result = await MeasureAsync(
            ["-U", $"{server.Address}", "--call", SayHello, "--data-binary", "@" + request, "-H", "key: secret"], calls: 50);
        Assert.Equal(50 * new HelloReply { Text = "Hello bytes" }.CalculateSize(), result.Replies.Bytes);
    }

    [Fact]
    public async Task Requests_of_a_file_are_sent_in_turn_and_may_differ_in_size()
    {
        await using var server = await ForeignServer.GreeterNodeAsync("unix", reflection: true);
        string[] names = ["a", new string('b', 2_000), new string('c', 100_000)];
        var lines = Write("names.jsonl", System.Text.Encoding.UTF8.GetBytes(
            string.Join('\n', names.Select(name => $$"""{"name":"{{name}}"}"""))));
        await using var servers = await OpenAsync(
            "-U", $"{server.Address}", "--call", SayHello, "--data", "@" + lines, "-H", "key: secret", "-c", "3", "-m", "4");
        var cell = Assert.Single(Plan(servers).Cells);
        var result = await MeasureAsync(cell, calls: 120);

        int[] sizes = [.. names.Select(name => new HelloReply { Text = "Hello " + name }.CalculateSize())];
        Assert.Equal((120, sizes[0], sizes[2]), (result.Ok, result.Replies.Smallest, result.Replies.Largest));
        // Each connection sends the requests in turn, so no kind of request is ahead by more than one call.
        var mean = result.Replies.Bytes / 120.0;
        Assert.InRange(mean, sizes.Average() * 0.9, sizes.Average() * 1.1);
        var key = cell.Record.Key;
        Assert.Equal((SayHello, 12, "SayHello"), (key.Method, key.Corpus.Length, key.Work));
        Assert.Equal((long)Math.Round(names.Average(name => new HelloRequest { Name = name }.CalculateSize())), key.Size);
    }

    [Fact]
    public async Task Failures_are_counted_by_status_with_the_first_message_and_without_secrets()
    {
        await using var server = await ForeignServer.GreeterNodeAsync("unix", reflection: true);
        var names = Write("names.jsonl", """
            {"name":"somebody"}
            {"name":"nobody"}
            """u8.ToArray());
        var result = await MeasureAsync(
            ["-U", $"{server.Address}", "--call", SayHello, "--data", "@" + names, "-H", "key: secret", "-c", "1"], calls: 40);
        Assert.Equal((20, 20), (result.Ok, Assert.Single(result.Failed).Value));
        Assert.Equal(("status 5", "nobody has the key (hidden)"), (result.Failed.Single().Key, result.FailureMessages["status 5"]));
    }

    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    public async Task A_reply_after_the_deadline_fails_with_DEADLINE_EXCEEDED(string kind)
    {
        await using var server = await ForeignServer.GreeterNodeAsync(kind, reflection: true);
        string[] asked = ["-U", $"{server.Address}", "--call", SayHello, "--data", """{"name":"sleeper"}""", "-H", "key: secret"];
        var late = await MeasureAsync([.. asked, "--deadline", "100ms"], calls: 20);
        Assert.Equal(new Dictionary<string, long> { ["status 4"] = 20 }, late.Failed);
        Assert.Equal(0, late.CutOff);
        Assert.Equal(20, (await MeasureAsync([.. asked, "--deadline", "20s"], calls: 20)).Ok);
    }

    [Fact]
    public async Task The_first_reply_of_each_connection_is_compared_with_the_expected_reply()
    {
        await using var server = await ForeignServer.GreeterNodeAsync("unix", reflection: true);
        // The call before the run sends the first line, and the second connection begins with the second line.
        var names = Write("names.jsonl", """
            {"name":"you"}
            {"name":"me"}
            """u8.ToArray());
        string[] asked = ["-U", $"{server.Address}", "--call", SayHello, "--data", "@" + names, "-H", "key: secret", "-c", "2"];
        LoadResult result = null!;
        await TestLoad.InTheEndAsync(async () =>
        {
            result = await MeasureAsync([.. asked, "--expect", """{"text":"Hello you"}"""], calls: 40);
            // On a busy machine, one connection may make all calls before the thread of the other runs.
            Assert.Equal(2, result.Connections.Active);
        });
        Assert.Equal(new Dictionary<string, long> { ["not as expected"] = 1 }, result.Failed);
        Assert.Equal("text: expected \"Hello you\", got \"Hello me\"", result.FailureMessages["not as expected"]);
        Assert.Equal(40, (await MeasureAsync([.. asked, "--expect", "{}"], calls: 40)).Ok);
    }

    [Theory]
    [InlineData("-R", "200")]
    [InlineData("--connect-per-call")]
    [InlineData("--http2-window", "64KiB")]
    public async Task Options_of_the_load_apply_to_called_methods(params string[] how)
    {
        await using var server = await ForeignServer.GreeterNodeAsync("unix", reflection: true);
        var result = await MeasureAsync(
            ["-U", $"{server.Address}", "--call", SayHello, "--data", """{"name":"x"}""", "-H", "key: secret", "-c", "4", .. how],
            calls: 60);
        Assert.Equal(60, result.Ok);
        Assert.Equal(how[0] == "-R", result.ServiceTime is not null);
        Assert.Equal(how[0] == "--connect-per-call" ? 60 : (long?)null, result.Connections.OpenedInAll);
    }

    private async Task GreetsAsync(string address, params string[] call)
    {
        var result = await MeasureAsync(
            ["-U", address, .. call, "--data", """{"name":"you"}""", "-H", "key: secret", "--expect", """{"text":"Hello you"}""",
                "-c", "4", "-m", "5"], calls: 300);
        Assert.Empty(result.Failed);
        Assert.Equal((300, 300 * new HelloReply { Text = "Hello you" }.CalculateSize()), (result.Ok, result.Replies.Bytes));
    }

    private string Write(string name, byte[] bytes)
    {
        var path = Path.Combine(folder.FullName, name);
        File.WriteAllBytes(path, bytes);
        return path;
    }

    private BenchPlan Plan(ServerSet servers) => new(options!, servers.Targets);

    private Task<ServerSet> OpenAsync(params string[] arguments)
    {
        options = Typed.ReadCall(arguments.Contains("-c") ? arguments : [.. arguments, "-c", "2"]);
        return Typed.ServersAsync(options);
    }

    private async Task<LoadResult> MeasureAsync(string[] arguments, int calls)
    {
        await using var servers = await OpenAsync(arguments);
        return await MeasureAsync(Assert.Single(Plan(servers).Cells), calls);
    }

    private async Task<LoadResult> MeasureAsync(PlannedCell cell, int calls) =>
        await TestLoad.MeasureAsync(cell.Load, new LoadWindow { Calls = calls, Rate = options!.Rate });
}
