using IpcBench.Client.Cli;
using IpcBench.Client.Plan;
using IpcBench.Client.Tests.Cli;
using IpcBench.Client.Tests.Engine.Support;
using IpcBench.Client.Tests.Http2.Support;
using IpcBench.Host;

namespace IpcBench.Client.Tests.Run;

/// <summary>Checks that the tool reports before the measurement what a server cannot answer.</summary>
public class DownloadCheckTests
{
    [Theory]
    [InlineData("tcp")]
    [InlineData("unix")]
    public async Task A_server_with_another_service_is_reported(string kind)
    {
        await using var server = await ForeignServer.GreeterNodeAsync(kind, reflection: false);
        var refused = await Assert.ThrowsAsync<EnvironmentException>(() => Typed.ServersAsync("-U", $"{server.Address}"));
        Assert.Equal(
            $"this run calls ipcbench.v1.Bench/Download, which the server at {server.Address} does not know (UNIMPLEMENTED: The server "
                + "does not implement the method /ipcbench.v1.Bench/Download): name one of the server's methods with --call (see --list)",
            refused.Message);
    }

    [Theory]
    [InlineData("upload", "Upload")]
    [InlineData("ping-pong", "Echo")]
    [InlineData("push", "Push")]
    [InlineData("pull", "Pull")]
    public async Task A_server_without_the_method_of_a_mode_is_reported(string mode, string method)
    {
        await using var server = new FakeServer
        {
            Answer = (stream, _) => Frames.Headers(
                stream, true, (":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "12")),
        };
        var refused = await Assert.ThrowsAsync<EnvironmentException>(
            () => Typed.ServersAsync("-U", $"{server.Address}", "-s", "10", "--mode", mode));
        Assert.Equal($"this run calls ipcbench.v1.Bench/{method}, which the server at {server.Address} does not know (UNIMPLEMENTED): "
            + $"leave --mode {mode} out, or measure a server that has this method", refused.Message);
    }

    [Fact]
    public async Task A_size_above_the_limit_of_the_server_is_rejected()
    {
        var refused = await Assert.ThrowsAsync<UsageException>(() => Typed.ServersAsync("-s", "10,100M", "--transports", "tcp", "-c", "1"));
        Assert.Matches(
            @"^-s 100000000 is more than the server at http://[^ ]+ allows \(67108864 bytes\): use a smaller size, or start a server "
                + @"that allows more \(serve --max-size\) and name that server with -U$",
            refused.Message);
        await using var servers = await Typed.ServersAsync("-s", "10,64MiB", "--transports", "tcp", "-c", "1");
        Assert.Single(servers.Targets);
    }

    [Fact]
    public async Task A_foreign_server_with_the_method_Download_passes_the_check()
    {
        await using var server = await ForeignServer.NodeAsync("unix");
        await using var servers = await Typed.ServersAsync("-U", $"{server.Address}", "-s", "10,1M");
        Assert.Null(Assert.Single(servers.Controls).Value.Description);
    }

    [Fact]
    public void The_size_is_limited_to_one_gibibyte()
    {
        Assert.Equal([1L << 30], Typed.Read(Preset.Main, "-s", "1GiB").Sizes);
        Assert.Equal(
            "-s may be at most 1 GiB", Typed.Refused(Preset.Main, "-s", "1073741825"));
    }
}
