using Google.Protobuf;
using Google.Protobuf.Reflection;
using IpcBench.Client.Engine;
using IpcBench.Client.Plan;
using IpcBench.Client.Run;
using IpcBench.Client.Tests.Cli;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Protocol.Reflection.V1;
using IpcBench.Protocol.V1;
using IpcBench.Transports;

namespace IpcBench.Client.Tests.Run;

/// <summary>Checks <c>--call</c> of streaming methods on the server of this tool and on servers of other projects.</summary>
public sealed class CallStreamTests : IDisposable
{
    private const string Bench = "ipcbench.v1.Bench/";

    private readonly DirectoryInfo folder = Directory.CreateTempSubdirectory("streams-");

    public void Dispose() => folder.Delete(recursive: true);

    [Theory]
    [InlineData("tcp", """{"size":"1000"}""")] // an endless stream
    [InlineData("unix", """{"size":"1000","messages":"7"}""")]
    [InlineData("pipe", """{"size":"1000","messages":"1"}""")]
    public async Task Messages_from_the_method_Pull_under_the_option_call_are_counted_but_have_no_latency(string kind, string request)
    {
        var (result, cell) = await MeasureAsync(
            "--transports", kind, "--call", Bench + "Pull", "--data", request, "-c", "3", "-m", "2");
        Assert.Equal((500, 500, 0), (result.Ok, result.Completed, result.Latency.Count));
        // Besides the payload there are stamp, sequence, tag and length. A sequence of 0 may be omitted.
        Assert.Equal((true, 1017), (result.Replies.Smallest is 1012 or 1017, Math.Max(1017, result.Replies.Largest)));
        Assert.Equal((kind + " pull", "Pull"), (cell.Record.Key.Arm, cell.Record.Key.Work));
        Assert.Contains("no latency, because the one-way messages of this method have no time stamp", cell.Record.Note);
    }

    [Theory]
    [InlineData("Echo", "tcp ping-pong messages=3", true)]
    [InlineData("Push", "tcp push messages=3", false)]
    public async Task Messages_of_a_file_are_sent_to_this_tools_server_in_turn(string method, string arm, bool isAnswered)
    {
        // The server fails a stream with other sequence numbers than 0, 1, 2.
        var lines = Write("three.jsonl", string.Join('\n', Enumerable.Range(0, 3).Select(number => $$"""{"sequence":{{number}}}""")));
        var (result, cell) = await MeasureAsync(
            "--transports", "tcp", "--call", Bench + method, "--data", "@" + lines, "--messages", "3", "-c", "1");
        Assert.Equal((500, arm), (result.Ok, cell.Record.Key.Arm));
        Assert.Equal(500, Math.Round(result.Credited));
        Assert.Equal(isAnswered ? 500 : 0, result.Latency.Count);
    }

    [Fact]
    public async Task A_stream_that_the_server_ends_is_a_failure_with_the_servers_message()
    {
        // The second message has the sequence number of the first.
        var (result, _) = await MeasureAsync("--transports", "unix", "--call", Bench + "Echo", "--data", "{}", "-c", "1");
        Assert.Equal((250, 250), (result.Ok, result.Failed["status 15"]));
        Assert.Equal("message 0 arrived instead of message 1", result.FailureMessages["status 15"]);
    }

    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    public async Task A_stream_from_a_grpc_js_server_is_measured(string kind)
    {
        await using var server = await ForeignServer.GreeterNodeAsync(kind, reflection: true);
        await WatchesAsync($"{server.Address}");
    }

    [Fact]
    public async Task A_stream_from_a_Python_server_is_measured()
    {
        var file = Write("greeter.pb", new FileDescriptorSet
        {
            File =
            {
                Google.Protobuf.WellKnownTypes.TimestampReflection.Descriptor.ToProto(), Hello.GreeterReflection.Descriptor.ToProto(),
            },
        }.ToByteArray());
        await using var server = await ForeignServer.GreeterPythonAsync("unix", file);
        await WatchesAsync($"{server.Address}");
    }

    [Fact]
    public async Task A_bidirectional_stream_with_a_grpc_js_server_is_measured()
    {
        await using var server = await ForeignServer.GreeterNodeAsync("unix", reflection: true);
        var types = Write("reflection.pb", new FileDescriptorSet { File = { ReflectionReflection.Descriptor.ToProto() } }.ToByteArray());
        var (result, cell) = await MeasureAsync("-U", $"{server.Address}", "--call",
            "grpc.reflection.v1.ServerReflection/ServerReflectionInfo", "--protoset", types, "--data", """{"listServices":"*"}""",
            "-c", "2", "-m", "3");
        Assert.Empty(result.Failed);
        Assert.Equal((500, 500, "unix ping-pong"), (result.Ok, result.Latency.Count, cell.Record.Key.Arm));
    }

