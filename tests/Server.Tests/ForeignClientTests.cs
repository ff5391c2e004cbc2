using System.Globalization;
using System.Security.Cryptography;
using System.Text.RegularExpressions;
using Google.Protobuf;
using IpcBench.Protocol;
using IpcBench.Server.Tests.Support;
using IpcBench.Transports;

namespace IpcBench.Server.Tests;

/// <summary>Runs gRPC clients of other projects over every transport that each client supports.</summary>
public partial class ForeignClientTests
{
    private static readonly string[] Sizes = ["0", "1", "10", "1000", "16384", "100000", "1000000", "5000000"];

    [Theory]
    [InlineData("tcp")]
    [InlineData("tls")]
    [InlineData("unix")]
    [InlineData("pipe")]
    public async Task Grpc_js_gets_right_answers(string kind)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the foreign clients are installed on Linux only");
        var modules = Repository.Find("artifacts/foreign/node_modules");
        var isInstalled = modules is not null && Directory.Exists(Path.Combine(modules, "@grpc/grpc-js"));
        Assert.SkipUnless(isInstalled, "grpc-js is not installed: run .ci/install-foreign");
        await CheckAsync(kind, (target, ca) => Foreign.RunAsync(
            "node", [Script("client.js"), Repository.Find("protos/bench.proto")!, target, ca, .. Sizes], modules));
    }

    [Theory]
    [InlineData("tcp")]
    [InlineData("tls")]
    [InlineData("unix")]
    [InlineData("unix-abstract")]
    [InlineData("pipe")]
    public async Task Python_grpcio_gets_right_answers(string kind)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the foreign clients are installed on Linux only");
        var installed = await Foreign.RunAsync(Foreign.Python, ["-c", "import grpc"]);
        Assert.SkipUnless(installed is { ExitCode: 0 }, "Python's grpcio is not installed: run .ci/install-foreign");
        await CheckAsync(kind, (target, ca) => Foreign.RunAsync(Foreign.Python, [Script("client.py"), target, ca, .. Sizes]));
    }

    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    public async Task Grpc_js_gets_three_reflection_answers_on_one_stream(string kind)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the foreign clients are installed on Linux only");
        var modules = Repository.Find("artifacts/foreign/node_modules");
        var isInstalled = modules is not null && Directory.Exists(Path.Combine(modules, "@grpc/grpc-js"));
        Assert.SkipUnless(isInstalled, "grpc-js is not installed: run .ci/install-foreign");
        await using var server = await ServerUnderTest.StartAsync(Addresses.Of(kind));
        var (target, _) = await Foreign.TargetAsync(server.Address);
        var proto = Repository.Find("protos/grpc/reflection/v1/reflection.proto")!;
        var result = await Foreign.RunAsync("node", [Script("reflection.js"), proto, target], modules);
        Assert.SkipWhen(result is null, "the client's interpreter is not installed: run .ci/install-foreign");
        string[] expected =
        [
            "services ipcbench.v1.Bench ipcbench.v1.Control grpc.reflection.v1.ServerReflection", "file bench.proto", "error 5", "status 0",
            "",
        ];
        Assert.Equal(string.Join('\n', expected), result.Value.Output);
    }

    [Theory]
    [InlineData("tcp", 10, 2_000)]
    [InlineData("tls", 10, 2_000)]
    [InlineData("unix", 10, 2_000)]
    [InlineData("pipe", 10, 2_000)]
    [InlineData("tcp", 1_000_000, 50)]
    [InlineData("unix", 1_000_000, 50)]
    public async Task H2load_receives_the_complete_answer_of_every_call(string kind, int size, int calls)
    {
        await using var server = await ServerUnderTest.StartAsync(Addresses.Of(kind));
        var request = Path.Combine(Path.GetTempPath(), $"gb-{Guid.NewGuid():N}.bin");
        await File.WriteAllBytesAsync(request, GrpcClient.Frame(new Protocol.V1.DownloadRequest { Size = size }));
        var (url, more) = server.Address switch
        {
            Address.Tcp or Address.Tls => (server.Address.ToString(), (string[])[]),
            Address.Pipe pipe => ("http://localhost", ["--base-uri=unix:" + NamedPipeConnector.UnixSocketPath(pipe.Name)]),
            var unix => ("http://localhost", ["--base-uri=" + unix]),
        };
        string[] headers = ["-H", "content-type: application/grpc", "-H", "te: trailers"];
        string[] arguments = ["-n", $"{calls}", "-c", "10", "-m", "5", "-d", request, .. headers, .. more, url + GrpcClient.Download];
        var run = await Foreign.RunAsync("h2load", arguments);
        File.Delete(request);
        Assert.SkipWhen(run is null, "h2load is not installed: run .ci/install-foreign");
        var output = run.Value.Output;
        Assert.Contains($"{calls} succeeded, 0 failed, 0 errored, 0 timeout", output);
        Assert.Contains($"{calls} 2xx", output);
        var data = long.Parse(DataBytes().Match(output).Groups[1].Value, CultureInfo.InvariantCulture);
        var reply = GrpcClient.Frame(new Protocol.V1.DownloadReply { Payload = ByteString.CopyFrom(new byte[size]) });
        Assert.Equal((long)calls * reply.Length, data);
        Assert.Equal(calls, server.Endpoints[0].Counters.Calls);
    }

    private static async Task CheckAsync(string kind, Func<string, string, Task<(int ExitCode, string Output)?>> run)
    {
        await using var server = await ServerUnderTest.StartAsync(Addresses.Of(kind));
        var (target, ca) = await Foreign.TargetAsync(server.Address);
        var result = await run(target, ca);
        Assert.SkipWhen(result is null, "the client's interpreter is not installed: run .ci/install-foreign");
        Assert.Equal(
            string.Join('\n', Sizes.Select(Line).Concat(["negative 3", "unknown 12", "stack " + Stacks.Default, ""])), result.Value.Output);
        Assert.Equal(0, result.Value.ExitCode);
        Assert.Equal(Sizes.Length, server.Endpoints[0].Counters.Calls);
    }

    private static string Line(string size)
    {
        var payload = new byte[int.Parse(size, CultureInfo.InvariantCulture)];
        PayloadPattern.Fill(payload);
        return $"{size} {size} {Convert.ToHexStringLower(SHA256.HashData(payload))} 0";
    }

    private static string Script(string name) => Path.Combine(AppContext.BaseDirectory, "foreign", name);

    [GeneratedRegex(@"\((\d+)\) data")]
    private static partial Regex DataBytes();
}
