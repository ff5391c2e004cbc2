using IpcBench.Server.Tests.Support;
using IpcBench.Transports;

namespace IpcBench.Server.Tests;

public class ConnectionLimitTests
{
    public static TheoryData<string> Sockets => Engines.Theory;

    [Theory]
    [MemberData(nameof(Sockets))]
    public async Task More_connections_than_there_are_file_descriptors_are_closed_and_the_server_lives_on(string sockets)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the limit of open files is set by a shell here");
        const int files = 400, connections = 1_000;
        await using var child = await ServerChild.StartWithFilesAsync(
            files, "--listen", Addresses.Unix().ToString(), "--sockets", sockets);
        var address = child.Addresses[0];
        var opened = new List<Stream>();
        using (var first = new GrpcClient(address))
        {
            var limit = (await first.DescribeAsync()).Limits.MaxConnections;
            Assert.InRange(limit, 16, files);
            for (var connection = 0; connection < connections; connection++)
                opened.Add(await ConnectAsync(address));
            // The last of them finds no room and is told so by a close.
            Assert.Equal(0, await opened[^1].ReadAsync(new byte[1]).AsTask().WaitAsync(Limits.Wait));
            Assert.Equal(10, (await first.DownloadAsync(10)).Length);
            Assert.InRange((await first.UsageAsync()).Endpoints[0].ConnectionsOpen, 1, limit);
        }
        foreach (var stream in opened)
            await stream.DisposeAsync();
        using var next = new GrpcClient(address);
        Assert.Equal(10, await RetryAsync(async () => (await next.DownloadAsync(10)).Length));
        Assert.Equal("more than 80 connections: others are closed at once; allow more with ulimit -n",
            Assert.Single((await child.ErrorAsync()).Split('\n', StringSplitOptions.RemoveEmptyEntries)));
    }

    [Theory]
    [InlineData(80)]
    [InlineData(335)]
    public async Task Fewer_file_descriptors_than_the_server_itself_needs_are_said_in_a_sentence(int files)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the limit of open files is set by a shell here");
        var (exitCode, output, error) = await ServerChild.RunWithFilesAsync(files, "--listen", Addresses.Unix().ToString());
        Assert.Equal((2, ""), (exitCode, output));
        Assert.Equal(
            $"cannot listen: this process may have {files} files open, and the server needs 336 and one more for each connection; "
            + "allow more with ulimit -n", error.TrimEnd());
    }

    // On the event loop it does not always: src/LoopSockets/README.md says so.
    [Theory]
    [InlineData("dotnet")]
    public async Task A_server_without_a_free_file_descriptor_serves_again_when_there_are_some(string sockets)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the limit of a running process is changed by prlimit");
        const int files = 400, connections = 100;
        await using var child = await ServerChild.StartWithFilesAsync(
            files, "--listen", Addresses.Unix().ToString(), "--sockets", sockets);
        var address = child.Addresses[0];
        using (var first = new GrpcClient(address))
            Assert.Equal(10, (await first.DownloadAsync(10)).Length);
        var inUse = Directory.GetFiles($"/proc/{child.Id}/fd").Length;
        await child.LimitFilesAsync(inUse + (connections / 2), files);
        var opened = new List<Stream>();
        for (var connection = 0; connection < connections; connection++)
            opened.Add(await ConnectAsync(address));
        foreach (var stream in opened)
            await stream.DisposeAsync();
        using var next = new GrpcClient(address);
        Assert.Equal(10, await RetryAsync(async () => (await next.DownloadAsync(10)).Length));
        await child.SignalAsync("TERM");
        Assert.Equal(0, (await child.EndAsync()).ExitCode);
    }

    private static Task<Stream> ConnectAsync(Address address) =>
        Connector.For(address, new ConnectorOptions()).ConnectAsync(CancellationToken.None).AsTask().WaitAsync(Limits.Wait);

    // The server may need a moment to notice that the others have gone.
    private static async Task<int> RetryAsync(Func<Task<int>> call)
    {
        using var limit = new CancellationTokenSource(Limits.Wait);
        while (true)
        {
            try
            {
                return await call();
            }
            catch (HttpRequestException)
            {
                await Task.Delay(50, limit.Token);
            }
        }
    }
}
