using System.Globalization;
using IpcBench.Analysis.Results;

namespace IpcBench.EndToEnd.Tests;

/// <summary>Checks <c>mcp</c> with this project's own server, and with servers of the npm SDK and the C# SDK.</summary>
public sealed class McpTests : IDisposable
{
    private static readonly string Root = Repository.Root, Modules = Path.Combine(Root, "artifacts/foreign/node_modules"),
        Npm = Path.Combine(Root, "tests/EndToEnd.Tests/foreign/mcp.mjs"),
        CSharp = Path.Combine(Root, "artifacts/foreign/mcp/server/McpServer"),
        Own = Path.Combine(Tool.ClientFolder, "server", "GrpcBenchServer");

    private readonly string folder = Directory.CreateTempSubdirectory("grpcbench-").FullName;

    private string File => Path.Combine(folder, "run.json");

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task The_tool_of_a_command_is_called_over_standard_input_and_output()
    {
        var (code, output, error) = await Tool.RunAsync(
            "mcp", "--data", """{ "size": 70000 }""", "-n", "200", "-c", "2", "-m", "3", "-r", "1", "--warmup", "1ms", "-o", File,
            "--", Own, "--mcp");
        Assert.True(code == 0, output + error);
        var run = ResultsFile.Load(File);
        var round = Assert.Single(run.Rounds);
        Assert.Equal((200, 200, 70_000 * 200), (round.Started, round.Ok, round.PayloadBytes));
        Assert.Equal(("stdio", "jsonrpc", "download"), (run.Cells[0].Key.Transport, run.Cells[0].Key.Protocol, run.Cells[0].Key.Method));
        Assert.True(round.Server!.CpuUserNs + round.Server.CpuKernelNs > 0);
    }

    [Fact]
    public async Task Servers_of_both_SDKs_are_compared_over_standard_input_and_output_and_over_HTTP()
    {
        SkipWithoutSdks();
        await using var npm = await OverHttpAsync("node", Npm);
        await using var csharp = await OverHttpAsync(CSharp);
        var (code, output, error) = await Tool.RunAsync(
            "mcp", "--tool", "download", "--data", """{"size":1000}""", "-n", "50", "-r", "1", "--warmup", "1ms", "-o", File,
            $"js=stdio:env 'NODE_PATH={Modules}' node '{Npm}'", $"cs=stdio:'{CSharp}'", $"own=stdio:'{Own}' --mcp",
            $"js={npm.Url}", $"cs={csharp.Url}");
        Assert.True(code == 0, output + error);
        var run = ResultsFile.Load(File);
        Assert.Equal(
            ["stdio jsonrpc cs", "stdio jsonrpc js", "stdio jsonrpc own", "tcp http1 cs", "tcp http1 js"],
            run.Cells.Select(cell => cell.Key.Arm).Order(StringComparer.Ordinal));
        Assert.All(run.Rounds, round =>
        {
            Assert.Equal((50, 50, 1000 * 50), (round.Started, round.Ok, round.PayloadBytes));
            Assert.True(round.Server!.CpuUserNs + round.Server.CpuKernelNs > 0);
        });
        // Calls of several connections in one session, which wait in the server at the same time.
        (code, output, error) = await Tool.RunAsync(
            "mcp", "--tool", "pause", "-n", "100", "-c", "5", "-r", "1", "--warmup", "1ms", "--no-save", npm.Url);
        Assert.True(code == 0, output + error);
    }

