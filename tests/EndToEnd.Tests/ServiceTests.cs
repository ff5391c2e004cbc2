using System.Text.Json.Nodes;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks what <c>--list</c> and <c>--describe</c> print over each transport, and the exit codes of wrong names.</summary>
public sealed class ServiceTests
{
    private static readonly string[] Methods =
    [
        "grpc.reflection.v1.ServerReflection/ServerReflectionInfo (stream grpc.reflection.v1.ServerReflectionRequest) "
            + "returns (stream grpc.reflection.v1.ServerReflectionResponse)",
        "ipcbench.v1.Bench/Download (ipcbench.v1.DownloadRequest) returns (ipcbench.v1.DownloadReply)",
        "ipcbench.v1.Bench/Upload (ipcbench.v1.Payload) returns (ipcbench.v1.Received)",
        "ipcbench.v1.Bench/Echo (stream ipcbench.v1.Payload) returns (stream ipcbench.v1.Payload)",
        "ipcbench.v1.Bench/Push (stream ipcbench.v1.Payload) returns (ipcbench.v1.Received)",
        "ipcbench.v1.Bench/Pull (ipcbench.v1.PullRequest) returns (stream ipcbench.v1.Payload)",
        "ipcbench.v1.Control/Describe (ipcbench.v1.DescribeRequest) returns (ipcbench.v1.DescribeReply)",
        "ipcbench.v1.Control/Usage (ipcbench.v1.UsageRequest) returns (ipcbench.v1.UsageReply)",
    ];

    [Fact]
    public async Task The_server_of_this_tool_lists_its_services_and_types_on_every_transport()
    {
        var name = Guid.NewGuid().ToString("N");
        var socket = "unix:" + Path.Combine(Path.GetTempPath(), $"service-{name}.sock");
        await using var server = Tool.StartServer("--listen", "http://localhost:0", "--listen", "https://localhost:0",
            "--listen", socket, "--listen", $"pipe:/service-{name}");
        await server.SeesAsync("GrpcBench server ready");
        string Served(string scheme) =>
            server.Output.Split([' ', '\n']).First(word => word.StartsWith(scheme + ":", StringComparison.Ordinal));
        foreach (var address in new[] { Served("http"), Served("https"), socket, Served("pipe") })
        {
            var (code, list, error) = await Tool.RunAsync("-U", address, "--list");
            Assert.True(code == 0, error);
            Assert.Equal(Methods, list.Split('\n', StringSplitOptions.RemoveEmptyEntries));
        }

        var served = Served("http");
        var (_, described, _) = await Tool.RunAsync("-U", served, "--describe", "ipcbench.v1.Bench");
        Assert.Contains("int64 size = 1;", described, StringComparison.Ordinal);

        var (unknown, nothing, why) = await Tool.RunAsync("-U", served, "--describe", "ipcbench.v1.Bunch");
        Assert.Equal((2, ""), (unknown, nothing));
        Assert.Equal($"{served} has no service or type ipcbench.v1.Bunch: did you mean ipcbench.v1.Bench?\n", why);
    }

