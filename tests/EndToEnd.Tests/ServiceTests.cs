namespace IpcBench.EndToEnd.Tests;

/// <summary>What a server tells of its services, over each transport; and a wrong question's exit code.</summary>
public sealed class ServiceTests
{
    private static readonly string[] Methods =
    [
        "grpc.reflection.v1.ServerReflection/ServerReflectionInfo (stream grpc.reflection.v1.ServerReflectionRequest) "
            + "returns (stream grpc.reflection.v1.ServerReflectionResponse)",
        "ipcbench.v1.Bench/Download (ipcbench.v1.DownloadRequest) returns (ipcbench.v1.DownloadReply)",
        "ipcbench.v1.Control/Describe (ipcbench.v1.DescribeRequest) returns (ipcbench.v1.DescribeReply)",
        "ipcbench.v1.Control/Usage (ipcbench.v1.UsageRequest) returns (ipcbench.v1.UsageReply)",
    ];

    [Theory]
    [InlineData("http")]
    [InlineData("https")]
    [InlineData("unix")]
    [InlineData("pipe")]
    public async Task The_own_server_tells_its_services(string scheme)
    {
        var name = Guid.NewGuid().ToString("N");
        var address = scheme switch
        {
            "unix" => "unix:" + Path.Combine(Path.GetTempPath(), $"service-{name}.sock"),
            "pipe" => $"pipe:/service-{name}",
            _ => $"{scheme}://localhost:0",
        };
        await using var server = Tool.StartServer("--listen", address);
        await server.SeesAsync("GrpcBench server ready");
        var served = server.Output.Split([' ', '\n']).First(word => word.StartsWith(scheme, StringComparison.Ordinal));

        var (code, list, error) = await Tool.RunAsync("-U", served, "--list");
        Assert.True(code == 0, error);
        Assert.Equal(Methods, list.Split('\n', StringSplitOptions.RemoveEmptyEntries));

        var (_, described, _) = await Tool.RunAsync("-U", served, "--describe", "ipcbench.v1.Bench");
        Assert.Contains("int64 size = 1;", described, StringComparison.Ordinal);

        var (unknown, nothing, why) = await Tool.RunAsync("-U", served, "--describe", "ipcbench.v1.Bunch");
        Assert.Equal((2, ""), (unknown, nothing));
        Assert.Equal($"nothing is called ipcbench.v1.Bunch at {served}: ipcbench.v1.Bench\n", why);
    }

    [Fact]
    public async Task A_file_that_is_not_there_is_a_wrong_option()
    {
        var (code, output, error) = await Tool.RunAsync("--list", "--protoset", "none.pb");
        Assert.Equal((1, "", "there is no file none.pb\n"), (code, output, error));
    }

    [Fact]
    public async Task Metadata_is_not_repeated_in_a_message()
    {
        var (code, _, error) = await Tool.RunAsync("--list", "-U", "unix:/tmp/nobody.sock", "-H", "authorization: Bearer abc", "--no-such");
        Assert.Equal(1, code);
        Assert.DoesNotContain("Bearer", error, StringComparison.Ordinal);
    }
}