    [Fact]
    public async Task The_tools_of_servers_are_printed_and_a_server_with_several_tools_needs_the_name_of_one()
    {
        SkipWithoutSdks();
        var server = $"stdio:env 'NODE_PATH={Modules}' node '{Npm}'";
        var (code, output, error) = await Tool.RunAsync("mcp", "--list", server);
        Assert.True(code == 0, error);
        Assert.Contains("\n  download  Returns text of a size.\n    {", output, StringComparison.Ordinal);
        Assert.Contains("\n  fail  Fails.\n", output, StringComparison.Ordinal);
        (code, _, error) = await Tool.RunAsync("mcp", "--no-save", server);
        Assert.Equal(2, code);
        Assert.EndsWith(" offers 3 tools: name one with --tool: download, pause, fail\n", error, StringComparison.Ordinal);
        (code, _, error) = await Tool.RunAsync("mcp", "--no-save", "--tool", "fail", server);
        Assert.Equal(2, code);
        Assert.EndsWith(": the tool fail fails: it fails always\n", error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("stdio:sh -c echo Hello; cat: the server wrote 'Hello', which is no JSON-RPC message", "sh", "-c", "echo Hello; cat")]
    [InlineData("stdio:sh -c echo no file >&2; exit 3: the server closed the connection (it ended with exit code 3: no file)",
        "sh", "-c", "echo no file >&2; exit 3")]
    [InlineData("stdio:cat: the server sends the request back", "cat")]
    [InlineData("cannot start the command: no-such-program: No such file or directory", "no-such-program")]
    public async Task A_program_that_is_no_MCP_server_is_reported(string sentence, params string[] command)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the children are programs of Unix");
        var (code, output, error) = await Tool.RunAsync(["mcp", "--no-save", "--", .. command]);
        Assert.Equal((2, ""), (code, output));
        Assert.Equal(sentence + "\n", error);
    }

    [Theory]
    [InlineData("[1]", "--data must be a JSON object like")]
    [InlineData("{", "--data is no JSON: ")]
    [InlineData("""{"a":"\ud800"}""", "--data is no JSON: ")]
    [InlineData("@/none/at/all", "--data '@/none/at/all' cannot be read: ")]
    public async Task Wrong_arguments_of_a_tool_are_a_usage_error(string data, string sentence)
    {
        var (code, output, error) = await Tool.RunAsync("mcp", "--data", data, "--", "cat");
        Assert.Equal((1, ""), (code, output));
        Assert.StartsWith(sentence, error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("INT")]
    [InlineData("KILL")]
    public async Task No_process_of_a_command_outlives_the_client(string signal)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "finds the children in /proc");
        // The shell leaves sleep behind in the background.
        await using var tool = Tool.StartWith(new() { ["TMPDIR"] = folder }, "mcp", "--data", """{"size":10}""", "-d", "10m", "--warmup",
            "0s", "-r", "1", "-o", File, "--", "sh", "-c", $"sleep 1000 & exec '{Own}' --mcp");
        await tool.SeesAsync("round 1:");
        var processes = new OwnProcesses(folder);
        Assert.Contains("sleep", processes.Left().Select(OwnProcesses.Name));
        tool.Signal(signal);
        await tool.ExitCodeAsync();
        await processes.AssertGoneAsync();
    }

    private static void SkipWithoutSdks()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the foreign servers are installed on Linux only");
        Assert.SkipUnless(Directory.Exists(Path.Combine(Modules, "@modelcontextprotocol/sdk")),
            "npm's MCP SDK is not installed: run .ci/install-foreign");
        Assert.SkipUnless(System.IO.File.Exists(CSharp), "the C# SDK's MCP server is not published: run .ci/install-foreign");
    }

    private static async Task<HttpServer> OverHttpAsync(params string[] command)
    {
        var port = FreePort();
        var tool = Tool.StartProgram("env", Path.GetTempPath(),
            [$"NODE_PATH={Modules}", .. command, port.ToString(CultureInfo.InvariantCulture)]);
        await tool.SeesAsync("ready");
        return new(tool, string.Create(CultureInfo.InvariantCulture, $"http://127.0.0.1:{port}/mcp"));
    }

    private static int FreePort()
    {
        using var socket = new System.Net.Sockets.TcpListener(System.Net.IPAddress.Loopback, 0);
        socket.Start();
        return ((System.Net.IPEndPoint)socket.LocalEndpoint).Port;
    }

    private sealed record HttpServer(Tool Tool, string Url) : IAsyncDisposable
    {
        public ValueTask DisposeAsync() => Tool.DisposeAsync();
    }
}