    [Fact]
    public async Task A_method_of_a_grpc_js_server_is_compared_over_tcp_and_a_unix_socket()
    {
        await using var tcp = await GreeterAsync("127.0.0.1:0");
        var socket = Path.Combine(Path.GetTempPath(), $"greeter-{Guid.NewGuid():N}.sock");
        await using var unix = await GreeterAsync("unix:" + socket);
        string[] servers = ["-U", $"http://127.0.0.1:{tcp.Output.Trim()}", "-U", "unix:" + socket];
        string[] call = ["--call", "hello.v1.Greeter/SayHello", "--data", """{"name":"you"}""", "-H", "key: secret"];

        var (code, output, error) = await Tool.RunAsync([.. servers, .. call, "--expect", """{"text":"Hello you"}""", "--my-rate", "200",
            "-c", "2", "-r", "2", "-d", "500ms", "--warmup", "1ms", "--no-save", "--format", "json"]);

        Assert.True(code == 0, error);
        var run = JsonNode.Parse(output)!["runs"]![0]!;
        var cells = run["cells"]!.AsArray().Select(cell => cell!).ToList();
        Assert.Equal(["tcp max", "unix max", "tcp 200/s", "unix 200/s"], cells.Select(cell => $"{cell["arm"]} {cell["load"]}"));
        Assert.All(cells, cell => Assert.Equal(0, (double)cell["median"]!["failed"]!));
        Assert.Contains(run["answer"]!.AsArray(), line => ((string)line!).StartsWith(
            "At 200 calls/s, SayHello, unix in place of tcp: ", StringComparison.Ordinal));
        Assert.DoesNotContain("secret", output + error, StringComparison.Ordinal);

        var (wrong, nothing, why) = await Tool.RunAsync([.. servers, "--call", "hello.v1.Greeter/SayHallo"]);
        Assert.Equal((2, ""), (wrong, nothing));
        Assert.Equal("hello.v1.Greeter has no method SayHallo: did you mean SayHello?\n", why);
    }

    [Fact]
    public async Task A_signal_ends_the_wait_for_types_from_a_pipe_that_nobody_writes_to()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "devices in folders are Unix's");
        var fifo = Path.Combine(Path.GetTempPath(), $"types-{Guid.NewGuid():N}");
        using (var mkfifo = System.Diagnostics.Process.Start("mkfifo", [fifo]))
            await mkfifo.WaitForExitAsync(TestContext.Current.CancellationToken);
        try
        {
            var (code, _, error) = await Tool.RunAsync("--list", "--proto", fifo);
            Assert.Equal((1, $"{fifo} is a device or pipe, which protoc cannot compile: give a file to --proto\n"), (code, error));
            await using var waiting = Tool.Start("--list", "--protoset", fifo);
            // Opening the pipe for writing waits until the tool has opened the pipe for reading.
            await using var writer = await Task.Run(
                () => new FileStream(fifo, FileMode.Open, FileAccess.Write, FileShare.ReadWrite), TestContext.Current.CancellationToken);
            waiting.Signal("TERM");
            Assert.Equal((130, ""), (await waiting.ExitCodeAsync(), waiting.Error));
        }
        finally
        {
            File.Delete(fifo);
        }
    }

    /// <summary>Starts tests/Client.Tests/foreign/greeter.js and waits until it has printed its port.</summary>
    private static async Task<Tool> GreeterAsync(string address)
    {
        var root = Repository.Root;
        var (modules, foreign) = (Path.Combine(root, "artifacts/foreign/node_modules"), Path.Combine(root, "tests/Client.Tests/foreign"));
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the foreign servers are installed on Linux only");
        Assert.SkipUnless(Directory.Exists(Path.Combine(modules, "@grpc/reflection")),
            "@grpc/reflection is not installed: run .ci/install-foreign");
        var server = Tool.StartProgram("env", Path.GetTempPath(), "NODE_PATH=" + modules, "node", Path.Combine(foreign, "greeter.js"),
            address, Path.Combine(foreign, "greeter.proto"), "reflection");
        await server.SeesAsync(address.StartsWith("unix:", StringComparison.Ordinal) ? "0" : "\n");
        return server;
    }

    [Fact]
    public async Task A_missing_protoset_is_a_usage_error()
    {
        var (code, output, error) = await Tool.RunAsync("--list", "--protoset", "none.pb");
        Assert.Equal((1, "", "there is no file none.pb\n"), (code, output, error));
    }

    [Fact]
    public async Task An_error_message_does_not_repeat_metadata()
    {
        var (code, _, error) = await Tool.RunAsync("--list", "-U", "unix:/tmp/nobody.sock", "-H", "authorization: Bearer abc", "--no-such");
        Assert.Equal((1, $"there is no option --no-such ({Tool.Client} --help)\n"), (code, error));
    }
}