    [Fact]
    public async Task A_stream_to_a_grpc_js_server_is_measured()
    {
        await using var server = await ForeignServer.NodeAsync("unix");
        var types = Write("bench.pb", new FileDescriptorSet { File = { BenchReflection.Descriptor.ToProto() } }.ToByteArray());
        string[] asked = ["-U", $"{server.Address}", "--call", Bench + "Push", "--protoset", types, "-c", "2", "-m", "2"];
        var (result, _) = await MeasureAsync([.. asked, "--data", """{"payload":"AAAA"}"""]);
        Assert.Equal((500, 0, 500), (result.Ok, result.Failed.Count, Math.Round(result.Credited)));
        // The server fails at a message of 13 bytes, and no message of such a stream counts.
        var thirteen = Write("thirteen.bin", new Payload { Payload_ = ByteString.CopyFrom(new byte[13]) }.ToByteArray());
        await Assert.ThrowsAsync<Host.EnvironmentException>(() => MeasureAsync([.. asked, "--data-binary", "@" + thirteen]));
    }

    private async Task WatchesAsync(string address)
    {
        var (result, cell) = await MeasureAsync("-U", address, "--call", "hello.v1.Greeter/Watch", "--data", """{"name":"you"}""",
            "-H", "key: secret", "--expect", """{"text":"Hello you"}""", "-c", "3", "-m", "2");
        Assert.Empty(result.Failed);
        Assert.Equal((500, 500, 0), (result.Ok, result.Completed, result.Latency.Count));
        Assert.Equal(500 * cell.Target.ReplySize, result.Replies.Bytes);
    }

    private string Write(string name, string text) => Write(name, System.Text.Encoding.UTF8.GetBytes(text));

    private string Write(string name, byte[] bytes)
    {
        var path = Path.Combine(folder.FullName, name);
        File.WriteAllBytes(path, bytes);
        return path;
    }

    [Fact]
    public async Task The_call_before_a_run_waits_longer_than_5_seconds_if_the_timeout_allows() =>
        await PreparedAsync(["--delay-us", "5500000"], "{}", async options =>
        {
            await using var servers = await Typed.ServersAsync(options);
            Assert.Equal(Bench + "Download", Assert.Single(servers.Targets).Call!.Method);
        });

    [Fact]
    public async Task A_reply_above_64_MiB_is_rejected() =>
        await PreparedAsync(["--max-size", "100M"], """{"size":"70000000"}""", async options =>
        {
            var refused = await Assert.ThrowsAsync<Host.EnvironmentException>(() => Typed.ServersAsync(options));
            Assert.Equal($"{options.Addresses[0]} answers {Bench}Download with more than 64 MiB, the limit of this tool"
                + ". Is a gRPC server running there?", refused.Message);
        });

    /// <summary>Runs <paramref name="look"/> with the options of a call to a server of this tool.</summary>
    private static async Task PreparedAsync(string[] server, string request, Func<RunOptions, Task> look)
    {
        var address = new Address.Unix(Path.Combine(Path.GetTempPath(), $"first-{Guid.NewGuid():N}.sock"));
        var start = ServerLocation.StartInfo();
        foreach (var argument in (string[])["--owned", "--listen", $"{address}", .. server])
            start.ArgumentList.Add(argument);
        start.RedirectStandardInput = start.RedirectStandardOutput = true;
        using var process = System.Diagnostics.Process.Start(start)!;
        while (await process.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken) is { } line
            && !line.Contains("ready", StringComparison.Ordinal))
        {
        }
        var options = Typed.ReadCall("-U", $"{address}", "--call", Bench + "Download", "--data", request, "--timeout", "30s");
        await look(options);
        process.StandardInput.Close(); // the server ends when its standard input is closed
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
    }

    /// <summary>Measures 500 calls of the only cell.</summary>
    private static async Task<(LoadResult Result, PlannedCell Cell)> MeasureAsync(params string[] arguments)
    {
        var options = Typed.ReadCall(arguments);
        await using var servers = await Typed.ServersAsync(options);
        var cell = Assert.Single(new BenchPlan(options, servers.Targets).Cells);
        await using var generator = await TestLoad.OpenAsync(cell.Load);
        var result = await generator.RunAsync(new LoadWindow { Calls = 500 }, TestContext.Current.CancellationToken)
            .WaitAsync(TestLoad.Patience, TestContext.Current.CancellationToken);
        Assert.Equal(result.Started, result.Ok + result.Failed.Values.Sum() + result.CutOff);
        return (result, cell);
    }
}
